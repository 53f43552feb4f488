//! The states in which a crash may leave what the real program wrote.
//!
//! The simulated disk does what it was taught about systems, and only the log is on it. Here the chapter's program is
//! watched while it makes its folders, starts for the first time, works, recovers, refuses and reshards: every system
//! call that makes, writes, names or syncs a file, with all its bytes, and every acknowledgement among them. From
//! that follows which states a crash could have left at any moment, if of the file system no more is known than the
//! weak rules of POSIX. An engine is opened on each of them and judged as after a kill. (The idea is that of ALICE,
//! OSDI 2014.)
//!
//! Nothing here knows the format of a log. What is in one the engine says, and what was promised the acknowledgements.
//!
//! - `CRASH_STATES=2000` draws so many states a recording, and counts through those of every moment that has few.
//! - A state that fails is printed with the command that replays it, on the recording that was kept.
//! - `CRASH_MISTAKE=DirectorySync` makes one of the planted mistakes, to see what is said of it.

mod choices;
mod contents;
mod judge;
mod planted;
mod recording;
mod search;
mod steps;
mod strace;
mod weak_disk;

use std::path::{Path, PathBuf};

use crate::harness::run;
use crate::program::{skip, strace_works};
use crate::streams::Random;
use judge::History;
pub use judge::Reshard;
use market::log::ShardOf;
use market::{Command, Options, csv};
use planted::Mistake;
use recording::{Recording, Stage};
use runner::{Chapter, has_flag};
use search::{Effort, Judge, Which, search};
use steps::Step;

/// How many commands a program is given.
const COMMANDS: usize = 150;

/// How many of them are there already where it does not start for the first time.
const EARLIER: usize = 70;

/// Every state that a crash may leave of a first start, of work, of a recovery from a torn tail, and of a refusal.
///
/// # Panics
/// At the first state in which a promise is broken, with the command that replays it.
pub fn crash_states<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a real program was looked at");
    }
    let scenes = [first_start::<C>, recovery::<C>, refusal::<C>];
    scenes.iter().filter_map(|scene| scene(program)).for_each(|scene| scene.look("crash_states", program));
}

/// The same of a resharding.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a resharding was looked at");
    }
    if let Some(scene) = resharding::<C>(program, reshard) {
        scene.look("crash_states_of_resharding", program);
    }
}

/// The same of a program that cuts its log into segments, follows it with snapshots and removes what they make
/// needless: while it works, as these flags ask for, and as a program of its own that does nothing else.
///
/// # Panics
/// As [`crash_states`].
pub fn crash_states_of_snapshots<C: Chapter>(program: &str, working: &[&str], alone: &[&str]) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: no crash state of a snapshot was looked at");
    }
    let scenes = [segments::<C>(program, working), snapshot::<C>(program, working, alone)];
    scenes.iter().flatten().for_each(|scene| scene.look("crash_states_of_snapshots", program));
}

/// Mistakes that cost others their data, each made in what was recorded, are found by looking at the states.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes<C: Chapter>(program: &str) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let first = [Mistake::FileSync, Mistake::DirectorySync, Mistake::ParentSync, Mistake::RenameBeforeSync];
    first_start::<C>(program).iter().for_each(|scene| scene.finds(&first));
    refusal::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::LedgerFirst]));
    recovery::<C>(program).iter().for_each(|scene| scene.finds(&[Mistake::WatermarkFirst]));
}

/// The same of a resharding.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_resharding<C: Chapter>(program: &str, reshard: Reshard) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let mistakes = [Mistake::OldSetFirst, Mistake::FileSync, Mistake::DirectorySync];
    resharding::<C>(program, reshard).iter().for_each(|scene| scene.finds(&mistakes));
}

/// The same of a program that makes segments and snapshots while it works.
///
/// # Panics
/// When one is not found.
pub fn planted_mistakes_of_snapshots<C: Chapter>(program: &str, working: &[&str]) {
    if !strace_works() {
        return skip("strace is not there, or may not trace: nobody knows whether the crash states bite");
    }
    let mistakes = [Mistake::FileSync, Mistake::SnapshotSync];
    segments::<C>(program, working).iter().for_each(|scene| scene.finds(&mistakes));
}

