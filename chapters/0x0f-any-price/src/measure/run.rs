//! A run: chooses flows and engines, shows progress, and reports the results.

use std::env;
use std::hint::black_box;

use program::{Failure, Unprinted, Verdict, print};
use results::charts::any_price_chart;
use results::error::MeasureError;
use results::machine;
use results::progress::{progress_bar, say};
use results::record::{Record, Spread};

use crate::contract::{Book, Event, Receiver, RejectReason};
use crate::flow::{Flow, Name};
use crate::ladder::Ladder;
use crate::measure::args::Args;
use crate::measure::classic::{self, Replayed};
use crate::measure::contestant::{Contestant, Engine, Pass, apply_all};
use crate::measure::timed::{Clock, Kind, Timed};
use crate::measure::{lines, table};
use crate::orders_csv;
use crate::tree_book::TreeBook;
use crate::vector_book::VectorBook;
use results::record::{AnyPriceRecord, BookRecord, FlowRecord, KindRecord, LinesRecord, UnableRecord};

/// How many commands are replayed under valgrind, which takes about fifty times as long.
const REPLAYED: usize = 200_000;
/// How many orders `classic` has.
const CLASSIC_ORDERS: usize = 2_000_000;
/// How many times a flow is run with the clock around every message.
const TIMED_ROUNDS: u32 = 5;

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or an argument is invalid, or the disk can't be used.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// Two engines gave different events.
    #[error("{0}; they do different work, so their times can't be compared")]
    Disagree(String),
}

impl Failure for RunError {
    fn exit_code(&self) -> u8 {
        match self {
            RunError::Measure(error) => error.exit_code(),
            RunError::Disagree(_) => 1,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, RunError::Measure(error) if error.is_closed_pipe())
    }
}

impl From<Unprinted> for RunError {
    fn from(unprinted: Unprinted) -> RunError {
        RunError::Measure(unprinted.into())
    }
}

/// The engines of this chapter.
pub fn engines() -> Vec<Box<dyn Contestant>> {
    vec![
        Box::new(Engine::<Ladder>::new("ladder")),
        Box::new(Engine::<TreeBook>::new("tree")),
        Box::new(Engine::<VectorBook>::unable("vectors", |flow| {
            (flow == "scattered")
                .then_some("a new level moves half of a vector, and there would be half a million levels")
        })),
    ]
}

/// Runs the measurement that `args` select, prints the tables, and writes `record` into the output folder. `command` is
/// how users start the program.
///
/// # Errors
/// [`RunError::Disagree`] if the events of engines differ, [`MeasureError`] for unknown names, for a flow that can't be
/// read and for a disk that can't be written.
pub fn run(args: &Args, engines: Vec<Box<dyn Contestant>>, record: &str, command: &str) -> Result<Verdict, RunError> {
    if let Some(name) = &args.replay {
        if let Some(book) = Replayed::ALL.into_iter().find(|book| book.word() == name) {
            classic::replay(book, args.commands());
            return Ok(Verdict::Yes);
        }
        return replay(flow_of(name, args)?);
    }
    let engines = chosen(&args.engine, engines)?;
    let mut flows = flows(args)?;
    if args.flow.is_empty() {
        // If its user names such a flow, it is refused below.
        flows.retain(|name| no_engine_for(name, &engines).is_none());
    }
    if let Some((name, reason)) = flows.iter().find_map(|name| Some((name, no_engine_for(name, &engines)?))) {
        return Err(MeasureError::Unusable(format!("no chosen engine can run {name}: {reason}; choose another")).into());
    }
    let rounds = args.rounds();
    let steps = flows.len() as u64 * u64::from(rounds + TIMED_ROUNDS) * engines.len() as u64;
    let bar = progress_bar(steps);
    let machine = machine::describe(&args.output.folder());
    // A move to another core would empty the caches in the middle of a pass. A pinned process sees only one core, so
    // query the machine before pinning.
    if let Some(core) = core_affinity::get_core_ids().and_then(|cores| cores.last().copied()) {
        core_affinity::set_for_current(core);
    }
    let mut records = Vec::new();
    for name in &flows {
        say(&bar, name);
        let flow = flow_of(name, args)?;
        let found = measure(name, &flow, &engines, rounds, &mut || bar.inc(1))?;
        bar.suspend(|| print(format_args!("\n{}\n", table::text(&found, args.lang))))?;
        records.push(found);
    }
    let is_whole = args.input.is_none() && args.flow.is_empty() && args.engine.is_empty();
    let found = AnyPriceRecord {
        machine,
        commit: machine::commit(),
        command: args.command_line(command),
        rounds,
        seed: args.input.is_none().then_some(args.seed),
        plain: args.plain,
        flows: records,
        classic: match is_whole {
            true => {
                say(&bar, "classic, against 0x05");
                Some(classic::measure(CLASSIC_ORDERS.min(args.commands() * 2), rounds).map_err(RunError::Disagree)?)
            }
            false => None,
        },
        lines: match is_whole && !args.quick && lines::is_possible() {
            true => {
                say(&bar, "cache lines, under valgrind");
                counted_lines(args.commands())?
            }
            false => Vec::new(),
        },
    };
    bar.finish_and_clear();
    let out = args.output.folder().join(record);
    found.save(&out)?;
    print(format_args!("\n{}", table::ending(&found, args.lang)))?;
    print(format_args!("\n{}\nrecord  {}\n", found.machine.summary(), out.display()))?;
    let charts = any_price_chart(&found, &args.output.folder().join("charts"))?;
    let shown = charts.iter().find(|file| file.to_string_lossy().ends_with(&format!(".{}.svg", args.lang.tag())));
    shown.map_or(Ok(()), |file| print(format_args!("chart   {}\n", file.display())))?;
    Ok(Verdict::Yes)
}

