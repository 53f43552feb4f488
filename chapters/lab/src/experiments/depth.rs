//! Long queues and many levels: the tree of 0x04 against the array of 0x05.
//!
//! **Expected:** a tree gets slower as the book gets deeper, and an array does not.
//!
//! **Compared:** both engines in memory, the same commands. `match_depth`: one price with 1 to 1,000 orders; an order
//! joins at the end, another trades with the first. `match_levels`: 10 to 99 prices with ten orders each; an order
//! joins at any of them, another trades with the best. `cancel_depth`: one price again; an order joins, and any order
//! leaves.
//!
//! **Left out:** the log, and books that do not fit into the cache.

use market::{AccountId, Cents, Command, Event, Intent, MarketId, OrderId, Place, TimeInForce};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, timed};
use crate::pattern::Pattern;
use crate::words::{Words, counted, words};
use lab_work::Tally;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "depth",
    title: (
        "Do long queues and many levels slow a book down, the tree more than the array?",
        "队列更长、价格档更多时，订单簿会变慢吗？树比数组更怕吗？",
    ),
    per: ("an order that joins and one that trades or leaves", "一单挂入加一单成交或撤出"),
    on_request: false,
    prepare,
};

const MARKET: MarketId = MarketId(1);
const MAKER: AccountId = AccountId(1);
const TAKER: AccountId = AccountId(2);
/// The only price of a case that has one.
const MIDDLE: u8 = 50;

/// An engine of the ladder, without its log.
trait InMemory: Default {
    fn apply(&mut self, command: &Command, events: &mut Vec<Event>);
}

impl InMemory for ch04::exchange::Exchange {
    fn apply(&mut self, command: &Command, events: &mut Vec<Event>) {
        self.apply(command, events, &mut ch04::metrics::Unmeasured);
    }
}

impl InMemory for ch05::exchange::Exchange {
    fn apply(&mut self, command: &Command, events: &mut Vec<Event>) {
        self.apply(command, events, &mut ch05::metrics::Unmeasured);
    }
}

/// An order that rests: it buys NO, so it is among the asks at `price` YES cents.
fn joins(price: u8) -> Command {
    place(MAKER, Intent::BuyNo, 100 - price)
}

/// An order that trades with the best ask at any price.
fn takes() -> Command {
    place(TAKER, Intent::BuyYes, 99)
}

fn place(account: AccountId, intent: Intent, price: u8) -> Command {
    let time_in_force = TimeInForce::Gtc;
    Command::Place(Place { market: MARKET, account, intent, price, quantity: 1, time_in_force, client_order_id: 0 })
}

// ANCHOR: flows
/// The commands that fill the book, and those that are measured: two commands for each step.
fn matches(prices: impl Fn(usize) -> u8, resting: usize, steps: usize) -> (Vec<Command>, Vec<Command>) {
    let fill = (0..resting).map(|n| joins(prices(n))).collect();
    let body = (resting..resting + steps).flat_map(|n| [joins(prices(n)), takes()]).collect();
    (fill, body)
}

/// The same, but a resting order is cancelled instead of filled.
fn cancels(resting: usize, steps: usize) -> (Vec<Command>, Vec<Command>) {
    let mut pattern = Pattern::new(5);
    let mut live: Vec<u64> = (1..=resting as u64).collect();
    let fill = (0..resting).map(|_| joins(MIDDLE)).collect();
    let mut body = Vec::with_capacity(2 * steps);
    for order in (1..).skip(resting).take(steps) {
        let leaves = std::mem::replace(&mut live[pattern.below(resting)], order);
        body.extend([
            joins(MIDDLE),
            Command::Cancel { market: MARKET, account: MAKER, order: OrderId(leaves), request: 0 },
        ]);
    }
    (fill, body)
}
// ANCHOR_END: flows

fn run<E: InMemory>(fill: &[Command], body: &[Command]) -> Sample {
    let (mut engine, mut events, mut tally) = (E::default(), Vec::new(), Tally::default());
    let cash =
        |account| Command::Deposit { market: MARKET, account, amount: Cents(Cents::MARKET_MAX.0 / 4), request: 0 };
    let setup = [Command::Open { market: MARKET }, cash(MAKER), cash(TAKER)];
    setup.iter().chain(fill).for_each(|command| engine.apply(command, &mut events));
    timed(body.len() / 2, || {
        for command in body {
            events.clear();
            engine.apply(command, &mut events);
            tally.add(&events);
        }
        tally.answer()
    })
}

fn case(name: String, label: Words, (fill, body): (Vec<Command>, Vec<Command>)) -> Case {
    let (other_fill, other_body) = (fill.clone(), body.clone());
    Case::new(name, label)
        .with("tree", words("tree (0x04)", "树（0x04）"), move || Ok(run::<ch04::exchange::Exchange>(&fill, &body)))
        .with("array", words("array (0x05)", "数组（0x05）"), move || {
            Ok(run::<ch05::exchange::Exchange>(&other_fill, &other_body))
        })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let steps = setting.size.of(300_000);
    let of = |what: Words, en: &str, zh: &str| words(format!("{en}{}", what.en), format!("{zh}{}", what.zh));
    let depths = || [1_usize, 10, 100, 1_000].into_iter();
    let deep = |depth| counted(depth, ("order", "orders"), "张订单");
    let mut cases = Vec::new();
    for depth in depths() {
        let label = of(deep(depth), "match, a queue of ", "撮合，队列里有 ");
        cases.push(case(format!("match_depth_{depth}"), label, matches(|_| MIDDLE, depth, steps)));
    }
    for levels in [10_usize, 25, 50, 99] {
        let label = of(counted(levels, ("level", "levels"), "个价格档"), "match, ", "撮合，");
        let random = Pattern::list(9, 10 * levels + steps, levels);
        // The book starts with ten orders at each price.
        let prices = |n: usize| if n < 10 * levels { (n % levels) as u8 + 1 } else { random[n] as u8 + 1 };
        cases.push(case(format!("match_levels_{levels}"), label, matches(prices, 10 * levels, steps)));
    }
    for depth in depths() {
        let label = of(deep(depth), "cancel, a queue of ", "撤单，队列里有 ");
        cases.push(case(format!("cancel_depth_{depth}"), label, cancels(depth, steps)));
    }
    Ok(Prepared { cases, left_out: Vec::new() })
}
