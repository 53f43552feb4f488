//! The chapter's program, run and ended for real: killed under load, after a failed sync, out of space.
//!
//! The simulated disk reaches every moment there is, but only behaves as it was written to. Here the real
//! system runs the program that a reader runs. What was acknowledged must be there, nothing may be there
//! twice, and a program that stops must say why and what to do.
//!
//! A test that the machine does not permit says so and passes, except under `CI`, where it fails.

use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::aftermath::{Left, judge};
use crate::streams::Random;
use market::flow::{self, FlowName};
use market::{Command, Event};
use program::rounds::Rounds;
use program::said::{
    ends_quietly_on_a_closed_pipe, ends_with_a_sentence_on_a_full_disk, ends_with_its_code_when_it_cannot_complain,
};
use runner::{Chapter, has_flag};

/// How many kills a test makes in each chapter, unless `KILLS` sets another number.
const KILLS: u64 = 8;

/// How many commands a program that is to be killed gets after the set-up; it should never reach the last.
const ORDERS: usize = 60_000;

/// How many it gets where it must stop by itself.
const ORDERS_UNTIL_IT_STOPS: usize = 20_000;

/// A program still in this state after so long is stuck. This is not a measurement.
const STUCK: Duration = Duration::from_secs(120);

/// The commands that the program generates and runs.
fn commands() -> Vec<Command> {
    let flow = flow::generate(FlowName::Venue, ORDERS, flow::DEFAULT_SEED);
    [flow.setup, flow.body].concat()
}

/// A run of the program, and the folders that it uses.
struct Run {
    folder: TempDir,
    /// The data directory's path within the folder.
    inside: PathBuf,
    orders: usize,
    shards: u16,
    batch: Option<u64>,
    /// Flags that only this chapter has.
    more: Vec<String>,
}

impl Run {
    fn new<C: Chapter>(orders: usize, shards: u16, batch: u64) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let shards = if has_flag::<C>("shards") { shards } else { 1 };
        let batch = has_flag::<C>("batch").then_some(batch);
        Run { folder, inside: PathBuf::new(), orders, shards, batch, more: Vec::new() }
    }

    fn data_dir(&self) -> PathBuf {
        self.folder.path().join(&self.inside).join("data")
    }

    fn events(&self) -> PathBuf {
        self.folder.path().join("events")
    }

    /// The arguments after the program's name.
    fn arguments(&self) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        let (data_dir, events, output) = (path(&self.data_dir()), path(&self.events()), path(self.folder.path()));
        let mut arguments = vec!["--quiet".into(), "--flow".into(), "venue".into()];
        for (flag, value) in [("--data-dir", data_dir), ("--events", events), ("--output", output)] {
            arguments.extend([flag.to_string(), value]);
        }
        arguments.extend(["--orders".into(), self.orders.to_string()]);
        if self.shards > 1 {
            arguments.extend(["--shards".into(), self.shards.to_string()]);
        }
        if let Some(batch) = self.batch {
            arguments.extend(["--batch".into(), batch.to_string()]);
        }
        arguments.extend(self.more.iter().cloned());
        arguments
    }

    fn left<C: Chapter>(&self, name: String, commands: &[Command]) -> Result<Left, String> {
        let left = Left::read::<C>(name.clone(), commands, self.shards, &self.data_dir(), &self.events());
        left.map_err(|complaint| format!("{name}: {complaint}"))
    }
}

/// [`killed_under_load_with`], without flags of the chapter's own, and a few times.
pub fn killed_under_load<C: Chapter>(program: &str) {
    killed_under_load_with::<C>(program, KILLS, &[]);
}

// ANCHOR: kill
/// Kills the program at random moments under load, `kills` times, each time from a fresh start, with these flags of
/// the chapter's own. Returns how many commands in all the logs lack because snapshots have them.
///
/// # Panics
/// When a promise was broken.
pub fn killed_under_load_with<C: Chapter>(program: &str, kills: u64, more: &[&str]) -> usize {
    let commands = commands();
    let kills = std::env::var("KILLS").map_or(kills, |text| text.parse().expect("KILLS is a number"));
    let (mut random, mut endings) = (Random::new(kills), Vec::new());
    for tries in 0.. {
        if endings.len() as u64 == kills {
            break;
        }
        assert!(tries < 10 * (1 + kills), "the program always finished before it was killed");
        // Batches small enough that there is time to kill it: a fast engine finishes in milliseconds.
        let mut run = Run::new::<C>(ORDERS, random.pick(&[1, 2, 4]), random.pick(&[1, 4, 16]));
        run.more = more.iter().map(ToString::to_string).collect();
        // This many syncs, and about this many acknowledgements: a head and one or two events each.
        let acknowledgements = random.below(300) * run.batch.unwrap_or(1);
        let child = Process::new(program).args(run.arguments()).spawn().unwrap();
        if kill_behind(child, &run.events(), acknowledgements * (16 + Event::BYTES as u64 * 3 / 2)) {
            let kill = format!("kill {} of {}, batches of {:?}", endings.len() + 1, run.shards, run.batch);
            endings.push(run.left::<C>(kill, &commands).unwrap_or_else(|complaint| panic!("{complaint}")));
        }
    }
    judge(&commands, &endings).unwrap_or_else(|complaint| panic!("{complaint}"));
    let (acked, kept): (usize, usize) =
        (endings.iter().map(Left::acknowledged).sum(), endings.iter().map(Left::recovered).sum());
    println!("{kills} kills: {acked} commands were acknowledged, {kept} were kept, including the set-ups");
    assert!(acked > 0, "it was never under load when it was killed");
    endings.iter().map(Left::trimmed).sum()
}

