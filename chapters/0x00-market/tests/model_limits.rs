//! What the rules do not allow, and how a market ends: each reason once, and which one takes
//! precedence.

mod bench;

use bench::{ACCOUNTS, Bench, MARKET, cancelled, rejected};
use market::state::Holdings;
use market::{AccountId, CancelReason, Cents, Command, Event, Intent, MarketId, OrderId, Outcome, Reason, TimeInForce};

use Intent::{BuyNo, BuyYes, SellNo, SellYes};
use TimeInForce::{Fok, Gtc, PostOnly};

#[test]
fn resolving_cancels_pays_and_closes() {
    let mut bench = Bench::with_shares();
    bench.place(1, BuyYes, 30, 1, Gtc);
    bench.place(2, BuyYes, 40, 1, Gtc);
    bench.place(8, SellYes, 90, 4, Gtc);
    bench.place(3, BuyNo, 20, 2, Gtc);
    let paid = Event::Paid { market: MARKET, account: AccountId(8), amount: Cents(1_000) };
    let expected = [
        cancelled(2, 4, 1, CancelReason::Resolved),
        cancelled(1, 3, 1, CancelReason::Resolved),
        cancelled(3, 6, 2, CancelReason::Resolved),
        cancelled(8, 5, 4, CancelReason::Resolved),
        paid,
        Event::Resolved { market: MARKET, outcome: Outcome::Yes, paid: Cents(1_000) },
    ];
    assert_eq!(bench.resolve(Outcome::Yes), expected);
    assert_eq!(bench.holdings(8), Holdings { cash: Cents(10_500), ..Holdings::default() });
    assert_eq!(bench.holdings(9), Holdings { cash: Cents(9_500), ..Holdings::default() });
    assert_eq!((bench.state().pot, bench.state().closed), (Cents::ZERO, true));

    // All that is left is to withdraw the money.
    assert_eq!(bench.withdraw(8, 10_501), rejected(Reason::InsufficientCash));
    assert_eq!(bench.withdraw(8, 10_500).len(), 1);
    assert_eq!(bench.cash(8), 0);
    for events in
        [bench.deposit(1, 1), bench.place(1, BuyYes, 1, 1, Gtc), bench.cancel(1, 3), bench.resolve(Outcome::No)]
    {
        assert_eq!(events, rejected(Reason::MarketClosed));
    }
    assert_eq!(bench.0.apply(&Command::Open { market: MARKET }), rejected(Reason::MarketExists));
}

#[test]
fn the_no_side_can_win() {
    let mut bench = Bench::with_shares();
    let events = bench.resolve(Outcome::No);
    assert_eq!(events[0], Event::Paid { market: MARKET, account: AccountId(9), amount: Cents(1_000) });
    assert_eq!((bench.cash(8), bench.cash(9)), (9_500, 10_500));
    let mut empty = Bench::new();
    assert_eq!(empty.resolve(Outcome::No).len(), 1, "there is no one to pay");
}

