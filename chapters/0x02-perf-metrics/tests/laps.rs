//! Each command presses the stopwatch where a stage ends: once for each stage, in the pipeline's order, and never in
//! a stage that it does not pass. This test has its own stopwatch, which records each press.

use std::sync::Mutex;

use ch02::engine::Engine;
use ch02::metrics::Metrics;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::{AccountId, Cents, Command, Engine as _, Intent, MarketId, OrderId, Place, Stage, TimeInForce};

/// What was pressed: a stage, or `None` for the start of a command.
static PRESSED: Mutex<Vec<Option<Stage>>> = Mutex::new(Vec::new());

/// A stopwatch that remembers which stage pressed it, but not when.
#[derive(Default)]
struct Recorder;

impl Metrics for Recorder {
    fn start(&mut self) {
        PRESSED.lock().expect("the mutex is not poisoned").push(None);
    }

    fn lap(&mut self, stage: Stage) {
        PRESSED.lock().expect("the mutex is not poisoned").push(Some(stage));
    }
}

/// What a command presses when it is submitted and flushed.
fn pressed(engine: &mut Engine<Recorder>, command: Command) -> Vec<Option<Stage>> {
    PRESSED.lock().expect("the mutex is not poisoned").clear();
    engine.submit(command).expect("taken");
    engine.flush().expect("flushed");
    std::mem::take(&mut PRESSED.lock().expect("the mutex is not poisoned"))
}

#[test]
fn each_command_presses_once_for_each_stage_that_it_passes() {
    const START: Option<Stage> = None;
    let [append, sync, check, matching, settlement, ledger] = Stage::ALL.map(Some);
    let (market, account) = (MarketId(1), AccountId(1));
    let (intent, price, quantity, time_in_force) = (Intent::BuyYes, 40, 1, TimeInForce::Gtc);
    let order = Command::Place(Place { market, account, intent, price, quantity, time_in_force, client_order_id: 0 });
    let folder = Folder::new(SimDisk::new(1, Faults::default()));
    let (mut engine, _) = Engine::<Recorder>::open(&folder.options, &mut Acks::default().receivers()).expect("opened");

    // What every command presses until it is on disk.
    let written = [START, append, sync];
    let all = |own: &[Option<Stage>]| [&written[..], own].concat();
    let opened = pressed(&mut engine, Command::Open { market });
    assert_eq!(opened, all(&[settlement, ledger]), "a command that opens a market");
    let deposited = pressed(&mut engine, Command::Deposit { market, account, amount: Cents(1_000), request: 0 });
    assert_eq!(deposited, all(&[settlement, ledger]), "a deposit");
    assert_eq!(pressed(&mut engine, order), all(&[check, matching, settlement, ledger]), "an order");
    let cancelled = pressed(&mut engine, Command::Cancel { market, account, order: OrderId(1), request: 0 });
    assert_eq!(cancelled, all(&[matching, settlement, ledger]), "a cancel");
}
