//! No heap allocation for a command in the steady state, counted.
//!
//! This program's allocator marks every block that is allocated while it measures. Over a million
//! commands of `venue`, after a million to warm up, there are two kinds of allocations:
//!
//! - *growth*: the live state got larger. A new market, account or price level took a block that it
//!   keeps; a full vector or table moved into a larger block, and the smaller one was freed;
//! - *transient*: a block that was allocated for a command and freed again. There must be none.
//!
//! The disk behind the log is only a number, and so is the receiver of acknowledgements, and the
//! commands are made beforehand. So everything that is counted belongs to the engine's threads.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use ch06::Chapter;
use contract::folder::Folder;
use market::flow::{self, FlowName};
use market::{
    AccountId, Acknowledge, Cents, Command, Disk, Engine as _, Event, Intent, LogFile, MarketId, OrderId, Place, Stamp,
    TimeInForce,
};

type Engine = <Chapter as runner::Chapter>::Engine;

/// How many commands warm up, and then how many are measured.
const COMMANDS: usize = 1_000_000;

#[test]
fn no_allocation_for_a_command() {
    let _alone = ALONE.lock();
    let flow = flow::generate(FlowName::Venue, 2 * COMMANDS, flow::DEFAULT_SEED);
    let (warm_up, measured) = flow.body.split_at(COMMANDS);
    let warm_up = [&flow.setup[..], warm_up].concat();

    let counts = count(&warm_up, measured, Receiver::default());
    println!("{COMMANDS} commands: {counts:?}");
    assert_eq!(
        counts.transient,
        0,
        "blocks allocated for a command and freed again: {counts:?}; the first one {}",
        place()
    );
    // Growth happens a few times for each market or account, not for each command.
    assert!(counts.grew() < COMMANDS as u64 / 10, "blocks allocated and kept: {counts:?}");

    // The same with one extra allocation for each command: it is detected, and nothing else is.
    let counts = count(&warm_up, measured, Receiver { wasteful: true, ..Receiver::default() });
    println!("and with a wasteful receiver: {counts:?}");
    assert_eq!(counts.transient, COMMANDS as u64, "blocks freed with one extra allocation in each command: {counts:?}");
}

/// An order that leaves, by a cancel or a trade, frees what it took: here as many come as leave.
#[test]
fn an_order_that_leaves_makes_room_for_another() {
    let _alone = ALONE.lock();
    let (market, maker, taker) = (MarketId(1), AccountId(1), AccountId(2));
    let deposit = |account| Command::Deposit { market, account, amount: Cents(1_000_000_000), request: 0 };
    let place = |account, intent, price, quantity, time_in_force| {
        Command::Place(Place { market, account, intent, price, quantity, time_in_force, client_order_id: 0 })
    };
    let cancel = |order| Command::Cancel { market, account: maker, order: OrderId(order), request: 0 };
    let mut placed = 0;
    let mut round = || {
        let bids = (0..64).map(|at| place(maker, Intent::BuyYes, 1 + at, 1, TimeInForce::Gtc));
        let cancels = (0..32).map(|at| cancel(placed + 1 + 2 * at));
        // An order to buy NO for 99 cents meets each remaining bid for YES.
        let all = bids.chain(cancels).chain([place(taker, Intent::BuyNo, 99, 32, TimeInForce::Gtc)]).collect();
        placed += 65;
        all
    };
    // How many rounds warm up, and then how many are measured.
    let [warm_up, measured] =
        [100, 10_000].map(|rounds| (0..rounds).flat_map(|_| -> Vec<Command> { round() }).collect());
    let warm_up: Vec<Command> = [vec![Command::Open { market }, deposit(maker), deposit(taker)], warm_up].concat();

    let (counts, commands) = (count(&warm_up, &measured, Receiver::default()), measured.len() as i64);
    println!("{commands} commands that leave nothing behind: {counts:?}");
    // A pipeline's buffers are as large as its largest batch, which may occur here.
    assert!(counts.kept < 4 * commands, "more than four bytes for each of {commands} commands: {counts:?}");
}