/// A recording, and how the states that may be left of it are judged.
struct Scene<C> {
    name: &'static str,
    history: History<C>,
    /// How many commands of each shard had been promised before.
    promised: Vec<usize>,
    data_dir: PathBuf,
    recording: Recording,
    judged: Judged,
}

/// What must come of a state.
enum Judged {
    /// All that was promised.
    ComesBack,
    /// All that was promised, though parts of the log are gone.
    ComesBackWithoutAll,
    /// A refusal that changed nothing.
    IsRefused,
    /// As many shards as this, sooner or later.
    IsResharded(u16, Reshard),
}

/// A program that starts where nothing is, not even the folders above, and is given everything.
fn first_start<C: Chapter>(program: &str) -> Option<Scene<C>> {
    let (name, data_dir) = ("first-start", Path::new("one/two/data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 0, |stage| arguments::<C>(stage, data_dir, history.shards, &commands()))?;
    let promised = history.counts(0);
    history.check_acks(&promised, &recording.steps).unwrap();
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::ComesBack })
}

/// A program that finds a torn frame of each shard behind what was promised, and goes on.
fn recovery<C: Chapter>(program: &str) -> Option<Scene<C>> {
    let (name, data_dir) = ("recovery", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 0, |stage| {
        earlier::<C>(stage, data_dir, history.shards);
        stage.is_durable();
        tear::<C>(stage, data_dir, history.shards);
        arguments::<C>(stage, data_dir, history.shards, &commands()[EARLIER..])
    })?;
    let promised = history.counts(EARLIER);
    history.check_acks(&promised, &recording.steps).unwrap();
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::ComesBack })
}

/// A program that finds a damaged log, beside sound ones where there are shards.
fn refusal<C: Chapter>(program: &str) -> Option<Scene<C>> {
    let (name, data_dir) = ("refusal", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 3, |stage| {
        earlier::<C>(stage, data_dir, history.shards);
        let log =
            stage.disk().join(data_dir).join(ShardOf { shard: history.shards - 1, shards: history.shards }.file_name());
        let mut bytes = std::fs::read(&log).unwrap();
        let middle = bytes.len() / 3;
        bytes[middle] ^= 0x10;
        std::fs::write(&log, bytes).unwrap();
        arguments::<C>(stage, data_dir, history.shards, &commands()[EARLIER..])
    })?;
    let promised = history.counts(EARLIER);
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::IsRefused })
}

/// A program that is given everything, and makes segments and snapshots meanwhile.
fn segments<C: Chapter>(program: &str, working: &[&str]) -> Option<Scene<C>> {
    let (name, data_dir) = ("segments", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let watched = || {
        record(program, name, 0, |stage| {
            let mut arguments = arguments::<C>(stage, data_dir, history.shards, &commands());
            arguments.extend(working.iter().map(ToString::to_string));
            arguments
        })
    };
    // How far snapshots come while the program works is a matter of luck.
    let removes = |step: &Step| matches!(step, Step::Remove { path } if path.extension() == Some("log".as_ref()));
    let mut recording = watched()?;
    for _ in 0..20 {
        if !recording.steps.iter().any(removes) {
            recording = watched()?;
        }
    }
    assert!(recording.steps.iter().any(removes), "it worked twenty times, and never removed a segment");
    let promised = history.counts(0);
    history.check_acks(&promised, &recording.steps).unwrap();
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::ComesBackWithoutAll })
}

/// A program that makes the second snapshot of segments that another has left, and removes what is not needed then.
fn snapshot<C: Chapter>(program: &str, working: &[&str], alone: &[&str]) -> Option<Scene<C>> {
    let (name, data_dir) = ("snapshot", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 0, |stage| {
        let data = ["--data-dir".to_string(), stage.disk().join(data_dir).display().to_string()];
        let snapshot = || alone.iter().map(ToString::to_string).chain(data.clone()).collect::<Vec<_>>();
        for part in [&commands()[..EARLIER], &commands()[EARLIER..]] {
            let mut arguments = arguments::<C>(stage, data_dir, history.shards, part);
            arguments.extend(working.iter().map(ToString::to_string));
            runs(program, &arguments);
            if part.len() == EARLIER {
                runs(program, &snapshot());
            }
        }
        snapshot()
    })?;
    let (promised, judged) = (history.counts(COMMANDS), Judged::ComesBackWithoutAll);
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged })
}

