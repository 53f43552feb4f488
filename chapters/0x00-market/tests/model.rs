//! The rules of trading by example, worked out by hand: what each party pays and gets, to the cent.
//!
//! Every account starts with 10,000 cents. Where shares are needed, the accounts 8 and 9 mint them first.

mod bench;

use bench::{Bench, MARKET, cancelled, makers, rejected, trades};
use market::state::Holdings;
use market::{AccountId, CancelReason, Cents, Event, Intent, OrderId, Price, Quantity, Reason, TimeInForce, TradeKind};

use Intent::{BuyNo, BuyYes, SellNo, SellYes};
use TimeInForce::{Fok, Gtc, Ioc, PostOnly};

#[test]
fn two_buyers_mint_a_pair() {
    let mut bench = Bench::new();
    let resting = bench.place(1, BuyYes, 60, 10, Gtc);
    let (market, account, intent) = (MARKET, AccountId(1), BuyYes);
    let (price, quantity) = (Price::new(60).unwrap(), Quantity(10));
    assert_eq!(resting, [Event::Accepted { market, account, order: OrderId(1), intent, price, quantity }]);
    assert_eq!(bench.holdings(1), Holdings { cash: Cents(9_400), cash_locked: Cents(600), ..Holdings::default() });

    let events = bench.place(2, BuyNo, 40, 10, Gtc);
    let traded = Event::Traded {
        market,
        maker: OrderId(1),
        maker_account: AccountId(1),
        taker: OrderId(2),
        taker_account: AccountId(2),
        price,
        quantity,
        maker_intent: BuyYes,
        taker_intent: BuyNo,
    };
    let accepted = Event::Accepted { market, account: AccountId(2), order: OrderId(2), intent: BuyNo, price, quantity };
    assert_eq!(events, [accepted, traded]);
    assert_eq!(bench.holdings(1), Holdings { cash: Cents(9_400), yes: Quantity(10), ..Holdings::default() });
    assert_eq!(bench.holdings(2), Holdings { cash: Cents(9_600), no: Quantity(10), ..Holdings::default() });
    assert_eq!(bench.state().pot, Cents(1_000));
}

#[test]
fn a_taker_trades_at_the_makers_price_and_gets_the_difference_back() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 10, Gtc);
    // A limit of 45 cents for NO matches YES at 55; the maker pays 60, so NO costs 40.
    assert_eq!(trades(&bench.place(2, BuyNo, 45, 10, Gtc)), [(60, 10, TradeKind::Mint)]);
    assert_eq!((bench.cash(1), bench.cash(2)), (9_400, 9_600));
    assert_eq!(bench.holdings(2).cash_locked, Cents::ZERO);
}

#[test]
fn a_yes_share_changes_hands() {
    let mut bench = Bench::with_shares();
    bench.place(8, SellYes, 70, 10, Gtc);
    assert_eq!((bench.holdings(8).yes, bench.holdings(8).yes_locked), (Quantity(0), Quantity(10)));
    assert_eq!(trades(&bench.place(1, BuyYes, 75, 4, Gtc)), [(70, 4, TradeKind::Transfer)]);
    assert_eq!(bench.holdings(1), Holdings { cash: Cents(9_720), yes: Quantity(4), ..Holdings::default() });
    assert_eq!(bench.holdings(8), Holdings { cash: Cents(9_780), yes_locked: Quantity(6), ..Holdings::default() });
    assert_eq!(bench.state().pot, Cents(1_000));
}

#[test]
fn a_no_share_changes_hands() {
    let mut bench = Bench::with_shares();
    // Selling NO at 30 is a bid for YES at 70.
    bench.place(9, SellNo, 30, 10, Gtc);
    assert_eq!(bench.state().bids[0].price.cents(), 70);
    assert_eq!(bench.holdings(9).no_locked, Quantity(10));
    // Buying NO at 35 is an ask at 65; it trades at 70, and pays 30.
    assert_eq!(trades(&bench.place(1, BuyNo, 35, 10, Gtc)), [(70, 10, TradeKind::Transfer)]);
    assert_eq!(bench.holdings(1), Holdings { cash: Cents(9_700), no: Quantity(10), ..Holdings::default() });
    assert_eq!(bench.holdings(9), Holdings { cash: Cents(9_800), ..Holdings::default() });
}

#[test]
fn two_sellers_merge_a_pair() {
    let mut bench = Bench::with_shares();
    bench.place(8, SellYes, 55, 10, Gtc);
    // Selling NO at 40 is a bid at 60; it trades at 55, so NO brings 45.
    assert_eq!(trades(&bench.place(9, SellNo, 40, 6, Gtc)), [(55, 6, TradeKind::Merge)]);
    assert_eq!(bench.holdings(8), Holdings { cash: Cents(9_830), yes_locked: Quantity(4), ..Holdings::default() });
    assert_eq!(bench.holdings(9), Holdings { cash: Cents(9_770), no: Quantity(4), ..Holdings::default() });
    assert_eq!(bench.state().pot, Cents(400));
}

