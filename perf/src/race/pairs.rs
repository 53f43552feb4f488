//! The rounds of one chapter: what runs, how much of it, and the pairs' results so far.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalogue::Chapter;
use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::pairs::{Factor, drawn_order};
use results::programs::Program;
use results::record::{Pair, RacedChapter, RacedRound};

use super::figures::{all, judged};
use super::verdict::{ERROR, error_of_one, is_settled, looks};
use crate::flow_args::FlowArgs;

/// The maximum rate of the latency pass, so that fast chapters are compared at the same rate.
const RATE_MAX: f64 = 1_000_000.0;

/// Figures that only throughput runs give.
const THROUGHPUT: [&str; 2] = ["throughput_ops", "processor_order_ns"];

/// How long runs take, and when to stop.
pub struct Plan {
    /// The maximum number of rounds of a chapter.
    pub rounds: u32,
    /// The smallest difference that matters.
    pub margin: f64,
    /// How long a throughput run takes.
    seconds: f64,
    /// How many pairs of them a round has. A disturbance mostly lasts for seconds, so it spoils long runs as much as
    /// short ones; many short pairs give more information in the same time.
    runs: usize,
    /// How long the latency pass takes.
    latency_seconds: f64,
}

impl Plan {
    /// The plan of a full race or of a quick one.
    pub fn new(quick: bool, rounds: Option<u32>, margin: f64) -> Plan {
        let (all, seconds, runs, latency_seconds) = if quick { (6, 0.05, 3, 0.1) } else { (32, 0.08, 5, 0.3) };
        Plan { rounds: rounds.unwrap_or(all), margin, seconds, runs, latency_seconds }
    }
}

/// A chapter of both trees.
pub struct Contest {
    /// The chapter.
    pub chapter: Chapter,
    /// Whether more rounds would change nothing.
    pub settled: bool,
    /// The base's program and the current one.
    programs: [PathBuf; 2],
    flow: FlowArgs,
    /// The flags for a throughput run of both programs, and how many pairs of such runs a round has.
    throughput: Vec<String>,
    runs: usize,
    /// The flags for everything else.
    rest: Vec<String>,
    orders: u64,
    rate: u64,
    rounds: Vec<RacedRound>,
    factors: BTreeMap<String, Option<Factor>>,
}

impl Contest {
    /// A chapter that has not run yet.
    pub fn new(chapter: Chapter, programs: [PathBuf; 2], flow: FlowArgs) -> Contest {
        Contest {
            chapter,
            settled: false,
            programs,
            flow,
            throughput: Vec::new(),
            runs: 1,
            rest: Vec::new(),
            orders: 0,
            rate: 0,
            rounds: Vec::new(),
            factors: BTreeMap::new(),
        }
    }

    /// Finds out how many orders the base does in a run's time; both get as many, and half of its rate.
    ///
    /// # Errors
    /// When it can't be run.
    pub fn calibrate(&mut self, plan: &Plan, place: &Path) -> Result<(), MeasureError> {
        let flags = self.flags(500_000, &[("--pass", "throughput".into()), ("--max-seconds", "0.15".into())]);
        let figures = Program::from(&self.chapter).measure_program(&self.programs[0], &flags, &place.join("out"))?;
        let per_s = figure(&figures, "throughput_ops", &self.chapter.folder)?;
        self.orders = (per_s * plan.seconds).clamp(64.0, 4_000_000.0) as u64;
        self.rate = (per_s / 2.0).clamp(1.0, RATE_MAX) as u64;
        let orders = self.orders as u32;
        let longest = ("--max-seconds", (10.0 * plan.seconds).to_string());
        self.throughput = self.flags(orders, &[("--pass", "throughput".into()), longest.clone()]);
        self.runs = plan.runs;
        let passes = if self.chapter.measures { "breakdown,latency" } else { "latency" };
        let latency = [("--rate", self.rate.to_string()), ("--seconds", plan.latency_seconds.to_string())];
        self.rest = self.flags(orders, &[[("--pass", passes.into()), longest], latency].concat());
        Ok(())
    }