/// Runs a program unwatched.
fn runs(program: &str, arguments: &[String]) {
    let output = std::process::Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A program that makes three shards of two.
fn resharding<C: Chapter>(program: &str, reshard: Reshard) -> Option<Scene<C>> {
    let (name, data_dir) = ("resharding", Path::new("data"));
    let history = History::<C>::new(&commands()[..EARLIER], 2, data_dir);
    let recording = record(program, name, 0, |stage| {
        earlier::<C>(stage, data_dir, 2);
        ["--data-dir", &stage.disk().join(data_dir).display().to_string(), "--reshard", "3"].map(String::from).to_vec()
    })?;
    let (promised, judged) = (history.counts(EARLIER), Judged::IsResharded(3, reshard));
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged })
}

impl<C: Chapter> Scene<C> {
    /// Looks at the states of the recording, as hard as was asked for.
    fn look(&self, test: &str, program: &str) {
        let only = std::env::var("CRASH_STATE").ok();
        let only = only.map(|text| Which::parse(&text).expect("CRASH_STATE is `seed` or `moment.number`"));
        let effort = only.map_or_else(Effort::asked, Effort::Only);
        let mistake = std::env::var("CRASH_MISTAKE").ok();
        let known = || format!("CRASH_MISTAKE is one of {:?}", Mistake::ALL);
        let planted = mistake.as_ref().map(|name| Mistake::named(name).unwrap_or_else(|| panic!("{}", known())));
        let steps = &self.recording.steps;
        let steps = planted.map_or(steps.clone(), |mistake| mistake.plant(steps, &self.data_dir));
        let (kept, package) = (place(program, self.name), std::env::var("CARGO_PKG_NAME").unwrap_or_default());
        // Kept before it is known whether it is needed: a program that hangs keeps nothing any more.
        if only.is_none() {
            self.recording.keep(&kept);
        }
        let mistake = mistake.map_or(String::new(), |name| format!("CRASH_MISTAKE={name} "));
        let (name, kept, test) = (self.name, kept.display().to_string(), test.to_string());
        let told = move |which: Which, complaint: &str| {
            format!(
                "{name}, state {which}: {complaint}\nreplay it with: CRASH_RECORDING={kept} CRASH_STATE={which} \
                 {mistake}cargo test -p {package} {test} -- --exact"
            )
        };
        let hangs = told.clone();
        match self.search(&steps, effort, move |which| hangs(which, "the engine hangs")) {
            Ok(states) => println!("{}: {} steps, {states} states", self.name, steps.len()),
            Err(found) => panic!("{}", told(found.which, &found.complaint)),
        }
    }

    /// Each of these mistakes is found.
    fn finds(&self, mistakes: &[Mistake]) {
        for &mistake in mistakes {
            let planted = mistake.plant(&self.recording.steps, &self.data_dir);
            assert!(planted != self.recording.steps, "{mistake:?}: {} has nothing to make it with", self.name);
            let name = self.name;
            let hangs = move |which| format!("{mistake:?} in {name}, state {which}: the engine hangs");
            match self.search(&planted, Effort::asked(), hangs) {
                Ok(states) => panic!("{mistake:?} in {} was not found in {states} states", self.name),
                Err(found) => println!("{mistake:?} in {}, state {}: {}", self.name, found.which, found.complaint),
            }
        }
    }

    fn search(
        &self,
        steps: &[Step],
        effort: Effort,
        hangs: impl Fn(Which) -> String + Send + 'static,
    ) -> Result<usize, search::Found> {
        let (history, recording) = (&self.history, &self.recording);
        let judge: &Judge<'_> = match self.judged {
            Judged::ComesBack => &|left, promised, rules| history.comes_back(left, promised, rules),
            Judged::ComesBackWithoutAll => {
                &|left, promised, rules| history.comes_back_without_all(left, promised, rules)
            }
            Judged::IsRefused => &|left, _, _| history.is_refused(&recording.durable, left),
            Judged::IsResharded(after, reshard) => &move |left, _, _| history.is_resharded(left, after, reshard),
        };
        search(&recording.before, steps, &self.promised, effort, judge, hangs)
    }
}

