//! A measured engine measures every kind of command. An engine without a stopwatch passes.

use market::{AccountId, Cents, Command, Engine, Intent, MarketId, OrderId, Place, Stage, TimeInForce};

use crate::faults::Faults;
use crate::folder::Folder;
use crate::harness::run;
use crate::sim_disk::SimDisk;

/// How many orders are cancelled: enough to show on a clock with coarse ticks.
const ORDERS: u64 = 1_000;

/// An engine that has only cancelled orders has spent time in matching.
pub fn a_cancel_is_matching<E: Engine>() {
    let (market, account) = (MarketId(1), AccountId(1));
    let (intent, quantity, time_in_force) = (Intent::BuyYes, 1, TimeInForce::Gtc);
    let bid = Command::Place(Place { market, account, intent, price: 1, quantity, time_in_force, client_order_id: 0 });
    let money = Command::Deposit { market, account, amount: Cents(ORDERS), request: 0 };
    let bids = std::iter::repeat_n(bid, ORDERS as usize);
    let before: Vec<Command> = [Command::Open { market }, money].into_iter().chain(bids).collect();
    let cancels: Vec<Command> =
        (1..=ORDERS).map(|order| Command::Cancel { market, account, order: OrderId(order), request: 0 }).collect();

    let folder = Folder::new(SimDisk::new(19, Faults::default()));
    run::<E>(&folder.options, &before, before.len()).expect("the orders rest");
    let cancelled = run::<E>(&folder.options, &cancels, cancels.len()).expect("they are cancelled");
    let Some(stages) = cancelled.closed.stages else { return };
    assert!(!stages.of(Stage::Matching).is_zero(), "orders were only cancelled, and no time was measured in matching");
}
