//! The samples: Linux's `perf` interrupts each busy core of the program some hundred times a second, and notes its stack.
//!
//! The clock of the core is what interrupts. Hardware counters would be finer, but virtual machines seldom have them. A
//! thread that sleeps is not sampled.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use program::print;
use results::error::MeasureError;
use tempfile::TempDir;

/// How often a second. No round number, so that nothing that happens at round times is always or never seen.
const FREQUENCY: &str = "997";

/// What begins the line in which a load tells the process of its venue. It does so with `--tell-process`.
const PROCESS: &str = "venue process ";

/// The setting that decides who may sample what.
const SETTING: &str = "perf_event_paranoid";

/// Whether samples can be taken here at all: asked before a program is built, which takes minutes.
///
/// # Errors
/// [`MeasureError::Unusable`] when the profiler is not there, or not permitted to.
pub fn check(profiler: &Path) -> Result<(), MeasureError> {
    let kept = kept(&std::env::temp_dir())?;
    ended(profiler, record(profiler, &kept).args(["--", "true"]).output()).map(drop)
}

/// Runs the program, and returns its stacks as `perf script` prints them. The samples are kept in this folder meanwhile, some
/// ten megabytes a second.
///
/// # Errors
/// [`MeasureError::Unusable`] when the profiler is not there or took no samples, or when the program failed.
pub fn of_program(profiler: &Path, program: &[OsString], folder: &Path) -> Result<Vec<u8>, MeasureError> {
    let kept = kept(folder)?;
    ended(profiler, record(profiler, &kept).arg("--").args(program).output())?;
    stacks(profiler, &kept)
}

/// Runs a load, and returns the stacks of the venue that it starts, from the load's first request until the venue ends. The
/// load itself is not sampled. What it prints is printed.
///
/// # Errors
/// As [`of_program`], and when the load starts no venue.
pub fn of_venue(profiler: &Path, load: &[OsString], folder: &Path) -> Result<Vec<u8>, MeasureError> {
    let kept = kept(folder)?;
    let name = load.first().map(|program| program.display().to_string()).unwrap_or_default();
    let failed = |words: String| MeasureError::Unusable(format!("{name} {words}"));
    let mut command = Command::new(load.first().map_or("".as_ref(), OsString::as_os_str));
    command.args(load.iter().skip(1)).arg("--tell-process").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut load = command.spawn().map_err(|error| failed(format!("did not start: {error}")))?;
    let mut lines = load.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok);
    let process = lines.find_map(|line| line.strip_prefix(PROCESS).map(str::to_owned));
    let recording = process.map(|process| {
        // It ends with the process.
        let mut record = record(profiler, &kept);
        record.args(["--pid", &process]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    });
    let printed = lines.try_for_each(|line| print(format_args!("{line}\n")));
    let loaded = load.wait().map_err(|error| failed(format!("is lost: {error}")))?;
    let recorded = recording.map(|recording| recording.and_then(|recording| recording.wait_with_output()));
    printed?;
    // With 1 it says that it was the limit itself. The venue was busy all the same.
    let Some(recorded) = recorded.filter(|_| matches!(loaded.code(), Some(0 | 1))) else {
        return Err(failed(format!("put no load on a venue ({loaded}); its message is above")));
    };
    ended(profiler, recorded)?;
    stacks(profiler, &kept)
}

/// A folder for samples, removed at the end.
fn kept(folder: &Path) -> Result<TempDir, MeasureError> {
    tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("make a folder in", folder, &error))
}

/// A profiler that samples what is added to it, into a file in this folder.
fn record(profiler: &Path, kept: &TempDir) -> Command {
    let mut record = Command::new(profiler);
    record.args(["record", "--quiet", "--event", "cpu-clock", "--freq", FREQUENCY]);
    // The engines have no frame pointers: the stack itself is copied, and unwound afterwards.
    record.args(["--call-graph", "dwarf", "--output"]).arg(kept.path().join("perf.data")).stdin(Stdio::null());
    record
}

/// The stacks of the samples in this folder.
fn stacks(profiler: &Path, kept: &TempDir) -> Result<Vec<u8>, MeasureError> {
    let mut script = Command::new(profiler);
    // Inlined functions would take minutes to find. Without the samples' periods each one counts as one.
    script.args(["script", "--no-inline", "--fields", "comm,pid,tid,time,event,ip,sym,dso", "--input"]);
    script.arg(kept.path().join("perf.data")).stdin(Stdio::null());
    ended(profiler, script.output()).map(|output| output.stdout)
}

fn ended(profiler: &Path, ended: io::Result<Output>) -> Result<Output, MeasureError> {
    let name = profiler.display();
    let ended = ended.map_err(|error| {
        let words = match error.kind() {
            ErrorKind::NotFound => {
                "it takes the samples; Debian has it: `apt-get install linux-perf`; other systems than Linux have none"
            }
            _ => "it takes the samples",
        };
        MeasureError::Unusable(format!("cannot start {name}: {error}; {words}"))
    })?;
    if ended.status.success() {
        return Ok(ended);
    }
    let words = String::from_utf8_lossy(&ended.stderr);
    Err(MeasureError::Unusable(match words.contains(SETTING) {
        true => refused(&name.to_string()),
        false => format!("{name} stopped ({}): {}", ended.status, words.trim()),
    }))
}

/// The profiler's own words for it take a page, and leave out containers.
fn refused(name: &str) -> String {
    let setting = std::fs::read_to_string(format!("/proc/sys/kernel/{SETTING}"));
    let setting = setting.map_or("unknown".into(), |setting| setting.trim().to_owned());
    format!(
        "the system does not let {name} take samples, and kernel.{SETTING} is {setting}: up to 2, each user may sample their \
         own programs (`sudo sysctl kernel.{SETTING}=2`), and above that only root; a container also has to permit the \
         call perf_event_open"
    )
}
