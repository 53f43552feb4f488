//! Processor time: of this process, which is that of all its threads on all cores, and of one thread; in its own code and
//! in the system's.

use std::time::Duration;

/// Processor time since the process began; none where the system is not asked.
pub fn processor_time() -> Option<Duration> {
    platform::processor_time()
}

/// Processor time of the thread that asks; none where the system is not asked.
pub fn thread_time() -> Option<Duration> {
    platform::thread_time()
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
        // A busy machine may give the loop a small part of the core; a sleeper takes next to none.
        assert!(worked > 2 * slept, "{worked:?} of work, {slept:?} of sleep");
    }
}