/// Runs an engine over `warm_up`, then over `measured`, and counts during the latter.
fn count(warm_up: &[Command], measured: &[Command], receiver: Receiver) -> Counts {
    let folder = Folder::new(Sink);
    let acknowledged = Arc::clone(&receiver.acknowledged);
    let (mut engine, _) = Engine::open(&folder.options, &mut |_| Box::new(receiver.clone())).unwrap();
    warm_up.iter().try_for_each(|&command| engine.submit(command).map(drop)).unwrap();
    engine.flush().unwrap();
    let counts = Counting::during(|| {
        measured.iter().try_for_each(|&command| engine.submit(command).map(drop)).unwrap();
        engine.flush().unwrap();
    });
    engine.close().unwrap();
    let submitted = (warm_up.len() + measured.len()) as u64;
    assert_eq!(acknowledged.load(Relaxed), submitted, "acknowledged commands, of those submitted");
    counts
}

/// Counts acknowledgements. A wasteful one copies each.
#[derive(Clone, Default)]
struct Receiver {
    acknowledged: Arc<AtomicU64>,
    wasteful: bool,
}

impl Acknowledge for Receiver {
    fn acknowledge(&mut self, _stamp: Stamp, events: &[Event]) {
        self.acknowledged.fetch_add(1, Relaxed);
        if self.wasteful {
            drop(std::hint::black_box(events.to_vec()));
        }
    }
}

/// A disk that accepts everything and keeps nothing.
struct Sink;

impl Disk for Sink {
    fn open(&self, _path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(None)
    }

    fn create(&self, _path: &Path, _header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(SinkFile))
    }
}

struct SinkFile;

