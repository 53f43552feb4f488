//! What the ring no longer has is replayed from snapshot and log: after any cursor, up to any place and for any account, a
//! replay has what the model has. For what was trimmed, the error names the first command that is still available.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use contract::streams::{Random, prologue};
use exactly_once::notices::past::{Ended, replay};
use exactly_once::notices::place::{ALL, Notice, Place, concerns};
use market::log::ShardOf;
use market::log_chain::segments;
use market::model::Model;
use market::{
    AccountId, Command, Disk, Engine as _, EngineError, LogFile, MarketId, Options, Outcome, RealDisk, Receivers,
    Sequence,
};

/// A log of some hundred commands with snapshots, and all notices that it leads to.
fn history(folder: &std::path::Path, trims: bool) -> (Options, Vec<Notice>) {
    let options =
        Options { snapshot_every: Some(40), segment_commands: Some(60), trim_log: trims, ..Options::new(folder) };
    let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn market::Acknowledge>;
    let (mut engine, _) =
        ch08::Engine::<ch08::metrics::Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
    let mut random = Random::new(3);
    let mut commands: Vec<Command> = prologue();
    commands.extend((0..400).map(|_| random.command()));
    commands.push(Command::Resolve { market: MarketId(1), outcome: Outcome::Yes });
    for some in commands.chunks(7) {
        for &command in some {
            engine.submit(command).unwrap();
        }
        engine.flush().unwrap();
        // The shadow follows within a moment, and writes its snapshots as it goes.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    engine.close().unwrap();
    keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    let mut all = Vec::new();
    let mut model = Model::default();
    for (sequence, command) in (1..).zip(&commands) {
        for (index, event) in (0..).zip(model.apply(command)) {
            let place = Place { sequence: Sequence(sequence), index };
            let time = market::UnixMs(0);
            all.extend(concerns(&event).into_iter().map(|whom| Notice { shard: 0, place, time, whom, event }));
        }
    }
    (options, all)
}

struct Deaf;

impl market::Acknowledge for Deaf {
    fn acknowledge(&mut self, _: market::Stamp, _: &[market::Event]) {}
}

fn replayed(options: &Options, account: AccountId, at: Place, until: Place) -> Result<Vec<Notice>, Ended> {
    let mut heard = Vec::new();
    replay(
        options,
        ShardOf::ONLY,
        account,
        at,
        until,
        || false,
        |notice| {
            heard.push(Notice { time: market::UnixMs(0), ..notice });
            Ok(())
        },
    )?;
    Ok(heard)
}

#[test]
fn everything_after_any_cursor_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let (options, all) = history(folder.path(), false);
    let end = Place::end_of(all.last().unwrap().place.sequence);
    let mut random = Random::new(5);
    let mut places: Vec<Place> = all.iter().map(|notice| notice.place).collect();
    places.dedup();
    let several = places.iter().filter(|place| place.index > 0).count();
    assert!(several > 20, "too few commands led to several events");
    for &at in [Place::default()].iter().chain(&places) {
        if random.below(4) > 0 && at.index == 0 {
            continue;
        }
        let Some(account) = all[random.below(all.len() as u64) as usize].whom else { continue };
        let until = if random.below(3) == 0 { places[random.below(places.len() as u64) as usize] } else { end };
        let expected = all.iter().filter(|one| [ALL, Some(account)].contains(&one.whom));
        let expected: Vec<_> = expected.filter(|one| one.place > at && one.place <= until).copied().collect();
        let heard = replayed(&options, account, at, until).ok().unwrap();
        assert!(heard == expected, "account {account} after {at:?} up to {until:?}");
    }
}

/// A disk on which the watermark can't be read the first few times, as while it is written.
struct Torn(AtomicUsize);

impl Disk for Torn {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let is_mark = path.extension().is_some_and(|extension| extension == "watermark");
        let is_torn = is_mark && self.0.fetch_update(Relaxed, Relaxed, |times| times.checked_sub(1)).is_ok();
        if is_torn { Ok(None) } else { RealDisk.open(path) }
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        RealDisk.create(path, header)
    }
}

#[test]
fn a_watermark_that_is_read_while_it_is_written_leaves_nothing_out() {
    let folder = tempfile::tempdir().unwrap();
    let (options, all) = history(folder.path(), false);
    let (account, end) = (all[0].whom.unwrap(), Place::end_of(all.last().unwrap().place.sequence));
    let on = |times| Options { disk: Arc::new(Torn(AtomicUsize::new(times))), ..options.clone() };
    let expected = all.iter().filter(|one| [ALL, Some(account)].contains(&one.whom));
    let heard = replayed(&on(3), account, Place::default(), end).ok().unwrap();
    assert!(heard == expected.copied().collect::<Vec<_>>(), "{} notices were replayed", heard.len());
    // Where it stays so, the reader is told, and keeps its cursor.
    let ended = replayed(&on(usize::MAX), account, Place::default(), end);
    assert!(matches!(ended, Err(Ended::Unreadable(EngineError::Unsound { .. }))));
}

#[test]
fn a_replay_ends_when_its_reader_has_left_also_where_it_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (options, all) = history(folder.path(), false);
    let (first, end) = (Place::default(), Place::end_of(all.last().unwrap().place.sequence));
    let heard = |notice: Notice| if notice.whom == ALL { Ok(()) } else { panic!("account 77 has no {notice:?}") };
    let ended = replay(&options, ShardOf::ONLY, AccountId(77), first, end, || true, heard);
    assert!(matches!(ended, Err(Ended::Left)));
}

#[test]
fn what_was_trimmed_is_gone_and_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (options, all) = history(folder.path(), true);
    let first = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first;
    assert!(first > Sequence::FIRST, "nothing was trimmed");
    let (account, end) = (all[0].whom.unwrap(), Place::end_of(all.last().unwrap().place.sequence));
    match replayed(&options, account, Place::default(), end) {
        Err(Ended::Gone { first: said, .. }) => {
            // Everything after the place that the error names is available.
            let at = Place::end_of(Sequence(said.0 - 1));
            let expected = all.iter().filter(|one| [ALL, Some(account)].contains(&one.whom) && one.place > at);
            assert_eq!(replayed(&options, account, at, end).ok().unwrap(), expected.copied().collect::<Vec<_>>());
        }
        _ => panic!("the log begins with command {first}, and nothing is said to be gone"),
    }
    // The log is as it was: a replay writes nothing.
    assert_eq!(segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first, first);
}
