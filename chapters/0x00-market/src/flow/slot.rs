//! A market as a flow sees it: which accounts trade there, what it is worth, which orders may be
//! open.
//!
//! A flow does not match orders. It remembers only the quotes that it placed away from the going
//! price, because those are most likely still open when it wants to cancel them.

use super::orders;
use super::random::Random;
use crate::{AccountId, Cents, Command, Intent, MarketId, OrderId, Place, Quantity, Side, TimeInForce};

/// Accounts 1 to `ACCOUNTS` trade somewhere.
pub(super) const ACCOUNTS: u32 = 10_000;

/// Cash that each member of a market starts with there.
const CASH: Cents = Cents(20_000_000);

/// Pairs of shares that each holder starts with.
const HOLDER_PAIRS: u32 = 100_000;

/// The going price stays this far from 0 and from 100, in YES cents. Orders are placed closer to it
/// than that, so every price is valid.
const FAIR_MARGIN: u32 = 20;

/// How many orders it takes on average until the going price moves by a cent.
const ORDERS_PER_MOVE: u32 = 1_024;

/// One place in the list of open markets.
pub(super) struct Slot {
    pub(super) market: MarketId,
    /// Members are this many consecutive accounts, starting with `first_account` and wrapping
    /// around after the last.
    first_account: u32,
    members: u32,
    /// This many of the members, from the first, hold shares and can sell.
    holders: u32,
    /// `Place` commands so far: the id of the latest order.
    pub(super) orders_placed: u64,
    /// The going price, in YES cents.
    pub(super) fair: u32,
    quotes: Vec<Quote>,
    /// How many quotes the market tends to have.
    quotes_aim: u32,
}

/// An order that is probably open.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) account: AccountId,
    pub(super) order: OrderId,
}

/// A trader: its account, and how it trades.
#[derive(Clone, Copy)]
pub(super) struct Trader {
    pub(super) account: AccountId,
    pub(super) intent: Intent,
}

impl Slot {
    /// Opens a market of this rank of popularity, funds its members and gives the holders their shares.
    pub(super) fn open(
        to: &mut Vec<Command>,
        market: MarketId,
        rank: usize,
        first_account: u32,
        random: &mut Random,
    ) -> Slot {
        let members = (2_500 / (rank as u32 + 1)).max(64);
        let holders = members / 8;
        let fair = random.between(FAIR_MARGIN, 100 - FAIR_MARGIN);
        let mut slot = Slot {
            market,
            first_account,
            members,
            holders,
            orders_placed: 0,
            fair,
            quotes: Vec::new(),
            quotes_aim: 48 + members / 4,
        };
        to.push(Command::Open { market });
        for member in 0..members {
            let shares = if member < holders { Cents::payout(Quantity(HOLDER_PAIRS)) } else { Cents::ZERO };
            let amount = Cents(CASH.0 + shares.0);
            to.push(Command::Deposit { market, account: slot.account(member), amount, request: 0 });
        }
        let holding: Vec<AccountId> = (0..holders).map(|member| slot.account(member)).collect();
        orders::mint_in_pairs(to, market, &holding, HOLDER_PAIRS);
        slot.orders_placed = 2 * u64::from(holders);
        slot
    }

    /// The account after the last member.
    pub(super) fn next_account(&self) -> u32 {
        self.account(self.members).0
    }

    fn account(&self, member: u32) -> AccountId {
        AccountId((self.first_account - 1 + member) % ACCOUNTS + 1)
    }

    /// Any account that trades here.
    pub(super) fn member(&self, random: &mut Random) -> AccountId {
        self.account(random.below(self.members))
    }

    /// Any account that trades on this side. Holders sell half of the time, so that their shares
    /// last.
    pub(super) fn trader(&self, random: &mut Random, side: Side) -> Trader {
        // A few accounts place most of the orders.
        let holder = random.chance(2, 3);
        let account = self.account(random.below(if holder { self.holders } else { self.members }));
        let intent = match (side, holder && random.chance(1, 2)) {
            (Side::Bid, false) => Intent::BuyYes,
            (Side::Bid, true) => Intent::SellNo,
            (Side::Ask, false) => Intent::BuyNo,
            (Side::Ask, true) => Intent::SellYes,
        };
        Trader { account, intent }
    }

    /// Places an order and may move the going price.
    pub(super) fn place(
        &mut self,
        random: &mut Random,
        trader: Trader,
        yes_cents: u32,
        quantity: u32,
        time_in_force: TimeInForce,
    ) -> Place {
        self.orders_placed += 1;
        if random.chance(1, ORDERS_PER_MOVE) {
            let moved = if random.chance(1, 2) { self.fair + 1 } else { self.fair - 1 };
            self.fair = moved.clamp(FAIR_MARGIN, 100 - FAIR_MARGIN);
        }
        orders::place(self.market, trader.account, trader.intent, yes_cents, quantity, time_in_force)
    }

    /// Whether to cancel a quote next: the more there are, the more likely. At `quotes_aim` the
    /// chance is even, so the book keeps its size.
    pub(super) fn should_cancel(&self, random: &mut Random) -> bool {
        random.below(2 * self.quotes_aim) < self.quotes.len() as u32
    }

    /// Remembers the order that was just placed.
    pub(super) fn remember(&mut self, account: AccountId) {
        self.quotes.push(Quote { account, order: OrderId(self.orders_placed) });
    }

    /// Some order that is probably open.
    pub(super) fn quote(&self, random: &mut Random) -> Option<Quote> {
        self.quotes.get(random.below(self.quotes.len() as u32) as usize).copied()
    }

    /// Removes and returns an order that is probably open.
    pub(super) fn take_quote(&mut self, random: &mut Random) -> Option<Quote> {
        let at = random.below(self.quotes.len() as u32) as usize;
        (at < self.quotes.len()).then(|| self.quotes.swap_remove(at))
    }
}