    fn flags(&self, orders: u32, settings: &[(&str, String)]) -> Vec<String> {
        let mut flags = self.flow.flags();
        flags.extend(self.flow.orders_flags(orders));
        flags.extend(settings.iter().flat_map(|(flag, value)| [(*flag).to_owned(), value.clone()]));
        flags
    }

    /// Runs both programs in pairs: short throughput runs, then everything else.
    ///
    /// # Errors
    /// When one of them can't be run.
    pub fn round(&mut self, place: &Path) -> Result<(), MeasureError> {
        let throughput: Result<_, _> = (0..self.runs).map(|_| self.pair(&self.throughput, place, true)).collect();
        self.rounds.push(RacedRound { throughput: throughput?, rest: self.pair(&self.rest, place, false)? });
        Ok(())
    }

    /// Runs both programs once, one right after the other in a random order, and returns the figures that the pass
    /// is for.
    fn pair(&self, flags: &[String], place: &Path, is_throughput: bool) -> Result<Pair, MeasureError> {
        let order = drawn_order(2);
        let mut sides = [Figures::new(), Figures::new()];
        for side in &order {
            sides[*side] = self.run(*side, flags, place)?;
            sides[*side].retain(|key, _| THROUGHPUT.contains(&key.as_str()) == is_throughput);
        }
        let [base, current] = sides;
        Ok(Pair { base_first: order == [0, 1], base, current })
    }

    /// Runs the base's program, which is side 0, or the current one, and returns the judged figures.
    fn run(&self, side: usize, flags: &[String], place: &Path) -> Result<Figures, MeasureError> {
        let figures = Program::from(&self.chapter).measure_program(&self.programs[side], flags, &place.join("out"))?;
        Ok(judged(&figures))
    }

    /// Judges the figures, if it is time to, as part of this many chapters.
    pub fn look(&mut self, plan: &Plan, chapters: usize) {
        let looks = looks(plan.rounds);
        if !looks.contains(&(self.rounds.len() as u32)) {
            return;
        }
        let chapter = self.raced_so_far();
        self.factors = factors(&chapter, chapters, looks.len());
        let headlines = all().into_iter().filter(|figure| figure.headline);
        let factor = |key: &str| self.factors.get(key).copied().flatten();
        // A figure that one of the two never reports settles nothing and need not be waited for.
        let known = headlines.filter(|figure| chapter.ratios(&figure.key).is_some());
        self.settled = known.map(|figure| factor(&figure.key)).all(|factor| is_settled(factor, plan.margin));
    }

    /// How narrow the interval of the throughput has become.
    pub fn closing_in(&self) -> String {
        let factor = self.factors.get("throughput_ops").copied().flatten();
        let words = |factor: Factor| {
            let [low, high] = [factor.low, factor.high].map(|factor| 100.0 * (factor - 1.0));
            format!(", orders/s {low:+.1} % to {high:+.1} %")
        };
        factor.map_or(String::new(), words)
    }

    /// Its part of the record.
    pub fn record(self) -> RacedChapter {
        let Contest { chapter, orders, rate, rounds, factors, .. } = self;
        RacedChapter { chapter: chapter.folder, orders, rate, rounds, factors }
    }

    fn raced_so_far(&self) -> RacedChapter {
        let (orders, rate, rounds) = (self.orders, self.rate, self.rounds.clone());
        RacedChapter { chapter: self.chapter.folder.clone(), orders, rate, rounds, factors: BTreeMap::new() }
    }
}

/// What the pairs of a chapter say about each figure, judged together with this many chapters and judgements.
/// Headlines share one error among them, the other figures another.
pub fn factors(chapter: &RacedChapter, chapters: usize, looks: usize) -> BTreeMap<String, Option<Factor>> {
    let known = |figure: &super::figures::Figure| chapter.ratios(&figure.key).is_some();
    let figures: Vec<_> = all().into_iter().filter(known).collect();
    let factor = |figure: &super::figures::Figure| {
        let beside = figures.iter().filter(|other| other.headline == figure.headline).count() * chapters;
        let ratios = chapter.ratios(&figure.key)?;
        Factor::of(&ratios, error_of_one(ERROR, beside, looks))
    };
    figures.iter().map(|figure| (figure.key.clone(), factor(figure))).collect()
}
