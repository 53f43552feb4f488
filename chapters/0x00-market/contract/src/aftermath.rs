//! What a program left behind when it ended, and how that is judged.
//!
//! A real program ran in its own process and was killed. It left its log, and the acknowledgements that it
//! wrote down as it gave them. The test checks that the log holds the beginning of what was submitted,
//! nothing else, and no command twice; that every acknowledged command is in it, with the events of the
//! model; and that the engine recovers the state of the model.
//!
//! The model is slow, so several endings of the same flow are judged in one run of it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::{Acks, check_state};
use market::log::{RECORD_BYTES, ShardOf};
use market::log_chain::{Segment, read_chain, segments};
use market::log_reader::{LogReader, Place};
use market::model::Model;
use market::state::ExchangeState;
use market::{Command, Disk as _, Engine, Event, LogError, MarketId, Options, RealDisk, Sequence, Stamp};
use runner::Chapter;

/// What one program left behind.
pub struct Left {
    /// The name that a complaint gives it.
    name: String,
    /// Each shard's part of it.
    shards: Vec<Shard>,
    /// What the engine held when it was opened again.
    state: ExchangeState,
}

struct Shard {
    /// How many commands its log holds.
    recovered: usize,
    /// How many commands at its beginning were trimmed.
    trimmed: usize,
    /// How many of them the last frame holds.
    in_last_frame: usize,
    /// Its acknowledgements: the first's sequence, and the events of each.
    acked_from: usize,
    acked: Vec<Vec<Event>>,
}

impl Left {
    /// Reads the logs in `data_dir` and the acknowledgements in `events`, opens the engine there, and closes
    /// it again.
    ///
    /// # Errors
    /// Commands in a log that are not the beginning of `commands`, acknowledgements that skip one or that
    /// have no command in the log, an engine that does not open.
    pub fn read<C: Chapter>(
        name: String,
        commands: &[Command],
        shards: u16,
        data_dir: &Path,
        events: &Path,
    ) -> Result<Left, String> {
        let mut read = Vec::new();
        for shard in 0..shards {
            let of = ShardOf { shard, shards };
            let (recovered, in_last_frame) = compare_log(commands, of, data_dir)?;
            let first = segments(&RealDisk, data_dir, of).map_err(|error| error.to_string())?.into_iter().next();
            let trimmed = first.map_or(0, |segment| (segment.first.0 - Sequence::FIRST.0) as usize);
            let mut path = events.as_os_str().to_owned();
            if shard > 0 {
                path.push(format!(".{shard}"));
            }
            let (acked_from, acked) = read_acks(Path::new(&path))?;
            let promised = acked_from + acked.len();
            if promised > recovered {
                return Err(format!("shard {shard} acknowledged {promised} commands, and {recovered} are in its log"));
            }
            read.push(Shard { recovered, trimmed, in_last_frame, acked_from, acked });
        }
        let options = Options { shards, ..Options::new(data_dir) };
        let (engine, recovery) = C::Engine::open(&options, &mut Acks::default().receivers())
            .map_err(|error| format!("opened again: {error}"))?;
        let state = engine.close().map_err(|error| format!("closed again: {error}"))?.state;
        let left = Left { name, shards: read, state };
        if recovery.commands != left.recovered() as u64 {
            return Err(format!("the engine found {recovery:?}, and {} commands are in the logs", left.recovered()));
        }
        Ok(left)
    }

    /// How many commands are in the logs.
    pub fn recovered(&self) -> usize {
        self.shards.iter().map(|shard| shard.recovered).sum()
    }

    /// How many commands no log has any more, because they are in a snapshot.
    pub fn trimmed(&self) -> usize {
        self.shards.iter().map(|shard| shard.trimmed).sum()
    }

    /// How many commands were acknowledged, and not only replayed.
    pub fn acknowledged(&self) -> usize {
        self.shards.iter().map(|shard| shard.acked.len()).sum()
    }

    /// Whether some command of the last frame was acknowledged.
    pub fn acknowledged_the_last_frame(&self) -> bool {
        let in_last_frame = |shard: &Shard| {
            !shard.acked.is_empty() && shard.acked_from + shard.acked.len() > shard.recovered - shard.in_last_frame
        };
        self.shards.iter().any(in_last_frame)
    }
}

/// How many commands the log held, and how many of them its last frame has; what it holds must be the first that
/// belong to this shard, up to there. It may be without its beginning.
pub(crate) fn compare_log(commands: &[Command], shard: ShardOf, data_dir: &Path) -> Result<(usize, usize), String> {
    let path = data_dir.join(shard.file_name());
    let words = |error: LogError| error.to_string();
    let segments = segments(&RealDisk, data_dir, shard).map_err(|error| format!("{}: {error}", path.display()))?;
    if segments.is_empty() {
        return Ok((0, 0));
    }
    let from = beginning(&segments[0])?;
    let submitted = commands.iter().filter(|command| ShardOf::market(command.market(), shard.shards) == shard);
    let (mut count, mut stranger) = ((segments[0].first.0 - Sequence::FIRST.0) as usize, None);
    let mut submitted = submitted.skip(count);
    let from = from.as_ref();
    let read = read_chain::<LogError>(&RealDisk, shard, &segments, from, None, |Stamp { sequence, .. }, command| {
        if submitted.next() != Some(&command) {
            stranger.get_or_insert_with(|| format!("command {sequence} is {command:?}, which was not the next one"));
        }
        count += 1;
        Ok(())
    });
    let (start, end) = read.map_err(words)?.place.last;
    match stranger {
        Some(complaint) => Err(format!("{}: {complaint}", path.display())),
        None => Ok((count, ((end - start) as usize / RECORD_BYTES).saturating_sub(1))),
    }
}

