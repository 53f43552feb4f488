//! Streams of commands for the tests: few markets, accounts, orders and prices, so that orders meet, cross,
//! trade with themselves and fail in every way the rules know.
//!
//! A command is made from a handful of small numbers. `proptest` draws them and shrinks them, and a seeded
//! generator draws them where millions are needed; both make the same commands.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use proptest::prelude::Strategy;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use market::{
    AccountId, CancelReason, Cents, Command, Event, Intent, MarketId, OrderId, Outcome, Place, Reason, TimeInForce,
    TradeKind,
};

/// Small numbers that become one command: the kind, then market, account, way, price and amount.
pub type Draw = (u8, u8, u8, u8, u8, u16);

const KINDS: Range<u8> = 0..100;
const MARKETS: Range<u8> = 0..16;
const ACCOUNTS: Range<u8> = 0..5;
const WAYS: Range<u8> = 0..16;
const PRICES: Range<u8> = 0..64;
const AMOUNTS: Range<u16> = 0..1_024;

/// The command that these numbers stand for.
pub fn command((kind, market, account, way, price, amount): Draw) -> Command {
    // Most of a stream happens in market 0; market 3 is never opened by the prologue.
    let market = MarketId(u32::from(market.saturating_sub(12)));
    let account = AccountId(u32::from(account));
    // Some requests have no number, some a large one.
    let number = u64::from(amount % 8) << (price % 58);
    let command = match kind {
        0..70 => Command::Place(Place {
            market,
            account,
            intent: Intent::ALL[usize::from(way % 4)],
            client_order_id: 0,
            // Mostly near the middle, sometimes any price, sometimes out of range.
            price: match price {
                0..40 => 40 + price % 20,
                40..62 => 1 + (price - 40) * 4,
                _ => 100 * (price - 62),
            },
            quantity: match amount {
                0 => 0,
                1..1_000 => u32::from(amount % 20 + 1),
                1_000..1_020 => u32::from(amount),
                _ => u32::MAX,
            },
            time_in_force: TimeInForce::ALL[usize::from(way / 4)],
        }),
        70..84 => Command::Cancel { market, account, order: OrderId(u64::from(amount % 64)), request: 0 },
        84..92 => Command::Deposit { market, account, amount: cents(amount), request: 0 },
        92..97 => Command::Withdraw { market, account, amount: cents(amount), request: 0 },
        97..99 => Command::Open { market },
        // Rare, because it ends a market.
        _ if amount.is_multiple_of(4) => Command::Resolve { market, outcome: Outcome::ALL[usize::from(way % 2)] },
        _ => Command::Cancel { market, account, order: OrderId(u64::from(amount)), request: 0 },
    };
    command.with_request(number)
}

fn cents(amount: u16) -> Cents {
    match amount {
        0..1_000 => Cents(u64::from(amount) * 7),
        1_000..1_010 => Cents(0),
        1_010..1_018 => Cents::MARKET_MAX,
        _ => Cents(u64::MAX),
    }
}

/// The beginning of most streams, because without a market and money everything is rejected.
pub fn prologue() -> Vec<Command> {
    let mut commands = Vec::new();
    for market in [0, 1].map(MarketId) {
        commands.push(Command::Open { market });
        for account in [1, 2, 3, 4].map(AccountId) {
            commands.push(Command::Deposit { market, account, amount: Cents(20_000), request: 0 });
        }
    }
    commands
}

/// Commands to run; printed one a line.
#[derive(Clone, PartialEq, Eq)]
pub struct Stream(pub Vec<Command>);

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} commands:", self.0.len())?;
        self.0.iter().enumerate().try_for_each(|(at, command)| writeln!(f, "{:5}  {command:?}", at + 1))
    }
}

/// A stream of up to `length_max` commands; seven in eight begin with the prologue.
pub fn streams(length_max: usize) -> impl Strategy<Value = Stream> {
    let draws = proptest::collection::vec((KINDS, MARKETS, ACCOUNTS, WAYS, PRICES, AMOUNTS), 1..=length_max);
    (0..8_u8, draws).prop_map(|(without, draws)| {
        let mut commands = if without == 7 { Vec::new() } else { prologue() };
        commands.extend(draws.into_iter().map(command));
        Stream(commands)
    })
}

/// A seeded source of numbers, the same on every machine.
pub struct Random(Pcg64Mcg);

impl Random {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Random {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number below `end`, which is not 0. The bias of the remainder does not matter to a test.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A command like those of [`streams`].
    pub fn command(&mut self) -> Command {
        let mut byte = |range: Range<u8>| self.below(u64::from(range.end)) as u8;
        let (kind, market, account, way, price) =
            (byte(KINDS), byte(MARKETS), byte(ACCOUNTS), byte(WAYS), byte(PRICES));
        command((kind, market, account, way, price, self.below(u64::from(AMOUNTS.end)) as u16))
    }

    /// The prologue and then commands, `length` in all.
    pub fn stream(&mut self, length: usize) -> Vec<Command> {
        let mut commands = prologue();
        commands.resize_with(length.max(commands.len()), || self.command());
        commands.truncate(length);
        commands
    }
}

/// Which reasons and kinds of trade have occurred, so that a test can check that it met them all.
#[derive(Default)]
pub struct Met {
    rejected: BTreeSet<Reason>,
    cancelled: BTreeSet<CancelReason>,
    traded: BTreeSet<TradeKind>,
    accepted: BTreeSet<Intent>,
}

impl Met {
    /// Takes note of an event.
    pub fn note(&mut self, event: &Event) {
        match *event {
            Event::Rejected { reason, .. } => drop(self.rejected.insert(reason)),
            Event::Cancelled { reason, .. } => drop(self.cancelled.insert(reason)),
            Event::Traded { maker_intent, taker_intent, .. } => {
                self.traded.insert(TradeKind::of(maker_intent, taker_intent));
            }
            Event::Accepted { intent, .. } => drop(self.accepted.insert(intent)),
            _ => {}
        }
    }

    /// Panics unless everything occurred.
    ///
    /// # Panics
    /// When something never occurred: then the streams are too tame to prove anything.
    pub fn assert_all(&self) {
        let kinds = [TradeKind::Mint, TradeKind::Merge, TradeKind::Transfer];
        assert!(self.rejected.iter().eq(Reason::ALL), "only these rejections: {:?}", self.rejected);
        assert!(self.cancelled.iter().eq(CancelReason::ALL), "only these cancellations: {:?}", self.cancelled);
        assert!(self.traded.iter().eq(&kinds), "only these trades: {:?}", self.traded);
        assert!(self.accepted.iter().eq(Intent::ALL), "only these intents: {:?}", self.accepted);
    }
}
