//! A feed that was lapped, with pasts that a real log seldom is: damaged, or far longer than the ring of trades.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use market::state::{ExchangeState, MarketState};
use market::{
    AccountId, Acknowledge, EngineError, Event, Intent, MarketId, OrderId, Price, Quantity, Sequence, Side, Stamp,
    TradeKind, UnixMs,
};
use market_data::TradeCursor;
use market_data::board::Board;
use market_data::feed::{Feed, Settings};
use market_data::past::Past;
use market_data::reader::trades_from_now;
use market_data::record::{Record, Seen};
use market_data::shard::Shard;
use market_data::tap::{Opened, tap};

const MARKET: MarketId = MarketId(1);

/// How many trades the rings of this file keep.
const KEPT: usize = 16;

/// A snapshot without orders, and the next command after it.
fn snapshot(next: u64) -> Opened {
    Opened { next: Sequence(next), state: ExchangeState { markets: [(MARKET, MarketState::default())].into() } }
}

fn stamp(sequence: u64) -> Stamp {
    Stamp { sequence: Sequence(sequence), time: UnixMs(1) }
}

/// A feed of an engine that had applied 1,000,000 commands when it was opened.
fn joined(past: impl Past + 'static) -> Feed {
    let (mut tap, tapped) = tap(64);
    tap.recovered(Sequence(1_000_000), &ExchangeState::default);
    Feed::join(Settings { epoch: 1, trades_kept: KEPT }, vec![(tapped, Box::new(past))])
}

/// Its snapshot can be read. Of the log after it, so many reads succeed.
struct Damaged {
    readable: u64,
    read: u64,
}

impl Past for Damaged {
    fn begin(&mut self) -> Result<Opened, EngineError> {
        self.read = 0;
        Ok(snapshot(3))
    }

    fn follow(&mut self, heard: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
        if self.read == self.readable {
            return Err(EngineError::ThreadStopped { role: "disk", reason: "a damaged frame".into() });
        }
        self.read += 1;
        heard(stamp(2 + self.read), &[]);
        Ok(1)
    }

    fn end(&mut self) {}
}

#[test]
fn a_feed_gives_up_a_log_that_stays_damaged() {
    for readable in 0..3 {
        let mut feed = joined(Damaged { readable, read: 0 });
        // Three tries, each of a snapshot, the readable part and the damage.
        let steps = (0..20).take_while(|_| feed.step().is_ok()).count();
        assert!(steps < 20, "after {readable} reads that succeed it tries again and again");
    }
}

/// Each read yields fifty trades, and there is always more.
struct Long(u64);

impl Past for Long {
    fn begin(&mut self) -> Result<Opened, EngineError> {
        Ok(snapshot(2))
    }

    fn follow(&mut self, heard: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
        let (market, account, price, quantity) = (MARKET, AccountId(1), Price::MIN, Quantity(1));
        let accepted = |order, intent| Event::Accepted { market, account, order, intent, price, quantity };
        for _ in 0..50 {
            let (first, second) = (2 * self.0 + 2, 2 * self.0 + 3);
            self.0 += 1;
            heard(stamp(first), &[accepted(OrderId(first), Intent::BuyYes)]);
            let traded = Event::Traded {
                market,
                maker: OrderId(first),
                maker_account: account,
                taker: OrderId(second),
                taker_account: account,
                price,
                quantity,
                maker_intent: Intent::BuyYes,
                taker_intent: Intent::SellYes,
            };
            heard(stamp(second), &[accepted(OrderId(second), Intent::SellYes), traded]);
        }
        Ok(1)
    }

    fn end(&mut self) {}
}

/// The cursor of a reader that starts now. The reader has its own thread, because a mistake would be that it never ends.
fn from_now(board: &Board) -> TradeCursor {
    let shown = board.market(MARKET).expect("it is shown");
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(trades_from_now(&shown)));
    receiver.recv_timeout(Duration::from_secs(20)).expect("the reader has its position")
}

#[test]
fn a_reader_can_start_while_the_feed_catches_up() {
    let mut feed = joined(Long(0));
    (0..3).for_each(|_| _ = feed.step().expect("it can be read"));
    assert!(!feed.is_following(0));
    let cursor = from_now(feed.board());
    assert_eq!(cursor.next.sequence, Sequence(201), "after the hundredth trade");
}

/// A feed may be lapped in the middle of a batch.
#[test]
fn a_stale_shard_has_published_its_trades() {
    let board = Arc::new(Board::default());
    let mut shard = Shard::new(Arc::clone(&board), 1, KEPT);
    shard.reset(&snapshot(1));
    for sequence in 1..=100 {
        let (order, price, quantity) = (OrderId(sequence), Price::MIN, Quantity(1));
        let kind = TradeKind::Mint;
        let traded = Seen::Traded { maker: order, taker_side: Side::Ask, price, quantity, kind };
        let accepted = Seen::Accepted { order, side: Side::Bid, price, quantity };
        for (stamp, seen) in [(stamp(2 * sequence), accepted), (stamp(2 * sequence + 1), traded)] {
            shard.apply(&Record { stamp, market: MARKET, seen });
        }
    }
    shard.stale();
    assert_eq!(from_now(&board).next.sequence, Sequence(201), "after the hundredth trade");
}