/// The flows to run, by their names.
fn flows(args: &Args) -> Result<Vec<String>, MeasureError> {
    if let Some(path) = &args.input {
        let name = path.file_name().map_or_else(|| "input".into(), |name| name.to_string_lossy().into_owned());
        return Ok(vec![name]);
    }
    let all: Vec<String> = Name::ALL.iter().map(|name| name.word().to_owned()).collect();
    if let Some(name) = args.flow.iter().find(|name| !all.contains(name)) {
        return Err(MeasureError::Unusable(format!("there is no flow {name:?}; there are {}", all.join(", "))));
    }
    Ok(if args.flow.is_empty() { all } else { args.flow.clone() })
}

fn flow_of(name: &str, args: &Args) -> Result<Flow, MeasureError> {
    if let Some(path) = &args.input {
        let commands = orders_csv::read(path).map_err(|error| MeasureError::Unusable(error.to_string()))?;
        return Ok(Flow { setup: Vec::new(), commands });
    }
    let found = Name::ALL.into_iter().find(|known| known.word() == name);
    let found = found.ok_or_else(|| MeasureError::Unusable(format!("there is no flow {name:?}")))?;
    Ok(found.flow(args.seed, args.commands(), args.plain))
}

fn chosen(names: &[String], mut engines: Vec<Box<dyn Contestant>>) -> Result<Vec<Box<dyn Contestant>>, MeasureError> {
    if let Some(name) = names.iter().find(|name| !engines.iter().any(|engine| engine.name() == **name)) {
        let known: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
        return Err(MeasureError::Unusable(format!("there is no engine {name:?}; there are {}", known.join(", "))));
    }
    engines.retain(|engine| names.is_empty() || names.iter().any(|name| name == engine.name()));
    Ok(engines)
}

/// Why none of the engines supports a flow, if so.
fn no_engine_for(flow: &str, engines: &[Box<dyn Contestant>]) -> Option<String> {
    let reasons: Option<Vec<String>> =
        engines.iter().map(|engine| Some(format!("{}: {}", engine.name(), engine.unable(flow)?))).collect();
    reasons.map(|reasons| reasons.join("; "))
}

/// All engines over one flow.
fn measure(
    name: &str,
    flow: &Flow,
    engines: &[Box<dyn Contestant>],
    rounds: u32,
    on_pass: &mut dyn FnMut(),
) -> Result<FlowRecord, RunError> {
    let (able, unable): (Vec<_>, Vec<_>) = engines.iter().partition(|engine| engine.unable(name).is_none());
    let mut passes: Vec<Vec<Pass>> = vec![Vec::new(); able.len()];
    let mut first: Option<(&str, Pass)> = None;
    // The first pass touches new memory, and does not count.
    for round in 0..=rounds {
        for (engine, passes) in able.iter().zip(&mut passes) {
            let pass = engine.pass(flow);
            let (other, expected) = *first.get_or_insert((engine.name(), pass));
            let is_same = pass.trades == expected.trades && (!engine.answers_all() || pass.digest == expected.digest);
            if !is_same {
                let engine = engine.name();
                return Err(RunError::Disagree(format!("{name}: {engine} and {other} answer differently")));
            }
            if round > 0 {
                passes.push(pass);
                on_pass();
            }
        }
    }
    let mut found = Vec::new();
    for (engine, passes) in able.iter().zip(&passes) {
        found.push(engine_record(engine.as_ref(), flow, passes, on_pass)?);
    }
    let unable = unable.iter().map(|engine| UnableRecord {
        name: engine.name().into(),
        reason: engine.unable(name).unwrap_or_default().into(),
    });
    Ok(FlowRecord {
        name: name.into(),
        setup: flow.setup.len(),
        commands: flow.commands.len(),
        orders: first.map_or(0, |(_, pass)| pass.orders),
        engines: found,
        unable: unable.collect(),
    })
}

