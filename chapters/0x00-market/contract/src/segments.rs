//! Logs in segments: every engine replays a chain of segments and continues in the last one, and no engine loads a
//! chain with a hole.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::fixture::{TIME, header, unsynced_disk};
use crate::folder::Folder;
use crate::oracle::Oracle;
use crate::streams::Random;
use market::log::{LogHeader, RECORD_BYTES, ShardOf, encode_log};
use market::{Command, Engine, LogId, Sequence, UnixMs};

/// Where each segment begins and the last one ends, in commands from 0.
const BOUNDS: [usize; 5] = [0, 40, 41, 130, 160];

/// Files: name and contents.
type Files = Vec<(String, Vec<u8>)>;

/// The segments of a log of these commands: name and bytes. The last bound begins a segment without a frame.
fn chain(commands: &[Command], bounds: &[usize]) -> Files {
    let segment = |pair: &[usize]| {
        let first = Sequence::FIRST.plus(pair[0] as u64);
        let last_time = if pair[0] == 0 { UnixMs::UNKNOWN } else { TIME };
        let header = LogHeader { first, last_time, ..header(ShardOf::ONLY) };
        (ShardOf::ONLY.segment_name(first), encode_log(&header, TIME, &commands[pair[0]..pair[1]]))
    };
    bounds.windows(2).map(segment).collect()
}

/// A folder with these files.
fn folder(files: &[(String, Vec<u8>)]) -> Folder {
    let folder = Folder::new(unsynced_disk());
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    folder
}

/// A log in segments is recovered whole, and continued in the last segment. That one may be empty, or have
/// reserved space.
pub fn a_log_in_segments<E: Engine>() {
    let oracle = Oracle::of(&Random::new(8).stream(200));
    let commands: Vec<Command> = oracle.steps(0).iter().map(|step| step.command).collect();
    for (bounds, reserved) in [(&BOUNDS[..], 0), (&BOUNDS, 5_000), (&[0, 40, 90, 160, 160], 0), (&[0, 0, 160], 0)] {
        let mut files = chain(&commands, bounds);
        if bounds[1] == 0 {
            // Two segments can't begin with the same command; only the last may be empty.
            files.remove(0);
        }
        // Every segment has reserved space that no frame used.
        files.iter_mut().for_each(|(_, bytes)| bytes.resize(bytes.len() + reserved, 0));
        let before = files.len();
        let folder = folder(&files);
        let went = folder.goes_on::<E>(&oracle, 160, 30);
        went.unwrap_or_else(|error| panic!("segments {bounds:?}, {reserved} bytes reserved: {error}"));
        let logs = folder.files().into_keys().filter(|path| path.extension().is_some_and(|end| end == "log"));
        assert_eq!(logs.count(), before, "files of the log of segments {bounds:?}, after it was continued");
        let last = std::fs::read(folder.path().join(&files[before - 1].0)).unwrap();
        let (old, new) = (&files[before - 1].1, last);
        assert!(new.len() > old.len() - reserved, "the last segment has no new frame");
    }
}

/// A segment that is missing, doubled, torn, of another log or without its beginning is named, and nothing
/// changes.
pub fn segments_that_do_not_follow<E: Engine>() {
    let commands = Random::new(9).stream(200);
    let whole = chain(&commands, &BOUNDS);
    let changed = |change: &dyn Fn(&mut Files)| {
        let mut files = whole.clone();
        change(&mut files);
        files
    };
    let of = |bounds: &[usize], at: usize| chain(&commands, bounds).remove(at);
    let foreign = |first: usize, id: u64| {
        let header = LogHeader {
            first: Sequence(first as u64 + 1),
            last_time: TIME,
            ..LogHeader::new(ShardOf::ONLY, LogId(id))
        };
        encode_log(&header, TIME, &commands[first..first + 5])
    };
    let late = LogHeader { first: Sequence(131), last_time: UnixMs(TIME.0 - 1), ..header(ShardOf::ONLY) };
    let cases: [(&str, Files); 9] = [
        ("commands 42 to 130 are missing", changed(&|files| drop(files.remove(2)))),
        ("begins with command 41", changed(&|files| drop(files.remove(0)))),
        ("commands 42 to 50 are also in", changed(&|files| files[1] = of(&[0, 40, 50], 1))),
        ("belongs to another log", changed(&|files| files[3].1 = foreign(130, 7))),
        ("its header says command 42", changed(&|files| files[3].1 = files[2].1.clone())),
        ("the time before it is", changed(&|files| files[3].1 = encode_log(&late, TIME, &commands[130..135]))),
        ("a frame is torn", changed(&|files| files[1].1.extend([b'F', RECORD_BYTES as u8]))),
        ("damaged at byte 48", changed(&|files| files[2].1[RECORD_BYTES * 5] ^= 1)),
        (
            "commands 131 to 160 are missing",
            changed(&|files| files[3] = (ShardOf::ONLY.segment_name(Sequence(161)), foreign(160, 0x99))),
        ),
    ];
    for (words, files) in cases {
        let folder = folder(&files);
        let ledger = folder.path().join("ledger.bin");
        std::fs::write(&ledger, b"as it was").unwrap();
        let before: BTreeMap<PathBuf, Vec<u8>> = folder.files();
        let error = folder.refusal::<E>().unwrap_or_else(|error| panic!("{words}: {error}"));
        assert!(error.to_string().contains(words), "{words} was expected: {error}");
        assert!(folder.files() == before, "{words}: a file has changed");
    }
}
