//! Notices out of the rows are those that the reference model's events make: after any cursor, for any account, of any shard, as
//! far as the rows go, each once and in order, while the engine runs and afterwards. If the rows lack something, the reader
//! learns that.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use exactly_once::notices::archive::{Archive as _, Stretch};
use exactly_once::notices::past::Ended;
use exactly_once::notices::place::{ALL, Notice, Place, concerns};
use history::args::{ColumnArgs, HistoryArgs};
use history::following::{Progress, follow};
use history::history::History;
use history::notices::{Page, Wanted, page};
use history::rebuild::RebuildArgs;
use history::store::Store;
use market::log::ShardOf;
use market::model::Model;
use market::{AccountId, Options, Sequence, UnixMs};

use engine::{commands, options, run};
use expected::logged;

/// Rows that do not come in this time never do. No measurement.
const STUCK: Duration = Duration::from_secs(60);

/// Longer than any log here.
const FAR: Place = Place { sequence: Sequence(1 << 40), index: 0 };

fn history(options: &Options, no_history: bool) -> Arc<History> {
    let columns = ColumnArgs { columns_every: 86_400, columns_rows: 1_000, table_rows: 20 };
    let history = History::new(&HistoryArgs { no_history, rebuild: RebuildArgs::default(), columns });
    history.open(options, &vec![Sequence(u64::MAX); options.shards.into()]).unwrap();
    history
}

fn wait(history: &History) {
    let began = Instant::now();
    while !history.opened().unwrap().progress.is_caught_up() {
        assert!(began.elapsed() < STUCK, "the rows do not come");
        thread::sleep(Duration::from_millis(2));
    }
}

/// All notices of the logs in a folder, by the model.
fn happened(folder: &Path, shards: u16) -> Vec<Notice> {
    let mut all = Vec::new();
    for shard in 0..shards {
        let mut model = Model::default();
        for (stamp, command) in logged(folder, ShardOf { shard, shards }) {
            for (index, event) in (0..).zip(model.apply(&command)) {
                let place = Place { sequence: stamp.sequence, index };
                let notice = |whom| Notice { shard, place, time: stamp.time, whom, event };
                all.extend(concerns(&event).into_iter().map(notice));
            }
        }
    }
    all
}

/// A question, and its answer.
struct Answer {
    account: AccountId,
    asked: Vec<Stretch>,
    left: Vec<Stretch>,
    heard: Vec<Notice>,
    ended: Option<Ended>,
}

fn ask(history: &History, account: AccountId, asked: Vec<Stretch>) -> Answer {
    let (mut left, mut heard) = (asked.clone(), Vec::new());
    let read = history.read(account, &mut left, &mut |notice| {
        heard.push(notice);
        Ok(())
    });
    Answer { account, asked, left, heard, ended: read.err() }
}

impl Answer {
    /// It has exactly what happened to the account in each stretch as far as it was read.
    fn assert_is(&self, all: &[Notice]) {
        let mut count = 0;
        for (asked, left) in self.asked.iter().zip(&self.left) {
            let shard = asked.shard.shard;
            let own = all.iter().filter(|one| one.shard == shard && [ALL, Some(self.account)].contains(&one.whom));
            let own: Vec<_> = own.filter(|one| one.place > asked.at && one.place <= left.at).collect();
            let heard: Vec<_> = self.heard.iter().filter(|one| one.shard == shard).collect();
            assert_eq!(heard, own, "account {}, {asked:?}, read to {:?}", self.account, left.at);
            assert!(left.at == asked.at || left.at <= asked.until, "{asked:?}, {left:?}");
            count += heard.len();
        }
        assert_eq!(count, self.heard.len(), "notices of shards that were not asked for");
    }
}

/// A stretch of each shard, or of some, from anywhere to anywhere.
fn stretches(random: &mut Random, shards: u16, end: u64) -> Vec<Stretch> {
    let mut place = |far: u64| match random.below(far) {
        0 => Place::default(),
        1 => FAR,
        2 => Place::end_of(Sequence(random.below(end))),
        _ => Place { sequence: Sequence(1 + random.below(end)), index: random.below(4) as u32 },
    };
    let one = |shard| {
        let (at, until) = (place(7), place(4));
        let at = if at == FAR { Place::default() } else { at };
        Stretch { shard: ShardOf { shard, shards }, at, floor: until, until: until.max(at) }
    };
    (0..shards).map(one).collect()
}

