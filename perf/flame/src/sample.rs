//! The samples: Linux's `perf` interrupts each busy core of the program some hundred times a second, and notes its stack.
//!
//! The clock of the core is what interrupts. Hardware counters would be finer, but virtual machines seldom have them. A
//! thread that sleeps is not sampled.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use results::error::MeasureError;

/// How often a second. No round number, so that nothing that happens at round times is always or never seen.
const FREQUENCY: &str = "997";

/// Runs the program, and returns its stacks as `perf script` prints them. The samples are kept in this folder meanwhile, some
/// ten megabytes a second.
///
/// # Errors
/// [`MeasureError::Unusable`] when the profiler is not there or took no samples, or when the program failed.
pub fn stacks(profiler: &Path, program: &[OsString], folder: &Path) -> Result<Vec<u8>, MeasureError> {
    let kept = tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("make a folder in", folder, &error))?;
    let data = kept.path().join("perf.data");
    let mut record = Command::new(profiler);
    // The engines have no frame pointers: the stack itself is copied, and unwound afterwards.
    record.args([
        "record",
        "--quiet",
        "--event",
        "cpu-clock",
        "--freq",
        FREQUENCY,
        "--call-graph",
        "dwarf",
        "--output",
    ]);
    ran(profiler, record.arg(&data).arg("--").args(program))?;
    let mut script = Command::new(profiler);
    // Inlined functions would take minutes to find. Without the samples' periods each one counts as one.
    script.args(["script", "--no-inline", "--fields", "comm,pid,tid,time,event,ip,sym,dso", "--input"]);
    ran(profiler, script.arg(&data)).map(|output| output.stdout)
}

fn ran(profiler: &Path, command: &mut Command) -> Result<Output, MeasureError> {
    let name = profiler.display();
    let ended = command.stdin(Stdio::null()).output().map_err(|error| {
        let words = match error.kind() {
            ErrorKind::NotFound => {
                "it takes the samples; Debian has it as linux-perf, and other systems than Linux have none"
            }
            _ => "it takes the samples",
        };
        MeasureError::Unusable(format!("cannot start {name}: {error}; {words}"))
    })?;
    if ended.status.success() {
        return Ok(ended);
    }
    let words = String::from_utf8_lossy(&ended.stderr);
    Err(MeasureError::Unusable(format!("{name} stopped ({}): {}", ended.status, words.trim())))
}
