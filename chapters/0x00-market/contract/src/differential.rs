//! Runs the engine beside the model on the same commands, and compares every event, balance and book.
//!
//! Generated streams are small and wild; `proptest` shrinks a failing one to the few commands that matter.
//! Flows are the measured workloads, shortened, because the model is slow.

use std::cell::RefCell;
use std::time::Duration;

use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::faults::Faults;
use crate::folder::Folder;
use crate::harness::{Expected, check_events, check_ledger, check_state, run};
use crate::sim_disk::SimDisk;
use crate::streams::{Met, Stream, streams};
use market::flow::{self, FlowName};
use market::model::Model;
use market::{AccountId, Cents, Command, Engine, Intent, MarketId, OrderId, Outcome, TimeInForce};
use program::rounds::Rounds;

/// How many generated streams run, with few rounds and with all; `PROPTEST_CASES` sets another number.
const CASES: (u32, u32) = (500, 2_000);
/// With at least this many streams, every case is expected to occur.
const MEETS_ALL: u32 = 500;

/// Generated streams with one shard: the whole stream of events matches the model.
pub fn generated_streams<E: Engine>() {
    generated::<E>(1, proptest::strategy::Just(1));
}

/// Generated streams with 1 to 8 shards, for engines that have them: each market's events match the model.
pub fn generated_streams_in_shards<E: Engine>() {
    generated::<E>(4, 1..=8_u16);
}

/// Runs one in `one_in` of all streams.
fn generated<E: Engine>(one_in: u32, shards: impl Strategy<Value = u16>) {
    let asked = std::env::var_os("PROPTEST_CASES").map(|_| Config::default().cases);
    let cases = asked.unwrap_or_else(|| Rounds::asked().pick(CASES.0, CASES.1) / one_in);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let met = RefCell::new(Met::default());
    let ways = (proptest::sample::select(vec![1_usize, 2, 7, 64, 1_024]), 1..300_usize, any::<bool>(), shards);
    let tested = TestRunner::new(config).run(&(streams(200), ways), |(Stream(commands), way)| {
        let (batch_max, flush_every, reserve, shards) = way;
        let mut folder = Folder::new(SimDisk::new(0, Faults::default()));
        folder.options.batch_max = batch_max;
        folder.options.batch_interval = Duration::from_millis(20);
        folder.options.reserve_commands = if reserve { 300 } else { 0 };
        folder.options.shards = shards;
        compare::<E>(&folder, &commands, flush_every, &mut met.borrow_mut()).map_err(TestCaseError::fail)
    });
    if let Err(failure) = tested {
        panic!("{failure}");
    }
    if cases >= MEETS_ALL {
        met.into_inner().assert_all();
    }
}

/// Runs engine and model, compares everything, and reopens the engine.
fn compare<E: Engine>(folder: &Folder, commands: &[Command], flush_every: usize, met: &mut Met) -> Result<(), String> {
    let mut model = Model::default();
    let answer = |&command: &Command| Expected { command, events: model.apply(&command) };
    let expected: Vec<Expected> = commands.iter().map(answer).collect();
    let events = || expected.iter().flat_map(|step| &step.events);
    events().for_each(|event| met.note(event));
    let shards = folder.options.shards;
    let ran = run::<E>(&folder.options, commands, flush_every)?;
    check_events(&expected, &ran.acks, shards)?;
    check_state(&model.state(), &ran.closed.state)?;
    check_ledger(events(), folder.path(), shards)?;

    let again = run::<E>(&folder.options, &[], 1).map_err(|error| format!("opened again: {error}"))?;
    if (again.recovery.commands, again.recovery.torn_bytes) != (commands.len() as u64, 0) {
        return Err(format!("opened again: {:?} of {} commands", again.recovery, commands.len()));
    }
    check_state(&model.state(), &again.closed.state).map_err(|error| format!("opened again: {error}"))?;
    check_ledger(events(), folder.path(), shards).map_err(|error| format!("opened again: {error}"))
}

/// The measured flows, shortened: three seeds each, or one where rounds are few.
pub fn flows<E: Engine>() {
    let seeds = Rounds::asked().pick(1, 3);
    for name in [FlowName::Classic, FlowName::Venue, FlowName::Burst] {
        for seed in 1..=seeds {
            let flow = flow::generate(name, 1_000, seed);
            let commands = [flow.setup, flow.body].concat();
            let folder = Folder::new(SimDisk::new(seed, Faults::default()));
            compare::<E>(&folder, &commands, 500, &mut Met::default())
                .unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
        }
    }
}

/// Sums at their limit, which generated streams hardly ever reach: a market is full to the last cent, and
/// what leaves it makes room for exactly as much.
pub fn limits<E: Engine>() {
    let (market, one, other) = (MarketId(1), AccountId(1), AccountId(2));
    let deposit = |account, cents| Command::Deposit { market, account, amount: Cents(cents), request: 0 };
    let withdraw = |account, cents| Command::Withdraw { market, account, amount: Cents(cents), request: 0 };
    let most = Cents::MARKET_MAX.0;
    let commands = [
        Command::Open { market },
        deposit(one, most - 10),
        deposit(other, 11),
        deposit(other, 10),
        deposit(one, 1),
        withdraw(other, 4),
        deposit(one, 5),
        deposit(one, 4),
        deposit(other, 1),
        withdraw(one, most - 5),
        withdraw(one, most - 6),
        deposit(other, most - 5),
        deposit(other, most - 6),
        Command::Resolve { market, outcome: Outcome::Yes },
        withdraw(other, most),
    ];
    let folder = Folder::new(SimDisk::new(0, Faults::default()));
    compare::<E>(&folder, &commands, 4, &mut Met::default()).unwrap_or_else(|error| panic!("{error}"));
}

/// Ids far apart, which a table of ids may send to one place: every market, account and order is still found,
/// even after the tables have grown.
pub fn ids_far_apart<E: Engine>() {
    let far = |n: u32| n << 20;
    let (markets, busy) = ((1..=100).map(far).map(MarketId), MarketId(far(7)));
    let deposit = |n| Command::Deposit { market: busy, account: AccountId(far(n)), amount: Cents(100), request: 0 };
    let withdraw = |n| Command::Withdraw { market: busy, account: AccountId(far(n)), amount: Cents(1), request: 0 };
    // Every 1,024th order stays, and is cancelled when all have been placed.
    const APART: u32 = 1_024;
    let place = |n: u32| {
        let account = AccountId(far(1 + n / APART));
        let time_in_force = if n.is_multiple_of(APART) { TimeInForce::Gtc } else { TimeInForce::Ioc };
        let (intent, price, quantity) = (Intent::BuyYes, 10, 1);
        Command::Place(market::Place {
            market: busy,
            account,
            intent,
            price,
            quantity,
            time_in_force,
            client_order_id: 0,
        })
    };
    let cancel = |n: u32| {
        let (account, order) = (AccountId(far(1 + n)), OrderId(1 + u64::from(n * APART)));
        Command::Cancel { market: busy, account, order, request: 0 }
    };
    let opened = markets.clone().map(|market| Command::Open { market });
    let commands = opened.clone().chain((1..=100).map(deposit)).chain((0..40 * APART).map(place));
    let commands = commands.chain(opened).chain((1..=100).map(withdraw)).chain((0..40).map(cancel));
    let commands: Vec<Command> = commands.collect();
    let folder = Folder::new(SimDisk::new(0, Faults::default()));
    compare::<E>(&folder, &commands, 500, &mut Met::default()).unwrap_or_else(|error| panic!("{error}"));
}
