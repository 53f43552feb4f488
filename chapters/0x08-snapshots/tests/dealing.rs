//! Resharding where there are segments and snapshots: with the whole log and without its beginning, the markets hold what
//! the model's hold, and whatever moment the power chooses, nothing acknowledged is lost.
#![allow(clippy::unwrap_used)]

#[path = "dealing/program.rs"]
mod program;
#[path = "dealing/refused.rs"]
mod refused;
#[path = "dealing/set_up.rs"]
mod set_up;

use std::path::PathBuf;
use std::sync::Arc;

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::harness::{check_events, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, Rounds, SimDisk};
use keeping::once::snapshot;
use keeping::reshard::reshard;
use market::data_dir::shard_counts;
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot::{file_name, list};
use market::{Disk as _, Sequence};

use refused::{every_segment, refused};
use set_up::{check_ledgers, commands, folder, is_trimmed, logged, shards_of, trimmed, two_snapshots};

type Engine = <Chapter as runner::Chapter>::Engine;

/// The cases that were met, so that a test can show that it proves something.
#[derive(Default)]
struct Met {
    whole: usize,
    trimmed: usize,
    /// With commands behind the new snapshots, and without.
    tails: [usize; 2],
}

/// Any stream in any number of shards, with snapshots at any place, trimmed or not, dealt to any number: the state is
/// the model's, and so is what comes after that.
#[test]
fn any_stream_from_any_number_to_any() {
    let (mut met, rounds) = (Met::default(), Rounds::asked().pick(80, 800));
    (0..rounds).for_each(|seed| {
        one_stream(seed, &mut met).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    });
    let Met { whole, trimmed, tails } = met;
    let least = rounds as usize / 16;
    assert!(whole > least && trimmed > least, "{whole} whole logs, {trimmed} trimmed ones");
    assert!(
        tails.iter().all(|&count| count > least / 2),
        "without commands behind the new snapshots, and with: {tails:?}"
    );
}

fn one_stream(seed: u64, met: &mut Met) -> Result<(), String> {
    let mut random = Random::new(seed);
    let length = 120 + random.below(200) as usize;
    let oracle = Oracle::of(&random.stream(length + 60));
    let [before, after] = [0; 2].map(|_| random.pick(&[1, 2, 3, 8]));
    let after = if after == before { before + 1 } else { after };
    let (disk, ticks) = (SimDisk::new(seed, Faults::default()), random.pick(&[1, 3, 40]));
    let mut folder = folder(&disk, before, !random.one_in(4), ticks);
    folder.options.batch_max = random.pick(&[1, 5, 64]);
    let mut done = 0;
    while done < length {
        let to = (done + 20 + random.below(60) as usize).min(length);
        run::<Engine>(&folder.options, &commands(&oracle, done, to), 9)?;
        if to < length || random.one_in(2) {
            snapshot::<Shadow>(&folder.options).map_err(|error| error.to_string())?;
        }
        done = to;
    }
    let was_trimmed = is_trimmed(&disk, &folder, before);
    let said = reshard::<Shadow>(&disk, folder.path(), after).map_err(|error| error.to_string())?;
    if !said.contains(&format!("{before} shards are now {after}")) {
        return Err(said);
    }
    assert_eq!(shard_counts(&disk, folder.path()).unwrap(), [after]);
    folder.options.shards = after;
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let of = ShardOf::of_segment_name(&name).or_else(|| market::snapshot::of_file_name(&name));
        of.is_none_or(|(of, _)| of.shards == after) && !name.ends_with(".draft")
    };
    let left: Vec<PathBuf> = disk.paths().into_iter().filter(|path| !is_ours(path)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(is_trimmed(&disk, &folder, after), was_trimmed);
    match was_trimmed {
        true => met.tails[usize::from(logged(&disk, &folder, after) > 0)] += 1,
        false => assert_eq!(logged(&disk, &folder, after), length),
    }
    *if was_trimmed { &mut met.trimmed } else { &mut met.whole } += 1;
    let counts: &[u16] = if was_trimmed { &[before, after] } else { &[after] };

    let mut done = length;
    for more in [0, 30, 30] {
        let went = run::<Engine>(&folder.options, &commands(&oracle, done, done + more), 7)?;
        assert_eq!(went.recovery.commands, done as u64, "commands recovered: {:?}", went.recovery);
        assert!(went.recovery.remarks.iter().all(|words| !words.contains("passed over")), "{:?}", went.recovery);
        check_events(&oracle.steps(done)[..more], &went.acks, after)?;
        done += more;
        check_state(&oracle.state(done), &went.closed.state)?;
        check_ledgers(oracle.events(done), &folder, counts)?;
        snapshot::<Shadow>(&folder.options).map_err(|error| error.to_string())?;
    }
    let again = run::<Engine>(&folder.options, &[], 1)?;
    check_state(&oracle.state(done), &again.closed.state)
}

