//! Searches the states that a crash may leave of a recording for one that breaks a promise.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::choices::{Choices, Rules};
use super::steps::Step;
use super::weak_disk::{Tree, WeakDisk};
use crate::streams::Random;

/// How many states are drawn for each recording, unless `CRASH_STATES` sets another number.
const DRAWN: u64 = 400;

/// From this number of states on, every moment with few states is enumerated.
const DRAWN_THOROUGH: u64 = 2_000;

/// A moment with more combinations than this is only sampled.
const COUNTED_MAX: u64 = 96;

/// An engine that is still busy with a state after so long is stuck. This is not a measurement: nothing is
/// compared with it.
const STUCK: Duration = Duration::from_secs(60);

/// How thoroughly to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// This many drawn states, and all states of the moments before the first acknowledgement; from 2,000 on,
    /// all states of all moments.
    States(u64),
    /// One state.
    Only(Which),
}

/// One state of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The state that this seed leads to.
    Drawn(u64),
    /// This combination of choices after this many steps.
    Counted(usize, u64),
}

impl Effort {
    /// What the environment variables ask for.
    pub fn asked() -> Effort {
        let count = std::env::var("CRASH_STATES").ok();
        Effort::States(count.map_or(DRAWN, |text| text.parse().expect("CRASH_STATES is a number")))
    }
}

impl Which {
    /// Reads `17`, a seed, or `5.17`, a combination at a moment.
    pub fn parse(text: &str) -> Option<Which> {
        match text.split_once('.') {
            None => Some(Which::Drawn(text.parse().ok()?)),
            Some((moment, number)) => Some(Which::Counted(moment.parse().ok()?, number.parse().ok()?)),
        }
    }
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Which::Drawn(seed) => write!(f, "{seed}"),
            Which::Counted(moment, number) => write!(f, "{moment}.{number}"),
        }
    }
}

/// A state that broke a promise.
#[derive(Debug)]
pub struct Found {
    /// Which state it was.
    pub which: Which,
    /// What is wrong.
    pub complaint: String,
}

/// Judges what a crash left, given how many commands had been promised in each shard.
pub type Judge<'a> = dyn Fn(&Tree, &[usize], Rules) -> Result<(), String> + 'a;

/// Tests the states that these steps may leave, and returns how many different ones there were. If an engine hangs on
/// one, the program ends with the message that `hangs` makes.
///
/// # Errors
/// The first state that breaks a promise.
pub fn search(
    before: &WeakDisk,
    steps: &[Step],
    promised: &[usize],
    effort: Effort,
    judge: &Judge<'_>,
    hangs: impl Fn(Which) -> String + Send + 'static,
) -> Result<usize, Found> {
    let at_work = watch(hangs);
    let mut search = Search { judge, steps, judged: HashSet::new(), at: 0, promised: promised.to_vec(), at_work };
    let drawn = match effort {
        Effort::States(count) => (0..count).collect(),
        Effort::Only(Which::Drawn(seed)) => vec![seed],
        Effort::Only(_) => Vec::new(),
    };
    let mut at_moment: BTreeMap<usize, Vec<(u64, Random)>> = BTreeMap::new();
    for seed in drawn {
        let mut random = Random::new(seed);
        at_moment.entry(random.below(steps.len() as u64 + 1) as usize).or_default().push((seed, random));
    }
    let first = steps.iter().position(|step| matches!(step, Step::Acknowledge { .. })).unwrap_or(steps.len());
    let mut disk = before.clone();
    for moment in 0..=steps.len() {
        if moment > 0 {
            search.take(&mut disk);
        }
        for (seed, random) in at_moment.remove(&moment).unwrap_or_default() {
            // Every second disk is a harsh one.
            let rules = if seed % 2 == 0 { Rules::Posix } else { Rules::Harsh };
            search.look(Which::Drawn(seed), &disk.after_crash(&mut Choices::Drawn(random), rules), rules)?;
        }
        match effort {
            Effort::States(count) if count >= DRAWN_THOROUGH || moment <= first => search.count_through(&disk, None)?,
            Effort::Only(Which::Counted(asked, number)) if asked == moment => {
                search.count_through(&disk, Some(number))?;
            }
            _ => {}
        }
    }
    Ok(search.judged.len())
}

