//! The clock of all stamps: nanoseconds that only go up, the same for all processes of a machine.

/// Now, in nanoseconds since the machine was started.
#[cfg(unix)]
pub fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Now, in nanoseconds since the first call of this process. Clients in other processes have another zero then.
#[cfg(not(unix))]
pub fn now() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}