#[test]
fn notices_out_of_rows_are_what_the_model_says_also_while_the_engine_runs() {
    let mut heard = 0;
    for (seed, shards) in [(1, 1), (2, 3), (3, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let (options, mut random) = (options(folder.path(), shards, false), Random::new(seed));
        // So that there are logs to follow.
        run(&options, &commands(seed, 30), || {});
        let (history, mut answers) = (history(&options, false), Vec::new());
        run(&options, &commands(seed + 10, 700), || {
            let account = AccountId(random.below(6) as u32);
            answers.push(ask(&history, account, stretches(&mut random, shards, 400)));
        });
        wait(&history);
        for _ in 0..200 {
            let account = AccountId(random.below(6) as u32);
            answers.push(ask(&history, account, stretches(&mut random, shards, 900)));
        }
        let all = happened(folder.path(), shards);
        for answer in &answers {
            answer.assert_is(&all);
            assert!(answer.ended.is_none());
        }
        // All notices of all accounts, now that the rows are there.
        for account in (0..6).map(AccountId) {
            let whole =
                |shard| Stretch { shard: ShardOf { shard, shards }, at: Place::default(), floor: FAR, until: FAR };
            let answer = ask(&history, account, (0..shards).map(whole).collect());
            answer.assert_is(&all);
            let own = all.iter().filter(|one| [ALL, Some(account)].contains(&one.whom)).count();
            assert_eq!(answer.heard.len(), own, "account {account}");
            heard += own;
        }
        history.close();
    }
    assert!(heard > 500, "too little happened: {heard}");
}

#[test]
fn pages_of_any_length_have_the_same_notices() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 2, false);
    run(&options, &commands(5, 400), || {});
    let store = Arc::new(Store::open(&options, false).unwrap());
    let progress = Progress::new(&store, 2).unwrap();
    follow(&options, &store, &progress, &|| progress.is_caught_up()).unwrap();
    let shards = [(Place::default(), FAR); 2];
    let all = happened(folder.path(), 2);
    for account in [AccountId(1), AccountId(2)] {
        for rows in [1, 2, 3, 7, 64, 100_000] {
            let wanted = Wanted { account, shards: &shards, to: UnixMs(u64::MAX), rows };
            let (mut found, mut from) = (Vec::new(), Some(history::place::Place::default()));
            while let Some(place) = from {
                let Page { notices, next } = page(&store, &wanted, place).unwrap();
                assert!(notices.len() <= rows);
                found.extend(notices);
                from = next;
            }
            assert!(found.is_sorted_by_key(|notice| notice.time), "they are not in the order of time");
            let own = all.iter().filter(|one| [ALL, Some(account)].contains(&one.whom));
            for shard in [0, 1] {
                let (found, own) = (found.iter(), own.clone());
                let of = |one: &&Notice| one.shard == shard;
                assert!(found.filter(of).eq(own.filter(of)), "account {account}, {rows} rows a page");
            }
        }
    }
}

#[test]
fn what_the_rows_lack_is_named_and_never_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, true);
    let (all, mut steps, mut model, mut notices) = (commands(9, 600), 0, Model::default(), Vec::new());
    for (sequence, command) in (1..).map(Sequence).zip(&all) {
        for (index, event) in (0..).zip(model.apply(command)) {
            let notice = |whom| Notice { shard: 0, place: Place { sequence, index }, time: UnixMs(0), whom, event };
            notices.extend(concerns(&event).into_iter().map(notice));
        }
    }
    run(&options, &all, || {
        steps += 1;
        if steps == 20 {
            // It follows for a while, and is then away until the log is trimmed.
            let history = history(&options, false);
            wait(&history);
            history.close();
        }
        thread::sleep(Duration::from_millis(2));
    });
    keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    let off = history(&options, true);
    assert!(matches!(off.lacks(0, Sequence(7)), Ended::Gone { shard: 0, first: Sequence(7) }));
    let whole = Stretch { shard: ShardOf::ONLY, at: Place::default(), floor: FAR, until: FAR };
    let answer = ask(&off, AccountId(1), vec![whole]);
    assert!(answer.heard.is_empty() && answer.left == [whole] && answer.ended.is_none());
    let history = history(&options, false);
    wait(&history);
    let gap = history.opened().unwrap().store.missing().unwrap()[0];
    // What the log no longer has may still come into the rows, so a reader has to ask again.
    assert!(matches!(history.lacks(0, Sequence(7)), Ended::Refused(refused) if refused.word == "late-history"));
    let heard = |answer: &Answer| answer.heard.iter().map(|one| (one.place, one.event)).collect::<Vec<_>>();
    let own = |account, from: Place, to: Place| {
        let own = notices.iter().filter(move |one| [ALL, Some(account)].contains(&one.whom));
        own.filter(|one| one.place > from && one.place <= to).map(|one| (one.place, one.event)).collect::<Vec<_>>()
    };
    let (before, behind) = (Place::end_of(Sequence(gap.first.0 - 1)), Place::end_of(gap.last));
    for account in (1..5).map(AccountId) {
        for (at, is_gone) in [
            (Place::default(), true),
            (Place { index: 0, ..before }, true),
            (before, true),
            (Place { sequence: gap.last, index: 0 }, true),
            (behind, false),
        ] {
            let answer = ask(&history, account, vec![Stretch { at, ..whole }]);
            let to = if is_gone { before } else { FAR };
            assert_eq!(heard(&answer), own(account, at, to), "account {account} after {at:?}, gap {gap:?}");
            match answer.ended {
                Some(Ended::Gone { shard: 0, first }) if is_gone => assert_eq!(first, gap.last.plus(1)),
                ended => assert!(ended.is_none() && !is_gone, "after {at:?}, gap {gap:?}"),
            }
        }
        // What lies before the gap can be had to its end.
        let answer = ask(&history, account, vec![Stretch { until: before, ..whole }]);
        assert!(answer.ended.is_none() && answer.left[0].at == before);
        assert_eq!(heard(&answer), own(account, Place::default(), before));
    }
    // What was followed up to now may be of another past than the log.
    history.opened().unwrap().progress.end("the rows are of another past".into());
    let answer = ask(&history, AccountId(1), vec![whole]);
    assert!(answer.heard.is_empty() && answer.left == [whole] && answer.ended.is_none());
    history.close();
}