/// The power fails in each operation: the directory opens with one number of shards and everything in it, refuses
/// the other number with a reason, and a second resharding finishes the work.
#[test]
fn a_crash_in_each_operation() {
    let cases = [(2, 3, true), (2, 1, false), (3, 1, true), (1, 2, true), (2, 3, false)];
    for &(before, after, trims) in &cases[..Rounds::asked().pick(2, 5)] {
        let mut opened = [0; 2];
        for at in 1.. {
            let (disk, mut folder, oracle) = two_snapshots(at, before, trims);
            disk.set_faults(Faults { power_fails_at: Some(at), ..Faults::default() });
            let cut_short = reshard::<Shadow>(&disk, folder.path(), after).is_err();
            let left = if at % 2 == 0 { disk.crash() } else { disk.kill() };
            folder.options.disk = Arc::new(left.clone());
            let name = format!("{before} to {after}, trimmed: {trims}, power failed at {at}");
            let found = [before, after].map(|shards| {
                folder.options.shards = shards;
                run::<Engine>(&folder.options, &[], 1).map(|went| (went.recovery.commands, went.closed.state))
            });
            let (which, (count, state)) = match found {
                [Ok(old), Err(words)] if words.contains("--reshard") => (0, old),
                [Err(words), Ok(new)] if words.contains("--reshard") => (1, new),
                found => panic!("{name}: {found:?}"),
            };
            assert_eq!(count, 160, "{name}");
            check_state(&oracle.state(160), &state).unwrap_or_else(|error| panic!("{name}: {error}"));
            opened[which] += 1;
            let mut done = 160;
            if which == 0 && at % 3 == 0 {
                // Work goes on before the next try, and the drafts that were left are of another moment.
                folder.options.shards = before;
                run::<Engine>(&folder.options, &commands(&oracle, 160, 200), 5).unwrap();
                snapshot::<Shadow>(&folder.options).unwrap();
                done = 200;
            }
            reshard::<Shadow>(&left, folder.path(), after)
                .unwrap_or_else(|error| panic!("{name}: the second time: {error}"));
            folder.options.shards = after;
            let went = run::<Engine>(&folder.options, &commands(&oracle, done, 220), 5);
            let went = went.unwrap_or_else(|error| panic!("{name}: {error}"));
            check_state(&oracle.state(220), &went.closed.state).unwrap_or_else(|error| panic!("{name}: {error}"));
            let counts: &[u16] = if trims { &[before, after] } else { &[after] };
            check_ledgers(oracle.events(220), &folder, counts).unwrap_or_else(|error| panic!("{name}: {error}"));
            if !cut_short {
                break;
            }
        }
        assert!(opened.iter().all(|&count| count > 5), "{before} to {after}: opened as before and as after {opened:?}");
    }
}