struct Search<'a> {
    judge: &'a Judge<'a>,
    steps: &'a [Step],
    /// The states already judged, with what was promised at the time.
    judged: HashSet<u64>,
    /// How many steps have been taken.
    at: usize,
    promised: Vec<usize>,
    at_work: AtWork,
}

/// The state that is being judged, and since when.
type AtWork = Arc<Mutex<Option<(Instant, Which)>>>;

/// Ends the program when judging a state takes too long. A single thread that hangs can't be ended.
fn watch(hangs: impl Fn(Which) -> String + Send + 'static) -> AtWork {
    let at_work = AtWork::default();
    let watched = Arc::downgrade(&at_work);
    std::thread::spawn(move || {
        while let Some(at_work) = watched.upgrade() {
            let at_work = *at_work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let Some((_, which)) = at_work.filter(|(began, _)| began.elapsed() > STUCK) {
                println!("{}", hangs(which));
                std::process::exit(101);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    at_work
}

impl Search<'_> {
    /// Takes the next step.
    ///
    /// # Panics
    /// When it can't be taken: then the trace, or the model of it, is wrong, and no result means anything.
    fn take(&mut self, disk: &mut WeakDisk) {
        let step = &self.steps[self.at];
        self.at += 1;
        if let Step::Acknowledge { shard, promised, .. } = step {
            self.promised[*shard] = *promised;
        }
        disk.apply(step).unwrap_or_else(|wrong| panic!("no program can take step {}, {step}: {wrong}", self.at));
    }

    /// Judges all states of a moment, unless there are too many, or the one with this number.
    fn count_through(&mut self, disk: &WeakDisk, only: Option<u64>) -> Result<(), Found> {
        let (mut choices, mut states) = (Choices::counted(), Vec::new());
        for number in 0.. {
            let state = disk.after_crash(&mut choices, Rules::Posix);
            if only.is_none_or(|only| only == number) {
                states.push((number, state));
            }
            if !choices.advance() || only.is_some_and(|only| only == number) {
                break;
            }
            if states.len() as u64 > COUNTED_MAX {
                return Ok(());
            }
        }
        states
            .into_iter()
            .try_for_each(|(number, state)| self.look(Which::Counted(self.at, number), &state, Rules::Posix))
    }

    /// Judges a state, if it differs from all before.
    fn look(&mut self, which: Which, state: &Tree, rules: Rules) -> Result<(), Found> {
        let mut hasher = DefaultHasher::new();
        (state, &self.promised, rules == Rules::Harsh).hash(&mut hasher);
        if !self.judged.insert(hasher.finish()) {
            return Ok(());
        }
        *self.at_work.lock().unwrap() = Some((Instant::now(), which));
        let judged = catch_unwind(AssertUnwindSafe(|| (self.judge)(state, &self.promised, rules)));
        *self.at_work.lock().unwrap() = None;
        let complaint = match judged {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(complaint)) => complaint,
            Err(_) => "it panicked; the message is above".into(),
        };
        let step = self.at.checked_sub(1).map_or("none".into(), |at| self.steps[at].to_string());
        let left: Vec<String> = state.iter().map(|(path, bytes)| in_words(path, bytes.as_deref())).collect();
        let complaint = format!(
            "{complaint}\n  {rules:?} rules, after step {} ({step}), promised {:?}\n  left: {}",
            self.at,
            self.promised,
            left.join(", ")
        );
        Err(Found { which, complaint })
    }
}

fn in_words(path: &std::path::Path, bytes: Option<&[u8]>) -> String {
    match bytes {
        Some(bytes) => format!("{} ({} bytes)", path.display(), bytes.len()),
        None => format!("{}/", path.display()),
    }
}
