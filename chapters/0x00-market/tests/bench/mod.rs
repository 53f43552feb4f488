//! A market to work examples on: few accounts, 10,000 cents each.

// Each test file uses its own part of this one, and an `unwrap` in a test is an assertion.
#![allow(dead_code, clippy::unwrap_used)]

use market::model::Model;
use market::state::{Holdings, MarketState};
use market::{
    AccountId, CancelReason, Cents, Command, Event, Intent, MarketId, OrderId, Outcome, Place, Quantity, Reason,
    TimeInForce, TradeKind,
};

use Intent::{BuyNo, BuyYes};
use TimeInForce::Gtc;

pub const MARKET: MarketId = MarketId(7);
pub const ACCOUNTS: [u32; 6] = [1, 2, 3, 4, 8, 9];

/// One open market whose accounts have 10,000 cents each.
pub struct Bench(pub Model);

impl Bench {
    pub fn new() -> Bench {
        let mut bench = Bench(Model::default());
        assert_eq!(bench.0.apply(&Command::Open { market: MARKET }), [Event::Opened { market: MARKET }]);
        for account in ACCOUNTS {
            bench.deposit(account, 10_000);
        }
        bench
    }

    /// The same, and account 8 has 10 YES, account 9 has 10 NO; each paid 50 cents a share.
    pub fn with_shares() -> Bench {
        let mut bench = Bench::new();
        bench.place(8, BuyYes, 50, 10, Gtc);
        bench.place(9, BuyNo, 50, 10, Gtc);
        assert_eq!(bench.holdings(8), Holdings { cash: Cents(9_500), yes: Quantity(10), ..Holdings::default() });
        assert_eq!(bench.holdings(9), Holdings { cash: Cents(9_500), no: Quantity(10), ..Holdings::default() });
        bench
    }

    pub fn deposit(&mut self, account: u32, amount: u64) -> Vec<Event> {
        self.0.apply(&Command::Deposit {
            market: MARKET,
            account: AccountId(account),
            amount: Cents(amount),
            request: 0,
        })
    }

    pub fn withdraw(&mut self, account: u32, amount: u64) -> Vec<Event> {
        self.0.apply(&Command::Withdraw {
            market: MARKET,
            account: AccountId(account),
            amount: Cents(amount),
            request: 0,
        })
    }

    pub fn place(
        &mut self,
        account: u32,
        intent: Intent,
        price: u8,
        quantity: u32,
        time_in_force: TimeInForce,
    ) -> Vec<Event> {
        let account = AccountId(account);
        self.0.apply(&Command::Place(Place {
            market: MARKET,
            account,
            intent,
            price,
            quantity,
            time_in_force,
            client_order_id: 0,
        }))
    }

    pub fn cancel(&mut self, account: u32, order: u64) -> Vec<Event> {
        self.0.apply(&Command::Cancel {
            market: MARKET,
            account: AccountId(account),
            order: OrderId(order),
            request: 0,
        })
    }

    pub fn resolve(&mut self, outcome: Outcome) -> Vec<Event> {
        self.0.apply(&Command::Resolve { market: MARKET, outcome })
    }

    pub fn state(&self) -> MarketState {
        self.0.state().markets.remove(&MARKET).unwrap()
    }

    pub fn holdings(&self, account: u32) -> Holdings {
        self.state().accounts[&AccountId(account)]
    }

    pub fn cash(&self, account: u32) -> u64 {
        self.holdings(account).cash.0
    }
}

/// Price, quantity and kind of every trade among the events.
pub fn trades(events: &[Event]) -> Vec<(u8, u32, TradeKind)> {
    let trade = |event: &Event| match *event {
        Event::Traded { price, quantity, maker_intent, taker_intent, .. } => {
            Some((price.cents(), quantity.0, TradeKind::of(maker_intent, taker_intent)))
        }
        _ => None,
    };
    events.iter().filter_map(trade).collect()
}

/// The makers of the trades among the events.
pub fn makers(events: &[Event]) -> Vec<u64> {
    let maker = |event: &Event| match *event {
        Event::Traded { maker, .. } => Some(maker.0),
        _ => None,
    };
    events.iter().filter_map(maker).collect()
}

pub fn cancelled(account: u32, order: u64, quantity: u32, reason: CancelReason) -> Event {
    let (account, order, quantity) = (AccountId(account), OrderId(order), Quantity(quantity));
    Event::Cancelled { market: MARKET, account, order, quantity, reason }
}

pub fn rejected(reason: Reason) -> Vec<Event> {
    vec![Event::Rejected { market: MARKET, reason }]
}
