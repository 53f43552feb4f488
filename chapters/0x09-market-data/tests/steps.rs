//! A view step by step: each test is one requirement of a reader's book. `tests/view.rs` tests all of them at once.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use market::{MarketId, Price, Quantity, Sequence, Side, TradeKind, UnixMs};
use market_data::{
    Applied, BookUpdate, BookView, Depth, Freshness, Message, Missed, Need, Prices, PublicTrade, Refused, Status,
    Summary, TradeId, TradeUpdate, Version, Volume,
};

const MARKET: MarketId = MarketId(7);

fn price(cents: u8) -> Price {
    Price::new(cents).unwrap()
}

fn version(epoch: u64, counter: u64) -> Version {
    if counter == 0 { Version::NONE } else { Version { epoch, counter } }
}

/// An update of a book of epoch 1 from one version to another; from 0 it is a whole book. `bid` and `ask` are the best
/// prices it names.
fn book((from, to): (u64, u64), shares: &[(u8, i64)], (bid, ask): (u8, u8)) -> BookUpdate {
    let (mut prices, mut depth) = (if from == 0 { Prices::ALL } else { Prices::NONE }, Depth::default());
    for &(cents, shares) in shares {
        prices.insert(price(cents));
        depth.set(price(cents), shares);
    }
    let summary = Summary {
        sequence: Sequence(100 + to),
        best_bid: Price::new(bid),
        best_ask: Price::new(ask),
        last_trade: None,
        volume: Volume { shares: 0, since: Sequence(1) },
        open_interest: 0,
        status: Status::Open,
        is_fresh: true,
    };
    BookUpdate { market: MARKET, from: version(1, from), to: version(1, to), prices, depth, summary }
}

/// A view that has applied a whole book: version 5, 500 bid at 40, 200 asked at 60.
fn whole() -> BookView {
    let mut view = BookView::new(MARKET);
    let update = book((0, 5), &[(40, 500), (60, -200)], (40, 60));
    assert_eq!(view.apply(&Message::Book(update)), Ok(Applied::Book), "a new view accepts a whole book");
    view
}

fn place(sequence: u64, index: u32) -> TradeId {
    TradeId { sequence: Sequence(sequence), index }
}

/// A trade, and the position after which it is the next one.
fn trade(since: TradeId, id: TradeId) -> Message {
    let (price, quantity, time) = (price(60), Quantity(3), UnixMs(1));
    let trade = PublicTrade { market: MARKET, id, time, price, quantity, taker_side: Side::Bid, kind: TradeKind::Mint };
    Message::Trade(TradeUpdate { since, trade })
}

#[test]
fn books_whole_and_changed_are_taken() {
    let mut view = whole();
    assert_eq!((view.version(), view.depth().at(price(40))), (version(1, 5), 500));
    let change = Message::Book(book((5, 6), &[(40, 250), (41, 10)], (41, 60)));
    assert_eq!(view.apply(&change), Ok(Applied::Book), "a change that may be applied to 5 is applied to 5");
    let shares = [40, 41, 60].map(|cents| view.depth().at(price(cents)));
    assert_eq!(shares, [250, 10, -200], "amounts are absolute, and other prices stay");
    assert_eq!(view.apply(&change), Ok(Applied::Known), "a repeated change contains nothing new");
    let wide = Message::Book(book((3, 9), &[(40, 0), (41, 0), (39, 7)], (39, 60)));
    assert_eq!(view.apply(&wide), Ok(Applied::Book), "the changes since 3 include the changes since 6");
    assert_eq!((view.version(), view.depth().at(price(39))), (version(1, 9), 7));
}

#[test]
fn books_after_a_hole_or_from_an_old_epoch_are_rejected() {
    let mut view = whole();
    let before = *view.depth();
    let refused = view.apply(&Message::Book(book((8, 9), &[(40, 1)], (40, 60))));
    assert_eq!(refused, Err(Refused::Hole { from: version(1, 8), have: version(1, 5) }), "6 to 8 were lost");
    assert_eq!(view.depth(), &before, "a rejected message changes nothing");
    let mut newer = book((0, 1), &[(40, 1), (60, -1)], (40, 60));
    newer.to = version(2, 1);
    assert_eq!(view.apply(&Message::Book(newer)), Ok(Applied::Book), "a restarted feed starts with a whole book");
    let refused = view.apply(&Message::Book(book((0, 90), &[(40, 9), (60, -9)], (40, 60))));
    assert_eq!(refused, Err(Refused::OldEpoch { found: 1, known: 2 }), "however large the old epoch's counter is");
    let mut view = whole();
    let refused = view.apply(&Message::Book(book((5, 6), &[(40, 250)], (41, 60))));
    assert_eq!(refused, Err(Refused::WrongBook), "with it the best bid is 40, but the message says 41");
    assert_eq!(view.version(), Version::NONE, "an earlier message was wrong, so the version is unknown");
}

#[test]
fn freshness_requires_the_newest_known_version() {
    let mut view = BookView::new(MARKET);
    assert_eq!(view.freshness(), Freshness::Stale { since: Sequence(0) }, "nothing was received");
    assert_eq!(view.need(), Need { book: Some(Version::NONE), trades: None }, "it needs a whole book");
    view = whole();
    assert_eq!((view.freshness(), view.need()), (Freshness::Fresh, Need::NOTHING));
    assert!(view.apply(&Message::Book(book((8, 9), &[(40, 1)], (40, 60)))).is_err());
    let stale = Freshness::Stale { since: Sequence(105) };
    assert_eq!(view.freshness(), stale, "the rejected message was readable: version 9 exists");
    assert_eq!(view.need().book, Some(version(1, 5)), "it needs the changes since its version");
    let mut behind = book((5, 9), &[(40, 1)], (40, 60));
    behind.summary.is_fresh = false;
    view.apply(&Message::Book(behind)).unwrap();
    assert_eq!(view.freshness(), Freshness::Stale { since: Sequence(109) }, "the feed itself is behind the engine");
    assert_eq!(view.need(), Need::NOTHING, "and has nothing more to send");
    view = whole();
    view.disconnected();
    assert_eq!((view.freshness(), view.need().book), (stale, Some(Version::NONE)), "a lost connection makes it stale");
    assert_eq!(view.depth().at(price(40)), 500, "the old book can still be shown in grey");
}

#[test]
fn trades_arrive_once_or_lie_in_a_gap() {
    let mut view = whole();
    let (first, second) = (place(107, 0), place(110, 0));
    assert!(matches!(view.apply(&trade(TradeId::default(), first)), Ok(Applied::Trade(_))));
    assert_eq!(view.apply(&trade(TradeId::default(), first)), Ok(Applied::Known), "a trade is counted once");
    let lost = view.apply(&trade(second.next(), place(112, 0)));
    assert_eq!(
        lost,
        Err(Refused::TradesLost { have: first.next(), from: second.next() }),
        "a trade in between is missing"
    );
    assert_eq!(view.need().trades, Some(first.next()), "from the view's position");
    let gap = Missed { market: MARKET, from: TradeId::default(), to: second.next() };
    let announced = Missed { from: first.next(), ..gap };
    assert_eq!(view.apply(&Message::Missed(gap)), Ok(Applied::Missed(announced)), "only unseen trades are missed");
    assert!(matches!(view.apply(&trade(second.next(), place(112, 0))), Ok(Applied::Trade(_))));
    assert_eq!((view.need(), view.next_trade()), (Need::NOTHING, place(112, 0).next()));
}
