//! `venue`: a day at a venue. `burst` is the same with another popularity.
//!
//! Market makers place quotes around a price that wanders, and cancel them; other people trade at
//! that price or through it; cash comes in and goes out; now and then a market is resolved and a
//! new one replaces it; and three commands in a hundred are mistakes.

use super::mistakes;
use super::popularity::{MARKETS, Popularity};
use super::random::Random;
use super::slot::Slot;
use crate::{AccountId, Cents, Command, MarketId, Outcome, Side, TimeInForce};

/// A random number below this decides what comes next.
const PARTS: u32 = 10_000;
/// Below this a quote is placed or cancelled, each about half of the time.
const QUOTE: u32 = 6_800;
/// From there up to here an order is placed at the going price.
const TRADE: u32 = QUOTE + 1_900;
/// An order is placed well through the going price.
const SWEEP: u32 = TRADE + 700;
/// Cash comes in.
const DEPOSIT: u32 = SWEEP + 160;
/// Cash goes out.
const WITHDRAW: u32 = DEPOSIT + 139;
/// A market is resolved, with all that this causes. The rest, up to `PARTS`, are mistakes.
const RESOLVE: u32 = WITHDRAW + 1;

/// How many accounts take money out of a market right after it is resolved.
const LEAVING: u32 = 8;

/// The setup and the body of a flow with this popularity.
pub(super) fn generate(popularity: &Popularity, orders: usize, seed: u64) -> (Vec<Command>, Vec<Command>) {
    let mut setup = Vec::new();
    let mut venue = Venue::open(&mut setup, Random::new(seed));
    let mut body = Vec::with_capacity(orders);
    while body.len() < orders {
        venue.next(&mut body, popularity);
    }
    // A resolution adds several commands at once.
    body.truncate(orders);
    (setup, body)
}

struct Venue {
    random: Random,
    /// The open markets by their rank of popularity.
    slots: Vec<Slot>,
    /// A market that was resolved.
    closed: MarketId,
    /// The id of the next market to open.
    next_market: MarketId,
    /// Where the next market's members start.
    next_account: u32,
}

impl Venue {
    fn open(setup: &mut Vec<Command>, random: Random) -> Venue {
        let slots = Vec::with_capacity(MARKETS);
        let mut venue = Venue { random, slots, closed: MarketId(0), next_market: MarketId(1), next_account: 1 };
        for rank in 0..MARKETS {
            let slot = venue.open_market(setup, rank);
            venue.slots.push(slot);
        }
        // One market is closed from the start, so that commands can arrive too late for it.
        let (market, account) = (venue.take_market_id(), AccountId(1));
        setup.push(Command::Open { market });
        setup.push(Command::Deposit { market, account, amount: Cents(100_000), request: 0 });
        setup.push(Command::Resolve { market, outcome: Outcome::Yes });
        venue.closed = market;
        venue
    }

    fn open_market(&mut self, to: &mut Vec<Command>, rank: usize) -> Slot {
        let market = self.take_market_id();
        let slot = Slot::open(to, market, rank, self.next_account, &mut self.random);
        self.next_account = slot.next_account();
        slot
    }

    fn take_market_id(&mut self) -> MarketId {
        let market = self.next_market;
        self.next_market.0 += 1;
        market
    }

    /// Appends what happens next: one command, or a resolution with all that it causes.
    #[inline]
    fn next(&mut self, to: &mut Vec<Command>, popularity: &Popularity) {
        let rank = popularity.draw(&mut self.random);
        let (slot, random) = (&mut self.slots[rank], &mut self.random);
        let market = slot.market;
        let command = match random.below(PARTS) {
            0..QUOTE => quote_or_cancel(slot, random),
            QUOTE..TRADE => trade(slot, random),
            TRADE..SWEEP => sweep(slot, random),
            SWEEP..DEPOSIT => {
                let amount = Cents(u64::from(random.between(1, 500)) * 1_000);
                Command::Deposit { market, account: slot.member(random), amount, request: 0 }
            }
            DEPOSIT..WITHDRAW => {
                let amount = Cents(u64::from(random.between(1, 100_000)));
                Command::Withdraw { market, account: slot.member(random), amount, request: 0 }
            }
            WITHDRAW..RESOLVE => return self.resolve(to),
            _ => mistakes::make(slot, self.closed, random),
        };
        to.push(command);
    }

    /// Resolves any market except the most popular one, whose event is still going on, and opens
    /// another in its place.
    fn resolve(&mut self, to: &mut Vec<Command>) {
        let rank = self.random.between(1, MARKETS as u32 - 1) as usize;
        let (slot, random) = (&self.slots[rank], &mut self.random);
        let market = slot.market;
        let outcome = if random.chance(slot.fair, 100) { Outcome::Yes } else { Outcome::No };
        to.push(Command::Resolve { market, outcome });
        for _ in 0..LEAVING {
            let amount = Cents(u64::from(random.between(1, 100_000)));
            to.push(Command::Withdraw { market, account: slot.member(random), amount, request: 0 });
        }
        self.closed = market;
        self.slots[rank] = self.open_market(to, rank);
    }
}

/// Market making: places a quote away from the going price, or cancels one.
fn quote_or_cancel(slot: &mut Slot, random: &mut Random) -> Command {
    if slot.should_cancel(random)
        && let Some(quote) = slot.take_quote(random)
    {
        return Command::Cancel { market: slot.market, account: quote.account, order: quote.order, request: 0 };
    }
    let side = any_side(random);
    // From 3 to 17, most often in the middle: far enough that most of them rest until cancelled.
    let away = 3 + random.below(8) + random.below(8);
    let time_in_force = if random.chance(1, 4) { TimeInForce::PostOnly } else { TimeInForce::Gtc };
    let (trader, quantity) = (slot.trader(random, side), size(random));
    let place = slot.place(random, trader, behind(slot.fair, side, away), quantity, time_in_force);
    slot.remember(place.account);
    Command::Place(place)
}

/// An order within a cent of the going price. What rests of it meets the next orders.
fn trade(slot: &mut Slot, random: &mut Random) -> Command {
    let side = any_side(random);
    let yes_cents = slot.fair - 1 + random.below(3);
    let (trader, quantity) = (slot.trader(random, side), size(random));
    Command::Place(slot.place(random, trader, yes_cents, quantity, TimeInForce::Gtc))
}

/// An order in a hurry: through the going price, and nothing of it rests.
fn sweep(slot: &mut Slot, random: &mut Random) -> Command {
    let side = any_side(random);
    let yes_cents = behind(slot.fair, side.opposite(), 5);
    let (trader, quantity) = (slot.trader(random, side), size(random));
    let (time_in_force, quantity) =
        if random.chance(1, 3) { (TimeInForce::Fok, quantity) } else { (TimeInForce::Ioc, 2 * quantity) };
    Command::Place(slot.place(random, trader, yes_cents, quantity, time_in_force))
}

/// The price this far from the going price, on the side where it does not trade.
fn behind(fair: u32, side: Side, away: u32) -> u32 {
    match side {
        Side::Bid => fair - away,
        Side::Ask => fair + away,
    }
}

fn any_side(random: &mut Random) -> Side {
    if random.chance(1, 2) { Side::Bid } else { Side::Ask }
}

/// Most orders are small, one in sixteen is large.
fn size(random: &mut Random) -> u32 {
    if random.chance(1, 16) { 50 * random.between(1, 10) } else { random.between(1, 40) }
}
