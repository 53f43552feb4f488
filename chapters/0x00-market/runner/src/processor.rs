//! Processor time: of this process, which is that of all its threads on all cores, and of one thread; user and system
//! time together.

use std::collections::BTreeMap;
use std::time::Duration;

/// Processor time since the process began; `None` on systems that are not supported.
pub fn processor_time() -> Option<Duration> {
    platform::processor_time()
}

/// Processor time of the calling thread; `None` on systems that are not supported.
pub fn thread_time() -> Option<Duration> {
    platform::thread_time()
}

/// Processor time of each running thread, by name; threads with the same name are added up. The process's first
/// thread is the `caller`. Empty where the system does not report it; Linux does.
pub fn times_of_threads() -> BTreeMap<String, Duration> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return BTreeMap::new() };
    let mut times = BTreeMap::new();
    for thread in threads.flatten() {
        // A thread that has ended meanwhile has no files any more.
        let read = |name: &str| std::fs::read_to_string(thread.path().join(name)).ok();
        let time = || Some((read("comm")?, read("schedstat")?.split(' ').next()?.parse().ok()?));
        let Some((name, nanoseconds)) = time() else { continue };
        let is_first = thread.file_name().to_str() == Some(&std::process::id().to_string());
        let name = if is_first { "caller" } else { name.trim_end() };
        *times.entry(name.to_owned()).or_default() += Duration::from_nanos(nanoseconds);
    }
    times
}

#[cfg(unix)]
mod platform {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub fn processor_time() -> Option<Duration> {
        time_of(ClockId::ProcessCPUTime)
    }

    pub fn thread_time() -> Option<Duration> {
        time_of(ClockId::ThreadCPUTime)
    }

    fn time_of(clock: ClockId) -> Option<Duration> {
        let time = clock_gettime(clock);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
}

#[cfg(not(unix))]
mod platform {
    use std::time::Duration;

    pub fn processor_time() -> Option<Duration> {
        None
    }

    pub fn thread_time() -> Option<Duration> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_processor_time_and_sleep_does_not() {
        let spent = |work: &dyn Fn()| {
            let before = processor_time().expect("a time");
            work();
            processor_time().expect("a time") - before
        };
        let slept = spent(&|| std::thread::sleep(Duration::from_millis(200)));
        let worked = spent(&|| {
            let began = std::time::Instant::now();
            while began.elapsed() < Duration::from_millis(200) {
                std::hint::spin_loop();
            }
        });
        // A busy machine may give the loop a small part of the core; a sleeping thread takes almost
        // nothing.
        assert!(worked > 2 * slept, "{worked:?} of work, {slept:?} of sleep");
        #[cfg(target_os = "linux")]
        a_thread_has_its_own_time();
    }

    /// Part of the test above; as a separate test its work would be counted there.
    #[cfg(target_os = "linux")]
    fn a_thread_has_its_own_time() {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let work = move || {
            let began = thread_time();
            while thread_time() < began.map(|time| time + Duration::from_millis(100)) {}
            tell.send(()).expect("the test listens");
            let _ = ended.recv();
        };
        let busy = std::thread::Builder::new().name("busy".into()).spawn(work).expect("a thread");
        told.recv().expect("it has worked");
        let times = times_of_threads();
        drop(end);
        busy.join().expect("it ended");
        assert!(times["busy"] >= Duration::from_millis(90), "{times:?}");
        assert!(times.contains_key("caller"), "{times:?}");
    }
}
