//! The cost of generality where it is not needed: the orders of part I's `classic`, with prices in ticks, run through
//! the book of 0x05 and through the ladder. Neither has accounts, so both do only a book's work.

use std::time::Instant;

use ch05::accounts::{Accounts, Holder};
use ch05::book::{Book as ArrayBook, Fate, Fill, Order};
use market::{AccountId, Cents, Command as MarketCommand, Intent, OrderId, Price as CentPrice};
use results::record::Spread;

use crate::contract::{Book, Command, Event, Receiver, Side, TimeInForce};
use crate::ladder::Ladder;
use results::record::ClassicRecord;

/// The quantities of all fills by price, and how many orders rested: both books must agree.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Sum {
    traded: u64,
    rested: u64,
}

impl Sum {
    fn fill(&mut self, price: u64, quantity: u32) {
        self.traded = self.traded.rotate_left(1) ^ (price << 32 | u64::from(quantity));
    }
}

impl Receiver for Sum {
    #[inline]
    fn event(&mut self, event: Event) {
        match event {
            Event::Filled { price, quantity, .. } => self.fill(price as u64, quantity),
            Event::Rested { .. } => self.rested += 1,
            _ => {}
        }
    }
}

/// The same orders in both formats.
struct Orders {
    array: Vec<(Order, market::TimeInForce)>,
    ladder: Vec<Command>,
}

fn orders(count: usize) -> Orders {
    let flow = market::flow::generate(market::flow::FlowName::Classic, count, 1);
    // No order meets one of its own account if each side has one owner.
    let holders = two_holders();
    let mut orders = Orders { array: Vec::new(), ladder: Vec::new() };
    for place in flow.body.iter().filter_map(|command| match command {
        MarketCommand::Place(place) => Some(place),
        _ => None,
    }) {
        let Some(price) = CentPrice::new(place.price).map(|price| place.intent.in_yes_cents(price)) else { continue };
        let side = place.intent.side();
        let id = orders.array.len() as u64 + 1;
        let intent = if side == market::Side::Bid { Intent::BuyYes } else { Intent::SellYes };
        let quantity = market::Quantity(place.quantity);
        let holder = holders[side as usize];
        orders.array.push((Order { id: OrderId(id), holder, intent, price, quantity }, place.time_in_force));
        orders.ladder.push(Command::Limit {
            id,
            side: if side == market::Side::Bid { Side::Bid } else { Side::Ask },
            price: i64::from(price.cents()),
            quantity: place.quantity,
            time_in_force: match place.time_in_force {
                market::TimeInForce::Gtc => TimeInForce::Gtc,
                market::TimeInForce::Ioc => TimeInForce::Ioc,
                market::TimeInForce::Fok => TimeInForce::Fok,
                market::TimeInForce::PostOnly => TimeInForce::PostOnly,
            },
        });
    }
    orders
}

fn two_holders() -> [Holder; 2] {
    let mut accounts = Accounts::default();
    [1, 2].map(|account| {
        let account = AccountId(account);
        accounts.deposit(account, Cents(1));
        accounts.find(account).unwrap_or_default()
    })
}

#[inline(never)]
fn run_array(orders: &Orders) -> (f64, Sum) {
    let (mut book, mut fills, mut sum) = (ArrayBook::default(), Vec::<Fill>::new(), Sum::default());
    let start = Instant::now();
    for (order, time_in_force) in &orders.array {
        let fate = book.place(order, *time_in_force, &mut fills);
        fills.iter().for_each(|fill| sum.fill(fill.price.cents().into(), fill.quantity.0));
        sum.rested += u64::from(fate == Ok(Fate::Rested));
    }
    (start.elapsed().as_nanos() as f64 / orders.array.len().max(1) as f64, sum)
}

#[inline(never)]
fn run_ladder(orders: &Orders) -> (f64, Sum) {
    let (mut book, mut sum) = (Ladder::default(), Sum::default());
    let start = Instant::now();
    for &command in &orders.ladder {
        book.apply(command, &mut sum);
    }
    (start.elapsed().as_nanos() as f64 / orders.ladder.len().max(1) as f64, sum)
}

/// The book that replays the orders when valgrind counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replayed {
    /// The book of 0x05.
    Array,
    /// This chapter's book.
    Ladder,
}

impl Replayed {
    /// Both.
    pub const ALL: [Replayed; 2] = [Replayed::Array, Replayed::Ladder];

    /// Its name on the command line, and in the record of its counts.
    pub fn word(self) -> &'static str {
        match self {
            Replayed::Array => "classic-array",
            Replayed::Ladder => "classic-ladder",
        }
    }
}

/// Runs one book once. Returns how many orders it got.
pub fn replay(book: Replayed, count: usize) -> usize {
    let orders = orders(count);
    match book {
        Replayed::Array => run_array(&orders),
        Replayed::Ladder => run_ladder(&orders),
    };
    orders.array.len()
}

/// How many of this many commands are orders.
pub fn placed(count: usize) -> usize {
    orders(count).array.len()
}

/// Runs both in turn, after a warm-up round.
///
/// # Errors
/// Their results, if they differ.
pub fn measure(count: usize, rounds: u32) -> Result<ClassicRecord, String> {
    let orders = orders(count);
    let (mut array_ns, mut ladder_ns) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (array, ladder) = (run_array(&orders), run_ladder(&orders));
        if array.1 != ladder.1 {
            return Err(format!("classic: 0x05 answered {:?}, and the ladder {:?}", array.1, ladder.1));
        }
        if round > 0 {
            array_ns.push(array.0);
            ladder_ns.push(ladder.0);
        }
    }
    let ratio: Vec<f64> = ladder_ns.iter().zip(&array_ns).map(|(ladder, array)| ladder / array).collect();
    let spread = |rounds: &[f64]| Spread::of(rounds).ok_or("classic: a round gave no result");
    Ok(ClassicRecord {
        orders: orders.array.len(),
        array_ns: spread(&array_ns)?,
        ladder_ns: spread(&ladder_ns)?,
        ratio: spread(&ratio)?,
    })
}