/// Where a log that has lost its first segments begins; `None` for one that still has them.
fn beginning(Segment { first, path }: &Segment) -> Result<Option<Place>, String> {
    if *first == Sequence::FIRST {
        return Ok(None);
    }
    let words = |problem: String| format!("{}: {problem}", path.display());
    let file = RealDisk.open(path).map_err(|error| words(error.to_string()))?;
    let mut file = file.ok_or_else(|| words("it is gone".into()))?;
    let reader = LogReader::new(&mut *file, path).map_err(|error| error.to_string())?;
    Ok(Some(reader.log_place()))
}

/// Reads what the program ([`runner`]) wrote.
fn read_acks(path: &Path) -> Result<(usize, Vec<Vec<Event>>), String> {
    // A program that ends before it begins has made no file.
    let bytes = std::fs::read(path).unwrap_or_default();
    parse_acks(&bytes).map_err(|complaint| format!("{}: {complaint}", path.display()))
}

/// Reads acknowledgements that were written down: how many commands came before the first of them, and the events of
/// each. The last may be cut off.
pub(crate) fn parse_acks(bytes: &[u8]) -> Result<(usize, Vec<Vec<Event>>), String> {
    let mut rest = bytes;
    let (mut before, mut acks) = (0, Vec::new());
    while let Some((head, body)) = rest.split_first_chunk::<16>() {
        let sequence = u64::from_le_bytes(head[..8].try_into().unwrap()) as usize;
        let count = u64::from_le_bytes(head[8..].try_into().unwrap()) as usize;
        let Some((events, next)) = body.split_at_checked(count * Event::BYTES) else { break };
        if acks.is_empty() {
            before = sequence - Sequence::FIRST.0 as usize;
        } else if sequence != before + acks.len() + 1 {
            return Err(format!("{} was acknowledged after {}", sequence, before + acks.len()));
        }
        let (rows, _) = events.as_chunks::<{ Event::BYTES }>();
        let decoded: Option<Vec<Event>> = rows.iter().map(Event::decode).collect();
        acks.push(decoded.ok_or("what was acknowledged is not an event")?);
        rest = next;
    }
    Ok((before, acks))
}

/// Compares everything left behind with the model, which runs once over the commands.
///
/// # Errors
/// The first difference, with the name of the program that left it.
pub fn judge(commands: &[Command], endings: &[Left]) -> Result<(), String> {
    let mut judges: Vec<Judge> = endings.iter().map(|left| Judge::new(commands, left)).collect();
    let mut models: BTreeMap<MarketId, Model> = BTreeMap::new();
    let longest = judges.iter().filter_map(|judge| judge.last.values().max()).max();
    for (at, command) in commands[..longest.map_or(0, |&last| last + 1)].iter().enumerate() {
        let model = models.entry(command.market()).or_default();
        let events = model.apply(command);
        for judge in &mut judges {
            let named = |complaint| format!("{}: {complaint}", judge.left.name);
            judge.see(at, command, &events, model).map_err(named)?;
        }
    }
    judges.iter().try_for_each(Judge::nothing_else)
}

/// Follows the model beside one ending.
struct Judge<'left> {
    left: &'left Left,
    /// The place of each market's last command in the logs.
    last: BTreeMap<MarketId, usize>,
    /// How many commands of each shard have passed.
    passed: Vec<usize>,
}

impl<'left> Judge<'left> {
    fn new(commands: &[Command], left: &'left Left) -> Judge<'left> {
        let mut passed = vec![0; left.shards.len()];
        let mut last = BTreeMap::new();
        for (at, command) in commands.iter().enumerate() {
            let shard = ShardOf::market(command.market(), passed.len() as u16).shard as usize;
            passed[shard] += 1;
            if passed[shard] <= left.shards[shard].recovered {
                last.insert(command.market(), at);
            }
        }
        passed.fill(0);
        Judge { left, last, passed }
    }

    /// Checks one command: the model answers it with these events and is then in this state.
    fn see(&mut self, at: usize, command: &Command, events: &[Event], model: &Model) -> Result<(), String> {
        let market = command.market();
        let number = ShardOf::market(market, self.passed.len() as u16).shard as usize;
        let shard = &self.left.shards[number];
        let place = self.passed[number].checked_sub(shard.acked_from);
        self.passed[number] += 1;
        if let Some(acked) = place.and_then(|place| shard.acked.get(place))
            && acked != events
        {
            return Err(format!(
                "command {at} is {command:?}; the engine acknowledged {acked:?}, the model says {events:?}"
            ));
        }
        if self.last.get(&market) != Some(&at) {
            return Ok(());
        }
        let found = self.left.state.markets.get(&market).map(|state| (market, state.clone()));
        check_state(&model.state(), &ExchangeState { markets: found.into_iter().collect() })
    }

    fn nothing_else(&self) -> Result<(), String> {
        match self.left.state.markets.keys().find(|market| !self.last.contains_key(market)) {
            Some(market) => Err(format!("{}: market {market} exists, but no command opened it", self.left.name)),
            None => Ok(()),
        }
    }
}
