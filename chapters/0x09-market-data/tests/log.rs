//! A feed that a real engine has lapped finds what it missed in that engine's snapshots and log.

use std::collections::BTreeMap;

use ch08::metrics::Unmeasured;
use contract::folder::Folder;
use market::flow::{FlowName, generate};
use market::state::ExchangeState;
use market::{Engine, MarketId, Options, RealDisk, Step};
use market_data::feed::{Feed, Settings};
use market_data::past::with_logs;
use market_data::reader::{Reader, next_trade};
use market_data::tap::taps;
use market_data::{Cursor, Depth, Heard, Status};

/// The shares at each price, according to the engine.
fn depths(state: &ExchangeState) -> BTreeMap<MarketId, (Depth, bool)> {
    let depth = |state: &market::state::MarketState| {
        let mut depth = Depth::default();
        for order in state.bids.iter().chain(&state.asks) {
            depth.add(order.intent.side(), order.price, order.quantity.0.into());
        }
        (depth, state.closed)
    };
    state.markets.iter().map(|(&market, state)| (market, depth(state))).collect()
}

fn shown(feed: &Feed) -> BTreeMap<MarketId, (Depth, bool)> {
    let mut reader = Reader::default();
    let markets = feed.board().markets();
    let books = markets.iter().map(|shown| {
        let update = reader.book(shown, &mut Cursor::default()).expect("a book");
        assert!(update.summary.is_fresh, "market {}", shown.market);
        (shown.market, (update.depth, update.summary.status != Status::Open))
    });
    books.collect()
}

#[test]
fn a_feed_that_was_lapped_catches_up_from_snapshot_and_log() {
    let folder = Folder::new(RealDisk);
    let options = Options { shards: 2, snapshot_every: Some(5_000), ..folder.options.clone() };
    let flow = generate(FlowName::Venue, 40_000, 3);
    // The engine with its taps, and their other ends.
    let open = || {
        let (taps, ends) = taps(options.shards, 128);
        let mut taps = taps.into_iter();
        let engine = ch08::Engine::<Unmeasured>::open(&options, &mut |_| Box::new(taps.next().expect("a tap a shard")));
        (engine.expect("it opens").0, ends)
    };
    let settings = |epoch| Settings { epoch, trades_kept: 64 };
    let (mut engine, ends) = open();
    let mut feed = Feed::new(settings(1), with_logs(&options, &ends));
    for (at, &command) in flow.setup.iter().chain(&flow.body).enumerate() {
        engine.submit(command).expect("it runs");
        if at % 1_000 == 0 {
            feed.step().expect("the log can be read");
        }
    }
    engine.flush().expect("it runs");
    let following = |feed: &Feed| (0..2).all(|shard| feed.is_following(shard));
    let catch_up =
        |feed: &mut Feed| while feed.step().expect("the log can be read") != Step::Idle || !following(feed) {};
    catch_up(&mut feed);
    assert!(feed.laps() > 0, "it was not lapped");

    // Another feed starts while the engine runs, and one more when the engine is reopened.
    let mut joined = Feed::join(settings(2), with_logs(&options, &ends));
    catch_up(&mut joined);
    let books = [shown(&feed), shown(&joined)];
    let gaps = feed.board().markets().into_iter().filter(|shown| {
        let mut cursor = Cursor::default();
        matches!(next_trade(shown, &mut cursor.trades), Some(Heard::Missed(_)))
    });
    assert!(gaps.count() > 0, "with rings as small as these, some trades were missed");
    let right = depths(&engine.close().expect("it closes").state);
    assert!(books.iter().all(|books| *books == right));

    let (engine, ends) = open();
    let mut reopened = Feed::new(settings(3), with_logs(&options, &ends));
    catch_up(&mut reopened);
    assert_eq!(shown(&reopened), right);
    drop(engine);
    assert_eq!(reopened.step().expect("nothing is left to read"), Step::Ended, "the engine is gone");
}
