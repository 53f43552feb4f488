//! Naps that end on time.
//!
//! Where threads share cores, an idle one sleeps for 50 µs (0x06, `wait.rs`). Linux lets each such sleep last up to
//! 50 µs longer, so that it can wake several sleepers at once; a thread may ask for less.
//!
//! **Expected:** an order waits for naps, so naps of half the length halve its wait.
//!
//! **Compared:** the engine of 0x06, opened anew each time, with a million orders a second offered; with the system's
//! slack and with one of a microsecond. The log is on the disk, or in memory, where a sync waits for nothing. The
//! figure is the median order's wait until it is durable.
//!
//! **Left out:** machines with a core for each thread, where no thread sleeps.

#[cfg(target_os = "linux")]
mod linux;

use crate::error::LabError;
use crate::experiment::{Experiment, Prepared, Setting};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "naps",
    title: ("Does an order wait less when threads wake up on time?", "线程准时醒来，订单就等得短吗？"),
    per: ("the middle order's wait", "中间那张订单等待"),
    on_request: false,
    prepare,
};

#[cfg(target_os = "linux")]
fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    linux::prepare(setting)
}

#[cfg(not(target_os = "linux"))]
fn prepare(_: &Setting) -> Result<Prepared, LabError> {
    let reason = crate::words::words("a thread's slack is Linux's", "线程的定时器余量是 Linux 才有的");
    Ok(Prepared { cases: vec![], left_out: vec![crate::experiment::LeftOut { name: "slack", reason }] })
}