#[test]
fn every_reason_has_its_case() {
    let mut bench = Bench::with_shares();
    let other = MarketId(8);
    let unknown = bench.0.apply(&Command::Resolve { market: other, outcome: Outcome::Yes });
    assert_eq!(unknown, [Event::Rejected { market: other, reason: Reason::UnknownMarket }]);
    assert_eq!(bench.0.apply(&Command::Open { market: MARKET }), rejected(Reason::MarketExists));
    for price in [0, 100, 255] {
        assert_eq!(bench.place(1, BuyYes, price, 1, Gtc), rejected(Reason::BadPrice));
    }
    assert_eq!(bench.place(1, BuyYes, 50, 0, Gtc), rejected(Reason::ZeroQuantity));
    assert_eq!(bench.deposit(1, 0), rejected(Reason::AmountOutOfRange));
    assert_eq!(bench.deposit(1, u64::MAX), rejected(Reason::AmountOutOfRange));
    assert_eq!(bench.withdraw(1, 0), rejected(Reason::AmountOutOfRange));
    assert_eq!(bench.withdraw(1, 10_001), rejected(Reason::InsufficientCash));
    assert_eq!(bench.withdraw(77, 1), rejected(Reason::InsufficientCash), "an account that does not exist");
    assert_eq!(bench.place(1, BuyYes, 50, 201, Gtc), rejected(Reason::InsufficientCash));
    assert_eq!(bench.place(1, BuyNo, 99, u32::MAX, Gtc), rejected(Reason::InsufficientCash));
    assert_eq!(bench.place(8, SellYes, 50, 11, Gtc), rejected(Reason::InsufficientShares));
    assert_eq!(bench.place(8, SellNo, 50, 1, Gtc), rejected(Reason::InsufficientShares));
    assert_eq!(bench.place(77, SellNo, 50, 1, Gtc), rejected(Reason::InsufficientShares));
    assert_eq!(bench.cancel(1, 1), rejected(Reason::UnknownOrder), "it was filled");
    assert_eq!(bench.cancel(1, 0), rejected(Reason::UnknownOrder));
    bench.place(1, BuyYes, 50, 1, Gtc);
    let order = bench.state().orders_placed;
    assert_eq!(bench.cancel(2, order), rejected(Reason::NotTheOwner));
    assert_eq!(bench.place(2, BuyNo, 50, 1, PostOnly), rejected(Reason::WouldCross));
    assert_eq!(bench.place(2, BuyNo, 50, 2, Fok), rejected(Reason::CannotFill));
    assert!(!bench.state().accounts.contains_key(&AccountId(77)), "a rejected command leaves no account behind");
}

#[test]
fn the_first_reason_in_the_list_is_given() {
    let mut bench = Bench::with_shares();
    bench.place(1, BuyYes, 60, 1, Gtc);
    let steps = [
        (bench.place(77, BuyNo, 0, 0, PostOnly), Reason::BadPrice),
        (bench.place(77, BuyNo, 50, 0, PostOnly), Reason::ZeroQuantity),
        (bench.place(77, BuyNo, 50, 1, PostOnly), Reason::InsufficientCash),
        (bench.place(77, SellYes, 50, 1, PostOnly), Reason::InsufficientShares),
        (bench.place(77, BuyNo, 50, 9, Fok), Reason::InsufficientCash),
        (bench.place(2, BuyNo, 50, 1, PostOnly), Reason::WouldCross),
        (bench.cancel(2, 99), Reason::UnknownOrder),
    ];
    for (events, reason) in steps {
        assert_eq!(events, rejected(reason));
    }
    bench.resolve(Outcome::Yes);
    assert_eq!(bench.place(77, BuyNo, 0, 0, Fok), rejected(Reason::MarketClosed));
    assert_eq!(bench.deposit(1, 0), rejected(Reason::MarketClosed));
    assert_eq!(bench.withdraw(1, 0), rejected(Reason::AmountOutOfRange), "withdrawing is still possible");
}

#[test]
fn an_order_is_numbered_by_its_place_among_the_places() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 0, 1, Gtc);
    bench.deposit(1, 1);
    bench.place(1, BuyYes, 10, 1, Gtc);
    bench.cancel(1, 2);
    bench.place(1, BuyYes, 10, 1, Gtc);
    assert_eq!(bench.state().bids[0].order, OrderId(3));
    bench.resolve(Outcome::Yes);
    bench.place(1, BuyYes, 10, 1, Gtc);
    assert_eq!(bench.state().orders_placed, 4);
}

#[test]
fn a_market_refuses_cash_above_its_maximum() {
    let mut bench = Bench::new();
    let room = Cents::MARKET_MAX.0 - 10_000 * ACCOUNTS.len() as u64;
    assert_eq!(bench.deposit(1, room + 1), rejected(Reason::AmountOutOfRange));
    assert_eq!(bench.deposit(1, room).len(), 1);
    assert_eq!(bench.deposit(2, 1), rejected(Reason::AmountOutOfRange));
    assert_eq!(bench.withdraw(1, 1).len(), 1);
    assert_eq!(bench.deposit(2, 1).len(), 1);
    // The dearest order there is.
    assert_eq!(bench.place(1, BuyYes, 99, u32::MAX, Gtc).len(), 1);
    assert_eq!(bench.holdings(1).cash_locked, Cents(99 * u64::from(u32::MAX)));
    assert_eq!(bench.place(1, BuyYes, 99, u32::MAX, Gtc), rejected(Reason::InsufficientCash));
}
