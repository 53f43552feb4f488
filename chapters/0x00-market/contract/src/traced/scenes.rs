//! The scenes: the state that a program starts from, and its arguments.

use std::path::Path;

use market::log::ShardOf;
use market::{Command, Options, csv};
use runner::{Chapter, has_flag};

use super::judge::{History, Reshard};
use super::recording::{self, Stage};
use super::scene::{Judged, Scene, record};
use super::steps::Step;
use crate::harness::run;
use crate::streams::Random;

/// How many commands a program is given.
const COMMANDS: usize = 150;

/// How many of them are already there when the start is not the first.
const EARLIER: usize = 70;

/// A program that starts with nothing, not even the folders above, and runs all commands.
pub fn first_start<C: Chapter>(program: &str) -> Option<Scene<C>> {
    let (name, data_dir) = ("first-start", Path::new("one/two/data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 0, |stage| arguments::<C>(stage, data_dir, history.shards, &commands()))?;
    let promised = history.counts(0);
    history.check_acks(&promised, &recording.steps).unwrap();
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::ComesBack })
}

/// A program that finds a torn frame in each shard behind what was promised, and continues.
pub fn recovery<C: Chapter>(program: &str) -> Option<Scene<C>> {
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

/// A program that finds a damaged log, beside sound ones when there are several shards.
pub fn refusal<C: Chapter>(program: &str) -> Option<Scene<C>> {
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

/// A program that continues on segments and snapshots, makes more of them while it works, and removes what is no
/// longer needed.
pub fn segments<C: Chapter>(program: &str, working: &[&str]) -> Option<Scene<C>> {
    let (name, data_dir) = ("segments", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let watched = || {
        record(program, name, 0, |stage| {
            let told = |part: &[Command]| {
                let mut arguments = arguments::<C>(stage, data_dir, history.shards, part);
                arguments.extend(working.iter().map(ToString::to_string));
                arguments
            };
            runs(program, &told(&commands()[..EARLIER]));
            told(&commands()[EARLIER..])
        })
    };
    // How far snapshots and the ledger get while the program works is a matter of luck: one run in seven removes a
    // segment.
    let removes = |step: &Step| matches!(step, Step::Remove { path } if path.extension() == Some("log".as_ref()));
    let mut recording = watched()?;
    for _ in 0..300 {
        if recording.steps.iter().any(removes) {
            break;
        }
        recording = watched()?;
    }
    assert!(recording.steps.iter().any(removes), "it ran three hundred times without removing a segment");
    let promised = history.counts(EARLIER);
    history.check_acks(&promised, &recording.steps).unwrap();
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged: Judged::ComesBackWithoutAll })
}

/// A program that makes the second snapshot of segments that another program left, and then removes what is no
/// longer needed.
pub fn snapshot<C: Chapter>(program: &str, working: &[&str], alone: &[&str]) -> Option<Scene<C>> {
    let (name, data_dir) = ("snapshot", Path::new("data"));
    let history = History::<C>::new(&commands(), shards::<C>(), data_dir);
    let recording = record(program, name, 0, |stage| {
        let alone = alone_in(stage, data_dir, alone);
        lives::<C>(program, stage, history.shards, working, &alone);
        alone
    })?;
    let (promised, judged) = (history.counts(COMMANDS), Judged::ComesBackWithoutAll);
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged })
}

/// A program that makes three shards of two whose logs are without their beginnings.
pub fn dealing<C: Chapter>(program: &str, working: &[&str], alone: &[&str], reshard: Reshard) -> Option<Scene<C>> {
    let (name, data_dir) = ("dealing", Path::new("data"));
    let history = History::<C>::new(&commands(), 2, data_dir);
    let recording = record(program, name, 0, |stage| {
        let alone = alone_in(stage, data_dir, alone);
        lives::<C>(program, stage, 2, working, &alone);
        runs(program, &alone);
        stage.is_durable();
        let first = stage.disk().join(data_dir).join(ShardOf { shard: 0, shards: 2 }.file_name());
        assert!(!first.exists(), "no log was trimmed");
        alone_in(stage, data_dir, &["--reshard", "3"])
    })?;
    let (promised, judged) = (history.counts(COMMANDS), Judged::IsResharded(3, reshard));
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged })
}

/// The arguments of a program that does one thing in the data directory and stops.
fn alone_in(stage: &Stage, data_dir: &Path, flags: &[&str]) -> Vec<String> {
    let data = ["--data-dir".to_string(), stage.disk().join(data_dir).display().to_string()];
    flags.iter().map(ToString::to_string).chain(data).collect()
}

/// Two runs, with the flags `alone` for a program between them.
fn lives<C: Chapter>(program: &str, stage: &Stage, shards: u16, working: &[&str], alone: &[String]) {
    for part in [&commands()[..EARLIER], &commands()[EARLIER..]] {
        let mut arguments = arguments::<C>(stage, Path::new("data"), shards, part);
        arguments.extend(working.iter().map(ToString::to_string));
        runs(program, &arguments);
        if part.len() == EARLIER {
            runs(program, alone);
        }
    }
}

/// Runs a program unwatched.
fn runs(program: &str, arguments: &[String]) {
    let output = std::process::Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A program that makes three shards of two.
pub fn resharding<C: Chapter>(program: &str, reshard: Reshard) -> Option<Scene<C>> {
    let (name, data_dir) = ("resharding", Path::new("data"));
    let history = History::<C>::new(&commands()[..EARLIER], 2, data_dir);
    let recording = record(program, name, 0, |stage| {
        earlier::<C>(stage, data_dir, 2);
        ["--data-dir", &stage.disk().join(data_dir).display().to_string(), "--reshard", "3"].map(String::from).to_vec()
    })?;
    let (promised, judged) = (history.counts(EARLIER), Judged::IsResharded(3, reshard));
    Some(Scene { name, history, promised, data_dir: data_dir.into(), recording, judged })
}

fn commands() -> Vec<Command> {
    Random::new(10).stream(COMMANDS)
}

fn shards<C: Chapter>() -> u16 {
    if has_flag::<C>("shards") { 2 } else { 1 }
}

/// Puts a data directory on the stage, in which the earlier commands were acknowledged.
fn earlier<C: Chapter>(stage: &Stage, data_dir: &Path, shards: u16) {
    let options = Options { shards, ..Options::new(stage.disk().join(data_dir)) };
    run::<C::Engine>(&options, &commands()[..EARLIER], 4).unwrap();
}

/// Leaves part of one more frame behind each log, as a program killed in the middle of a write
/// does.
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

/// The program's arguments: to run these commands in small batches, and to write down what it acknowledges.
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
