//! A moment is what the reference model held then, and a moment that can't be had is refused with what is missing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;

use contract::streams::Random;
use history::moment::{Moment, levels, moment};
use market::log::ShardOf;
use market::model::Model;
use market::{Command, Event, MarketId, Options, RealDisk, Stamp, UnixMs, snapshot};

use engine::{commands, options, run};
use expected::logged;

const ALL: u64 = u64::MAX;

fn asked(options: &Options, market: MarketId, at: UnixMs, most: u64) -> String {
    moment(options, market, at, most).err().map(|error| error.to_string()).expect("it is refused")
}

/// What the model says of a market at a time: its state, and the time of the last command of its shard.
fn holds(logged: &[(Stamp, Command)], market: MarketId, at: UnixMs, found: &Moment) {
    let (mut model, mut last, mut trade) = (Model::default(), None, None);
    for (stamp, command) in logged.iter().take_while(|(stamp, _)| stamp.time <= at) {
        for event in model.apply(command) {
            if let Event::Traded { market: of, price, quantity, .. } = event
                && of == market
            {
                trade = Some((stamp.time, price, quantity));
            }
        }
        last = Some(*stamp);
    }
    let state = model.state().markets.remove(&market).unwrap();
    assert_eq!(Some(found.last), last);
    assert_eq!(found.state, state);
    assert!(found.trade.is_none() || found.trade == trade);
    let rests =
        |orders: &[market::state::RestingOrder]| orders.iter().map(|order| u64::from(order.quantity.0)).sum::<u64>();
    assert_eq!(levels(&state.bids).iter().map(|(_, quantity)| quantity).sum::<u64>(), rests(&state.bids));
}

#[test]
fn a_moment_is_what_the_model_held_then() {
    for shards in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), shards, false);
        run(&options, &commands(2, 500), || std::thread::sleep(std::time::Duration::from_millis(1)));
        let (mut random, mut seen) = (Random::new(3), 0);
        for market in [0, 1].map(MarketId) {
            let logged = logged(folder.path(), ShardOf::market(market, shards));
            let opened = logged.iter().find(|(_, command)| *command == Command::Open { market }).unwrap().0.time;
            for _ in 0..30 {
                let (stamp, _) = logged[random.below(logged.len() as u64) as usize];
                let at = UnixMs(stamp.time.0 + random.below(3) - 1);
                if at < opened {
                    continue;
                }
                holds(&logged, market, at, &moment(&options, market, at, ALL).unwrap());
                seen += 1;
            }
            let first = logged[0].0.time;
            assert!(asked(&options, market, UnixMs(first.0 - 1), ALL).contains("Nothing had happened"));
            assert!(asked(&options, market, UnixMs(0), ALL).contains("Nothing had happened"));
        }
        assert!(seen > 30);
        let end = UnixMs(u64::MAX);
        assert!(asked(&options, MarketId(77), end, ALL).contains("Market 77 was not open"));
        assert!(moment(&options, MarketId(1), end, ALL).is_ok());
    }
}

#[test]
fn too_much_work_and_trimmed_moments_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, true);
    run(&options, &commands(8, 600), || std::thread::sleep(std::time::Duration::from_millis(2)));
    keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    let words = asked(&options, MarketId(1), UnixMs(1_772_323_200_000), ALL);
    assert!(words.contains("trimmed") && words.contains("the earliest moment that is available is 2026-"), "{words}");
    let whole = tempfile::tempdir().unwrap();
    let options = Options { snapshot_every: None, ..engine::options(whole.path(), 1, false) };
    run(&options, &commands(8, 200), || {});
    let words = asked(&options, MarketId(1), UnixMs(u64::MAX), 50);
    assert!(words.contains("More than 50 commands") && words.contains("-- at"), "{words}");
}

#[test]
fn too_much_work_is_refused_also_where_the_newest_snapshot_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { snapshot_every: None, ..options(folder.path(), 1, false) };
    let all = commands(8, 300);
    for some in [&all[..100], &all[100..250]] {
        run(&options, some, || {});
        keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    }
    run(&options, &all[250..], || {});
    let found = moment(&options, MarketId(1), UnixMs(u64::MAX), 100).unwrap();
    let (_, newest) = &snapshot::list(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0];
    let mut bytes = std::fs::read(newest).unwrap();
    // In the body: its header, from which the commands are counted, stays as it is.
    bytes[snapshot::SNAPSHOT_HEADER_BYTES] ^= 1;
    std::fs::write(newest, bytes).unwrap();
    let words = asked(&options, MarketId(1), UnixMs(u64::MAX), 100);
    assert!(words.contains("More than 100 commands"), "{words}");
    let again = moment(&options, MarketId(1), UnixMs(u64::MAX), 250).unwrap();
    assert!(again.state == found.state && again.replayed == found.replayed + 150, "{} commands", again.replayed);
}
