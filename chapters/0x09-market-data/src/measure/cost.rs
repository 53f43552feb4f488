//! What a thread costs: its processor time. Where the system is not asked, there is none.

use std::time::Duration;

/// Processor time of the thread that asks.
pub fn thread_time() -> Option<Duration> {
    platform::thread_time()
}

#[cfg(unix)]
mod platform {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub fn thread_time() -> Option<Duration> {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
}

#[cfg(not(unix))]
mod platform {
    use std::time::Duration;

    pub fn thread_time() -> Option<Duration> {
        None
    }
}