/// A leftover file with a name of the new set is not taken for a part of it.
#[test]
fn leftovers_never_reappear() {
    for trims in [true, false] {
        let (disk, mut folder, oracle) = two_snapshots(4, 2, trims);
        let [old, new] = [2, 3].map(|shards| ShardOf { shard: 1, shards });
        let at = |name: String| folder.path().join(name);
        let (_, snapshot) = list(&disk, folder.path(), old).unwrap().remove(0);
        let segment = segments(&disk, folder.path(), old).unwrap().remove(0).path;
        for first in [Sequence(40), Sequence(400)] {
            disk.put(&at(new.segment_name(first)), &disk.read(&segment).unwrap());
            disk.put(&at(file_name(new, first)), &disk.read(&snapshot).unwrap());
            disk.put(&at(new.segment_name(first)).with_extension("draft"), &disk.read(&segment).unwrap());
        }
        reshard::<Shadow>(&disk, folder.path(), 3).unwrap();
        folder.options.shards = 3;
        let went = run::<Engine>(&folder.options, &commands(&oracle, 160, 200), 5).unwrap();
        check_state(&oracle.state(200), &went.closed.state).unwrap();
        assert!(!went.recovery.remarks.join("").contains("passed over"), "{:?}", went.recovery);
    }
}

/// Fewer commands than new shards: none of the new logs has a beginning, for what they would begin with is in snapshots.
#[test]
fn fewer_commands_than_shards() {
    let (disk, oracle) = (SimDisk::new(6, Faults::default()), Oracle::of(&Random::new(6).stream(20)));
    let mut folder = folder(&disk, 1, true, 1);
    folder.options.segment_commands = Some(1);
    for done in 0..3 {
        run::<Engine>(&folder.options, &commands(&oracle, done, done + 1), 1).unwrap();
        snapshot::<Shadow>(&folder.options).unwrap();
    }
    assert!(is_trimmed(&disk, &folder, 1));
    reshard::<Shadow>(&disk, folder.path(), 8).unwrap();
    assert_eq!(trimmed(&disk, &folder, 8).len(), 8, "a log that seems to have its beginning");
    folder.options.shards = 8;
    let went = run::<Engine>(&folder.options, &commands(&oracle, 3, 20), 5).unwrap();
    check_state(&oracle.state(20), &went.closed.state).unwrap();
    let again = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(20), &again.closed.state).unwrap();
}

/// A bit that is flipped anywhere in the oldest snapshot, and in each segment: refused, and nothing is changed.
#[test]
fn damage_is_refused() {
    let (disk, folder, _) = two_snapshots(1, 2, true);
    for shard in trimmed(&disk, &folder, 2) {
        let (_, oldest) = list(&disk, folder.path(), shard).unwrap().pop().unwrap();
        let whole = disk.read(&oldest).unwrap();
        for byte in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1 << (byte % 8);
            disk.rot(&oldest, &bytes);
            refused(&disk, &folder, 3, &oldest.display().to_string());
        }
        disk.rot(&oldest, &whole);
    }
    every_segment(&disk, &folder, 2);
    let (whole, bare, _) = two_snapshots(1, 2, false);
    every_segment(&whole, &bare, 2);
}

/// Without the oldest snapshots the next ones are taken, and without any there is nothing to begin with.
#[test]
fn snapshots_that_are_gone() {
    let (disk, mut folder, oracle) = two_snapshots(1, 2, true);
    let snapshots: Vec<_> = shards_of(2).map(|shard| list(&disk, folder.path(), shard).unwrap()).collect();
    let bare = disk.copy();
    snapshots.iter().flatten().for_each(|(_, path)| bare.remove(path).unwrap());
    refused(&bare, &folder, 3, "there is no snapshot of what came before");
    snapshots.iter().for_each(|newest_first| disk.remove(&newest_first[1].1).unwrap());
    reshard::<Shadow>(&disk, folder.path(), 3).unwrap();
    folder.options.shards = 3;
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(160), &went.closed.state).unwrap();
}