/// Kills the program when it has written this much into `file`, and returns whether it was still alive.
fn kill_behind(mut child: Child, file: &Path, bytes: u64) -> bool {
    let began = Instant::now();
    while std::fs::metadata(file).map_or(0, |file| file.len()) < bytes {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "the program ended by itself: {status}");
            return false;
        }
        if began.elapsed() > STUCK {
            child.kill().unwrap();
            panic!("the program stopped acknowledging, but did not end");
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}
// ANCHOR_END: kill

/// A second program on a directory that is in use ends with a message that names the owner. When the first
/// program is killed, the directory is free, and holds what the first one wrote and nothing else.
///
/// # Panics
/// When a promise was broken.
pub fn a_second_program_is_refused<C: Chapter>(program: &str) {
    let commands = commands();
    let run = Run::new::<C>(ORDERS, 2, 1);
    let mut first = Process::new(program).args(run.arguments()).spawn().unwrap();
    let began = Instant::now();
    while std::fs::metadata(run.events()).map_or(0, |file| file.len()) == 0 {
        assert!(began.elapsed() < STUCK && first.try_wait().unwrap().is_none(), "it does not start");
        std::thread::sleep(Duration::from_micros(200));
    }
    let arguments = run.arguments().into_iter().map(|argument| argument.replace("/events", "/others-events"));
    let mut others = vec![arguments.clone().collect::<Vec<_>>()];
    if run.shards > 1 {
        let data_dir = run.data_dir().display().to_string();
        others.push(["--data-dir", &data_dir, "--reshard", "3"].map(String::from).to_vec());
    }
    let ended: Vec<Output> = others.iter().map(|args| Process::new(program).args(args).output().unwrap()).collect();
    assert!(
        first.try_wait().unwrap().is_none(),
        "the first program finished before the second one started: nothing was tested"
    );
    let holder = format!("process {}", first.id());
    first.kill().unwrap();
    first.wait().unwrap();
    for (args, output) in others.iter().zip(ended) {
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "the exit code of the second program, {args:?}; it said: {words}");
        for part in [&holder, &run.data_dir().display().to_string()] {
            assert!(words.contains(part), "the message does not name {part}: {words}");
        }
    }
    let left = run.left::<C>("the first of two".into(), &commands).unwrap_or_else(|complaint| panic!("{complaint}"));
    judge(&commands, &[left]).unwrap_or_else(|complaint| panic!("{complaint}"));
}

/// Every folder that the program makes is on disk before it goes on: each name's own folder is synced.
///
/// # Panics
/// When one was not.
pub fn folders_are_on_disk<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown which folders were synced");
    }
    let mut run = Run::new::<C>(100, 1, 16);
    let (trace, above) = (run.folder.path().join("trace"), run.folder.path().canonicalize().unwrap());
    run.inside = "one/two".into();
    let mut strace = Process::new("strace");
    strace.args(["-f", "-qq", "-y", "-e", "trace=fsync"]).arg("-o").arg(&trace).arg(program).args(run.arguments());
    assert!(strace.output().unwrap().status.success(), "the program under strace failed");
    let trace = std::fs::read_to_string(trace).unwrap();
    for folder in ["", "/one", "/one/two", "/one/two/data"] {
        let synced = format!("<{}{folder}>)", above.display());
        assert!(trace.contains(&synced), "{synced} was not synced:\n{trace}");
    }
}

/// Whether strace is there, and may trace.
pub fn strace_works() -> bool {
    Process::new("strace").args(["-f", "-e", "trace=sync", "true"]).output().is_ok_and(|ended| ended.status.success())
}