impl LogFile for SinkFile {
    fn read_at(&mut self, _at: u64, _buffer: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write_at(&mut self, _at: u64, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(0)
    }

    fn set_length(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the heap was asked for during the measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counts {
    /// Blocks that were allocated and kept.
    new: u64,
    /// Blocks that replaced a smaller one.
    enlarged: u64,
    /// Blocks that were allocated and freed.
    transient: u64,
    /// Bytes that were allocated and kept, minus earlier ones that were freed.
    kept: i64,
}

impl Counts {
    fn grew(&self) -> u64 {
        self.new + self.enlarged
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The counters cover the whole program, so only one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());
static MEASURING: AtomicBool = AtomicBool::new(false);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static REALLOCATED: AtomicU64 = AtomicU64::new(0);
static REPLACED: AtomicU64 = AtomicU64::new(0);
static TRANSIENT: AtomicU64 = AtomicU64::new(0);
static KEPT: AtomicI64 = AtomicI64::new(0);
/// The size of the last block allocated, until the next free: a table that moves allocates the
/// larger block and then frees the smaller one, with nothing in between.
static NEWEST: AtomicUsize = AtomicUsize::new(0);
/// Blocks of `1 << n` bytes that were allocated and have not yet replaced one of half or a quarter of their
/// size: a table that moves bit by bit frees the smaller block some time after it allocated the larger one.
static LARGER: [AtomicU64; 40] = [const { AtomicU64::new(0) }; 40];

/// Where the first transient block was freed. The others are mostly freed in the same place.
static FIRST: Mutex<Option<Backtrace>> = Mutex::new(None);

/// The engine's functions, innermost first, in which the first transient block was freed.
fn place() -> String {
    let stack = FIRST.lock().unwrap().as_ref().map(Backtrace::to_string).unwrap_or_default();
    let engine = concat!(env!("CARGO_PKG_NAME"), "::");
    let lines: Vec<&str> = stack.lines().map(str::trim).collect();
    let frames = lines.windows(2).filter(|pair| pair[0].contains(engine) && pair[1].starts_with("at "));
    frames.take(3).map(|pair| format!("\n  in {} {}", pair[0], pair[1])).collect()
}

/// The system's allocator with a mark in front of every block: was it allocated during the
/// measurement?
struct Counting;

impl Counting {
    fn during(work: impl FnOnce()) -> Counts {
        for counter in [&TAKEN, &REALLOCATED, &REPLACED, &TRANSIENT].into_iter().chain(&LARGER) {
            counter.store(0, Relaxed);
        }
        NEWEST.store(0, Relaxed);
        KEPT.store(0, Relaxed);
        MEASURING.store(true, Relaxed);
        work();
        MEASURING.store(false, Relaxed);
        let [taken, reallocated, replaced, transient] =
            [&TAKEN, &REALLOCATED, &REPLACED, &TRANSIENT].map(|counter| counter.load(Relaxed));
        let (new, kept) = (taken.saturating_sub(replaced + transient), KEPT.load(Relaxed));
        Counts { new, enlarged: reallocated + replaced, transient, kept }
    }

    fn taken(size: usize) {
        TAKEN.fetch_add(1, Relaxed);
        KEPT.fetch_add(size as i64, Relaxed);
        NEWEST.store(size, Relaxed);
        if let Some(blocks) = blocks_of(size) {
            blocks.fetch_add(1, Relaxed);
        }
    }

    /// Whether a block of this size, which is being freed, was replaced by a larger one.
    fn was_replaced(size: usize) -> bool {
        let by_the_newest = NEWEST.swap(0, Relaxed) > size;
        let claim = |blocks: &AtomicU64| blocks.fetch_update(Relaxed, Relaxed, |count| count.checked_sub(1)).is_ok();
        let by_a_larger = [size * 2, size * 4].into_iter().filter_map(blocks_of).any(claim);
        by_the_newest || by_a_larger
    }

    /// Inspecting the stack allocates too, and that belongs to no command.
    #[cold]
    fn remember_where() {
        MEASURING.store(false, Relaxed);
        if let Ok(mut first) = FIRST.lock() {
            first.get_or_insert_with(Backtrace::force_capture);
        }
        MEASURING.store(true, Relaxed);
    }

    /// The layout of a block with its mark, and the block's offset from the mark; `None` if it would
    /// be larger than memory.
    fn marked(size: usize, align: usize) -> Option<(Layout, usize)> {
        let offset = align.max(align_of::<u64>());
        let marked = Layout::from_size_align(size.checked_add(offset)?, offset).ok()?;
        Some((marked, offset))
    }
}

/// The count of blocks of this size, if it is a power of two.
fn blocks_of(size: usize) -> Option<&'static AtomicU64> {
    if size.is_power_of_two() { LARGER.get(size.ilog2() as usize) } else { None }
}

// SAFETY: every block is one of `System`'s, of the size and alignment asked for plus a mark in front,
// and goes back to `System` with the same layout. No method panics, and none allocates for itself except
// `remember_where`, once, when nothing is measured.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((marked, offset)) = Counting::marked(layout.size(), layout.align()) else { return ptr::null_mut() };
        // SAFETY: the layout is not empty, because it includes a mark.
        let mark = unsafe { System.alloc(marked) };
        if mark.is_null() {
            return mark;
        }
        let measuring = MEASURING.load(Relaxed);
        if measuring {
            Counting::taken(layout.size());
        }
        // SAFETY: the block begins with `offset` bytes for the mark, which is at least as large and
        // as aligned as a `u64`; the requested block follows them.
        unsafe {
            ptr::write(mark.cast::<u64>(), u64::from(measuring));
            mark.add(offset)
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((marked, offset)) = Counting::marked(layout.size(), layout.align()) else { return };
        // SAFETY: the caller got this block from `alloc` or `realloc`, which put the mark there.
        let (mark, born_here) = unsafe {
            let mark = block.sub(offset);
            (mark, ptr::read(mark.cast::<u64>()) == 1)
        };
        if MEASURING.load(Relaxed) {
            KEPT.fetch_sub(layout.size() as i64, Relaxed);
            let replaced = Counting::was_replaced(layout.size());
            if born_here || replaced {
                let counter = if replaced { &REPLACED } else { &TRANSIENT };
                if counter.fetch_add(1, Relaxed) == 0 && !replaced {
                    Counting::remember_where();
                }
            }
        }
        // SAFETY: `System` gave this block with this layout.
        unsafe { System.dealloc(mark, marked) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = Counting::marked(layout.size(), layout.align());
        let after = Counting::marked(size, layout.align());
        let (Some((before, offset)), Some((after, _))) = (before, after) else { return ptr::null_mut() };
        if MEASURING.load(Relaxed) {
            // A block that shrinks was larger than needed: that is not growth.
            let counter = if size > layout.size() { &REALLOCATED } else { &TRANSIENT };
            counter.fetch_add(1, Relaxed);
            KEPT.fetch_add(size as i64 - layout.size() as i64, Relaxed);
        }
        // SAFETY: `System` gave this block with this layout; the mark in front moves with it.
        unsafe {
            let mark = System.realloc(block.sub(offset), before, after.size());
            if mark.is_null() { mark } else { mark.add(offset) }
        }
    }
}