/// Watches the program on a stage that `prepare` fills, which says what the program is told. Or takes up the recording
/// that `CRASH_RECORDING` names; then there is none of any other scene.
fn record(program: &str, name: &str, code: i32, prepare: impl FnOnce(&Stage) -> Vec<String>) -> Option<Recording> {
    let recording = match std::env::var_os("CRASH_RECORDING").map(PathBuf::from) {
        Some(kept) if kept.file_name() != place(program, name).file_name() => return None,
        Some(kept) => Recording::again(&kept),
        None => {
            let stage = Stage::new();
            let arguments = prepare(&stage);
            stage.watch(program, &arguments, code)
        }
    };
    Some(recording.unwrap_or_else(|complaint| panic!("{name}: {complaint}")))
}

/// Where the recording of a scene is kept: beside the program.
fn place(program: &str, name: &str) -> PathBuf {
    let program = Path::new(program);
    let chapter = program.file_stem().unwrap_or_default().to_string_lossy();
    program.with_file_name("crash-states").join(format!("{chapter}-{name}"))
}

fn commands() -> Vec<Command> {
    Random::new(10).stream(COMMANDS)
}

fn shards<C: Chapter>() -> u16 {
    if has_flag::<C>("shards") { 2 } else { 1 }
}

/// Puts a data directory on the stage in which the earlier commands were acknowledged.
fn earlier<C: Chapter>(stage: &Stage, data_dir: &Path, shards: u16) {
    let options = Options { shards, ..Options::new(stage.disk().join(data_dir)) };
    run::<C::Engine>(&options, &commands()[..EARLIER], 4).unwrap();
}

/// Leaves part of one more frame behind each log, as a program does that is killed while it writes.
fn tear<C: Chapter>(stage: &Stage, data_dir: &Path, shards: u16) {
    let more = stage.beside("more");
    recording::copy(&stage.disk().join(data_dir), &more).unwrap();
    let shard_of = |command: &Command| ShardOf::market(command.market(), shards);
    let next = |shard| commands()[EARLIER..].iter().copied().find(|command| shard_of(command).shard == shard);
    let commands: Vec<Command> = (0..shards).filter_map(next).collect();
    run::<C::Engine>(&Options { shards, ..Options::new(&more) }, &commands, shards.into()).unwrap();
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        let path = stage.disk().join(data_dir).join(shard.file_name());
        let (mut log, longer) = (std::fs::read(&path).unwrap(), std::fs::read(more.join(shard.file_name())).unwrap());
        let frame = longer.strip_prefix(&log[..]).expect("a log only grows");
        log.extend(&frame[..frame.len() * 2 / 3]);
        std::fs::write(&path, log).unwrap();
    }
}

/// What the program is told: to run over these commands, in small batches, and to write down what it acknowledges.
fn arguments<C: Chapter>(stage: &Stage, data_dir: &Path, shards: u16, commands: &[Command]) -> Vec<String> {
    let input = stage.beside("input.csv");
    csv::write(std::fs::File::create(&input).unwrap(), commands.iter().copied()).unwrap();
    let paths = [
        ("--input", input),
        ("--data-dir", stage.disk().join(data_dir)),
        ("--events", stage.acks()),
        ("--output", stage.beside("output")),
    ];
    let mut arguments = vec!["--quiet".to_string()];
    arguments.extend(paths.into_iter().flat_map(|(flag, path)| [flag.to_string(), path.display().to_string()]));
    let numbers = [("shards", Some(shards.to_string())), ("batch", Some("4".into())), ("no-pin", None)];
    for (flag, value) in numbers.into_iter().filter(|(flag, _)| has_flag::<C>(flag)) {
        arguments.push(format!("--{flag}"));
        arguments.extend(value);
    }
    arguments
}