fn engine_record(
    engine: &dyn Contestant,
    flow: &Flow,
    passes: &[Pass],
    on_pass: &mut dyn FnMut(),
) -> Result<BookRecord, MeasureError> {
    let (clock, mut timed) = (Clock::default(), Timed::default());
    for _ in 0..TIMED_ROUNDS {
        engine.timed(flow, &clock, &mut timed);
        on_pass();
    }
    let ns: Vec<f64> = passes.iter().map(|pass| pass.ns).collect();
    let per_s: Vec<f64> = ns.iter().map(|ns| 1e9 / ns).collect();
    let no_number = || MeasureError::Unusable(format!("{}: a round gave no result; run it again", engine.name()));
    let setup = flow.setup.len();
    let kinds = Kind::ALL.into_iter().filter_map(|kind| {
        let (count, ns) = timed.median(setup, kind, &clock)?;
        Some(KindRecord { name: kind.name().into(), count, ns })
    });
    let with_fills = timed.longest(u32::MAX, &clock);
    let last = passes.last().ok_or_else(no_number)?;
    Ok(BookRecord {
        name: engine.name().into(),
        ns: Spread::of(&ns).ok_or_else(no_number)?,
        messages_per_s: Spread::of(&per_s).ok_or_else(no_number)?,
        bytes_per_order: last.bytes as f64 / last.orders.max(1) as f64,
        kinds: kinds.collect(),
        p999_ns: timed.p999(setup, &clock),
        longest_ns: timed.longest(0, &clock).ns,
        longest_with_fills_ns: with_fills.ns,
        longest_fills: with_fills.fills,
    })
}

/// Fills a book, and runs the rest of a flow in the function that valgrind counts.
fn replay(flow: Flow) -> Result<Verdict, RunError> {
    let (mut book, mut reports) =
        (Ladder::with_key([0x5851_F42D_4C95_7F2D, 0x1405_7B7E_F767_814F]), Reports::default());
    apply_all(&mut book, &flow.setup, &mut ());
    apply_replayed(&mut book, &flow, &mut reports);
    black_box(reports);
    Ok(Verdict::Yes)
}

/// Writes every event into a ring of 256, as a venue hands them on: without a receiver that keeps them, the compiler
/// would leave out the events.
struct Reports {
    ring: [Event; 256],
    written: usize,
}

impl Default for Reports {
    fn default() -> Reports {
        let none = Event::Rejected { id: 0, order: None, reason: RejectReason::UnknownId };
        Reports { ring: [none; 256], written: 0 }
    }
}

impl Receiver for Reports {
    #[inline]
    fn event(&mut self, event: Event) {
        self.ring[self.written % 256] = event;
        self.written += 1;
    }
}

/// Valgrind finds this function by its name.
#[inline(never)]
fn apply_replayed<R: Receiver>(book: &mut Ladder, flow: &Flow, receiver: &mut R) {
    for &command in &flow.commands {
        book.apply(command, receiver);
    }
}

fn counted_lines(commands: usize) -> Result<Vec<LinesRecord>, MeasureError> {
    let program = env::current_exe()
        .map_err(|error| MeasureError::Unusable(format!("cannot find this program's own file: {error}")))?;
    let count = |name: Name| {
        // `deep` needs a million resting orders, and a flow fills its book with as many orders as it has commands.
        let most = if name == Name::Deep { 5 * REPLAYED } else { REPLAYED };
        let commands = commands.min(most);
        lines::count(&program, name.word(), commands, commands).map_err(MeasureError::Unusable)
    };
    let flows = Name::ALL.into_iter().map(count);
    // Use the measured number: how many orders rest decides what fits into a cache.
    let commands = CLASSIC_ORDERS.min(commands * 2);
    let placed = classic::placed(commands);
    let books = Replayed::ALL
        .into_iter()
        .map(|book| lines::count(&program, book.word(), commands, placed).map_err(MeasureError::Unusable));
    flows.chain(books).collect()
}