#[test]
fn better_prices_come_first_and_then_earlier_orders() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 40, 5, Gtc);
    bench.place(2, BuyYes, 42, 5, Gtc);
    bench.place(3, BuyYes, 42, 5, Gtc);
    bench.place(1, BuyYes, 41, 5, Gtc);
    let events = bench.place(4, BuyNo, 60, 18, Gtc);
    assert_eq!(makers(&events), [2, 3, 4, 1]);
    let prices = [(42, 5), (42, 5), (41, 5), (40, 3)].map(|(price, quantity)| (price, quantity, TradeKind::Mint));
    assert_eq!(trades(&events), prices);
    assert_eq!(bench.state().bids[0].quantity, Quantity(2));
    // NO cost 58, 58, 59 and 60 cents.
    assert_eq!(bench.cash(4), 10_000 - 5 * 58 - 5 * 58 - 5 * 59 - 3 * 60);

    let mut bench = Bench::new();
    bench.place(1, BuyNo, 40, 5, Gtc);
    bench.place(2, BuyNo, 42, 5, Gtc);
    bench.place(3, BuyNo, 42, 5, Gtc);
    let events = bench.place(4, BuyYes, 60, 12, Gtc);
    assert_eq!(makers(&events), [2, 3, 1]);
    assert_eq!(trades(&events)[2], (60, 2, TradeKind::Mint));
}

#[test]
fn what_an_order_does_not_match_rests() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 4, Gtc);
    bench.place(2, BuyNo, 45, 10, Gtc);
    let [ask] = bench.state().asks[..] else { panic!("one ask rests") };
    assert_eq!((ask.order, ask.price.cents(), ask.quantity), (OrderId(2), 55, Quantity(6)));
    assert_eq!(bench.holdings(2).cash_locked, Cents(6 * 45));
    assert_eq!(bench.cash(2), 10_000 - 4 * 40 - 6 * 45);
}

#[test]
fn an_order_stops_at_one_of_its_own_account() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 4, Gtc);
    bench.place(2, BuyYes, 59, 5, Gtc);
    bench.place(3, BuyYes, 58, 5, Gtc);
    let events = bench.place(2, BuyNo, 50, 10, Gtc);
    assert_eq!(makers(&events), [1]);
    assert_eq!(events.last(), Some(&cancelled(2, 4, 6, CancelReason::SelfTrade)));
    let orders: Vec<u64> = bench.state().bids.iter().map(|order| order.order.0).collect();
    assert_eq!(orders, [2, 3], "what rests stays");
    assert!(bench.state().asks.is_empty());
    assert_eq!(bench.holdings(2).cash_locked, Cents(5 * 59));
    // An order that is filled before it gets there does not meet it.
    bench.place(1, BuyYes, 60, 2, Gtc);
    assert_eq!(makers(&bench.place(2, BuyNo, 41, 2, Gtc)), [5]);
    assert_eq!(bench.state().bids.len(), 2);
}

#[test]
fn immediate_or_cancel_never_rests() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 4, Gtc);
    let events = bench.place(2, BuyNo, 40, 10, Ioc);
    assert_eq!(trades(&events), [(60, 4, TradeKind::Mint)]);
    assert_eq!(events.last(), Some(&cancelled(2, 2, 6, CancelReason::ImmediateOrCancel)));
    assert_eq!(bench.holdings(2), Holdings { cash: Cents(9_840), no: Quantity(4), ..Holdings::default() });
    let events = bench.place(2, BuyNo, 40, 10, Ioc);
    assert_eq!(events[1..], [cancelled(2, 3, 10, CancelReason::ImmediateOrCancel)]);
}

#[test]
fn fill_or_kill_trades_whole_or_not_at_all() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 4, Gtc);
    bench.place(3, BuyYes, 59, 4, Gtc);
    assert_eq!(bench.place(2, BuyNo, 40, 5, Fok), rejected(Reason::CannotFill), "59 is out of its reach");
    assert_eq!(bench.holdings(2), Holdings { cash: Cents(10_000), ..Holdings::default() });
    assert_eq!(bench.place(2, BuyNo, 41, 9, Fok), rejected(Reason::CannotFill));
    assert_eq!(trades(&bench.place(2, BuyNo, 41, 8, Fok)).len(), 2);
    // Its own order in the way is where it would have to stop.
    bench.place(1, BuyYes, 60, 4, Gtc);
    bench.place(2, BuyYes, 59, 4, Gtc);
    bench.place(1, BuyYes, 58, 4, Gtc);
    assert_eq!(bench.place(2, BuyNo, 45, 5, Fok), rejected(Reason::CannotFill));
    assert_eq!(trades(&bench.place(2, BuyNo, 45, 4, Fok)), [(60, 4, TradeKind::Mint)]);
}

#[test]
fn post_only_is_always_a_maker() {
    let mut bench = Bench::new();
    bench.place(1, BuyYes, 60, 4, Gtc);
    assert_eq!(bench.place(2, BuyNo, 40, 1, PostOnly), rejected(Reason::WouldCross));
    assert_eq!(bench.place(1, BuyNo, 40, 1, PostOnly), rejected(Reason::WouldCross), "also with its own");
    assert_eq!(bench.place(2, BuyNo, 39, 1, PostOnly).len(), 1);
    assert_eq!(bench.state().asks[0].price.cents(), 61);
}

#[test]
fn a_cancel_gives_back_what_was_locked() {
    let mut bench = Bench::with_shares();
    bench.place(1, BuyYes, 60, 10, Gtc);
    bench.place(2, BuyNo, 40, 3, Gtc);
    assert_eq!(bench.cancel(1, 3), [cancelled(1, 3, 7, CancelReason::Requested)]);
    assert_eq!(bench.holdings(1), Holdings { cash: Cents(9_820), yes: Quantity(3), ..Holdings::default() });
    assert_eq!(bench.cancel(1, 3), rejected(Reason::UnknownOrder));
    bench.place(8, SellYes, 90, 10, Gtc);
    bench.cancel(8, 5);
    assert_eq!(bench.holdings(8).yes, Quantity(10));
}