/// A sync fails in the real system: the first, in the middle of recovery, and later ones under load.
///
/// # Panics
/// When a promise was broken.
pub fn a_sync_fails<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is missing, or may not trace: no sync of a real program was made to fail");
    }
    let commands = commands();
    let mut endings = Vec::new();
    for at in [1, 7, 40] {
        let run = Run::new::<C>(ORDERS_UNTIL_IT_STOPS, 1, 16);
        let trace = run.folder.path().join("trace");
        let mut strace = Process::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=fdatasync", "-e", &format!("inject=fdatasync:error=EIO:when={at}")]);
        strace.arg("-o").arg(&trace).arg(program).args(run.arguments());
        let output = strace.output().unwrap();
        let name = format!("sync {at} of a thread fails");
        let words = stopped_with_words(&name, &run, &output);
        assert!(words.contains("Input/output error"), "{name}: the message does not say why: {words}");
        let trace = std::fs::read_to_string(trace).unwrap();
        let (_, after) = trace.split_once("(INJECTED)").unwrap_or_else(|| panic!("{name}: no sync failed:\n{trace}"));
        assert!(!after.contains("fdatasync("), "{name}: the sync was retried:\n{trace}");
        let left = run.left::<C>(name.clone(), &commands).unwrap_or_else(|complaint| panic!("{complaint}"));
        assert!(!left.acknowledged_the_last_frame(), "{name}: commands that were not synced were acknowledged");
        assert!((at == 1) == (left.acknowledged() == 0), "{name}: {} were acknowledged", left.acknowledged());
        endings.push(left);
    }
    judge(&commands, &endings).unwrap_or_else(|complaint| panic!("{complaint}"));
}

/// The file system is full: before anything is written, in the set-up, and under load.
///
/// # Panics
/// When a promise was broken.
pub fn the_disk_is_full<C: Chapter>(program: &str) {
    let commands = commands();
    let mut endings = Vec::new();
    // Too small for a log, for the set-up, and then ever larger, until everything fits.
    for kilobytes in [4, 300].into_iter().chain((1_300..).step_by(Rounds::asked().pick(1_800, 300))) {
        let run = Run::new::<C>(ORDERS, 1, 64);
        let kept = run.folder.path().join("kept");
        [run.data_dir(), kept.clone()].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        // The mount belongs to the process and ends with it, so the script copies what a restart would find.
        let script = "mount -t tmpfs -o size=$1k none \"$2\" || exit 99; program=$4; data=$2; kept=$3; shift 4
            \"$program\" \"$@\"; code=$?; cp \"$data\"/* \"$kept\"; exit $code";
        let mut shell = Process::new("unshare");
        shell.args(["--map-root-user", "--mount", "sh", "-c", script, "sh", &kilobytes.to_string()]);
        shell.args([run.data_dir(), kept.clone(), program.into()]).args(run.arguments());
        match shell.output() {
            Ok(output) if output.status.success() && kilobytes > 1_300 => break,
            Ok(output) if output.status.code() != Some(99) && mounts_are_allowed() => {
                let name = format!("{kilobytes} KiB");
                let words = stopped_with_words(&name, &run, &output);
                assert!(words.contains("No space left"), "{name}: the message does not say why: {words}");
                std::fs::remove_dir(run.data_dir()).unwrap();
                std::fs::rename(&kept, run.data_dir()).unwrap();
                endings.push(run.left::<C>(name, &commands).unwrap_or_else(|complaint| panic!("{complaint}")));
            }
            _ => return skip("mounting a file system is not allowed here: no real one was filled"),
        }
    }
    assert!(endings.iter().any(|left| left.acknowledged() > 0), "it was never under load when the disk was full");
    judge(&commands, &endings).unwrap_or_else(|complaint| panic!("{complaint}"));
}

/// The program's output is closed, so no one reads what it prints or why it ends.
///
/// # Panics
/// When it panics, or ends with the wrong exit code.
pub fn output_is_closed(program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let mut process = Process::new(program);
        process.args(arguments.split(' ')).current_dir(folder.path());
        process
    };
    for printing in ["--help", "--orders 10 --pass throughput --output figures"] {
        ends_quietly_on_a_closed_pipe(&mut run(printing));
        ends_with_a_sentence_on_a_full_disk(&mut run(printing));
    }
    for complaining in ["--orders 0", "--input nothing.csv"] {
        ends_with_its_code_when_it_cannot_complain(&mut run(complaining), 2);
    }
}

fn mounts_are_allowed() -> bool {
    let mut shell = Process::new("unshare");
    shell.args(["--map-root-user", "--mount", "true"]).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// The program must have stopped by itself, with the right exit code, and name the file and what to do.
fn stopped_with_words(name: &str, run: &Run, output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(3),
        "{name}: the program's exit code, which is 3 for a disk that can't be trusted; it said: {words}"
    );
    let folder = run.data_dir().display().to_string();
    assert!(words.contains(&folder), "{name}: the message does not name the file: {words}");
    assert!(words.contains("start again"), "{name}: the message does not say what to do: {words}");
    words
}

/// Says what was not tested.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none() || !cfg!(target_os = "linux"), "CI tests this: {reason}");
    println!("skipped: {reason}");
}
