//! The feed: it follows the taps of all shards, and publishes what watchers may see.
//!
//! It works in steps on one thread. A shard is in one of three states: its engine is not open yet, the feed follows it,
//! or the feed was lapped and is catching up from the log. Invariants: the feed publishes a book only between two
//! commands, and it marks a book stale as soon as it knows that it is behind. Cost: about one lookup of the order and
//! one of the price per event, and one publication per market and batch.

use std::sync::Arc;
use std::sync::mpsc::TryRecvError;

use market::{Clock, EngineError, LogId, Sequence, Step, UnixMs};

use crate::board::Board;
use crate::past::{Past, Source};
use crate::record::Record;
use crate::shard::Shard;
use crate::tap::Tapped;

/// How many commands the feed applies before it publishes their markets.
const BATCH_COMMANDS: usize = 1_024;

/// How often to try to read the past before the feed rejoins the ring: files may disappear when a snapshot replaces
/// them.
const TRIES: u32 = 3;

/// The feed's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// This run of the feed; see [`Version::epoch`](crate::Version::epoch).
    pub epoch: u64,
    /// How many trades to keep per market.
    pub trades_kept: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { epoch: epoch(Clock::system().now(), LogId::random().0), trades_kept: 512 }
    }
}

/// The epoch of a run that starts now: greater than earlier ones, as far as the clock knows, and different even if two
/// runs start in the same millisecond. Below 2^53, so that a script can hold it in a number, until the year 2248.
fn epoch(now: UnixMs, random: u64) -> u64 {
    (now.0 << 10 | random & 1023).clamp(1, (1 << 53) - 1)
}

/// Follows the shards of an engine.
pub struct Feed {
    board: Arc<Board>,
    shards: Vec<Followed>,
}

/// A shard, and how far the feed has followed it.
struct Followed {
    tapped: Tapped,
    past: Box<dyn Past>,
    shard: Shard,
    place: Place,
    /// How many times the past could not be read since the feed last followed the ring.
    failed: u32,
    /// How far it had come when it last failed.
    failed_at: Sequence,
    laps: u64,
}

/// How far the feed has followed a shard.
enum Place {
    /// The engine is not open yet.
    Before,
    /// At this record of the ring.
    At(u64),
    /// The feed was lapped and starts again from the past.
    Lapped,
    /// It follows the past. After command `needed` it may rejoin the ring at record `rejoin`.
    Behind { rejoin: u64, needed: Sequence },
    /// The engine is gone.
    Gone,
}

impl Feed {
    /// A feed for an engine that is being opened. The taps belong to its shards, in order.
    pub fn new(settings: Settings, taps: Vec<Source>) -> Feed {
        Feed::at(settings, taps, || Place::Before)
    }

    /// A feed for an engine that is already running, to replace a feed that is gone.
    pub fn join(settings: Settings, taps: Vec<Source>) -> Feed {
        Feed::at(settings, taps, || Place::Lapped)
    }

    fn at(settings: Settings, taps: Vec<Source>, place: impl Fn() -> Place) -> Feed {
        let board = Arc::new(Board::default());
        let followed = |(tapped, past)| {
            let shard = Shard::new(Arc::clone(&board), settings.epoch, settings.trades_kept);
            Followed { tapped, past, shard, place: place(), failed: 0, failed_at: Sequence(0), laps: 0 }
        };
        Feed { shards: taps.into_iter().map(followed).collect(), board }
    }

    /// The board with all markets.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Whether this shard's books, counted from 0, are up to date with the acknowledged commands, as far as the feed
    /// knows.
    pub fn is_following(&self, shard: usize) -> bool {
        self.shards.get(shard).is_some_and(|followed| matches!(followed.place, Place::At(_)))
    }

    /// How often a shard's ring has lapped it.
    pub fn laps(&self) -> u64 {
        self.shards.iter().map(|shard| shard.laps).sum()
    }

    /// How many bytes the feed holds for resting orders.
    pub fn order_bytes(&self) -> usize {
        self.shards.iter().map(|followed| followed.shard.order_bytes()).sum()
    }

    /// Makes progress on each shard; ends when all engines are gone.
    ///
    /// # Errors
    /// If the feed was lapped and the log can't be read.
    pub fn step(&mut self) -> Result<Step, EngineError> {
        let (mut worked, mut ended) = (false, true);
        for shard in &mut self.shards {
            let step = shard.step()?;
            worked |= step == Step::Worked;
            ended &= step == Step::Ended;
        }
        Ok(if ended {
            Step::Ended
        } else if worked {
            Step::Worked
        } else {
            Step::Idle
        })
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        // Nothing follows the engine any more, so readers must see that the books are stale.
        self.shards.iter_mut().for_each(|followed| followed.shard.stale());
    }
}

impl Followed {
    // ANCHOR: step
    fn step(&mut self) -> Result<Step, EngineError> {
        match self.place {
            Place::Before => Ok(self.open()),
            Place::At(position) => Ok(self.follow(position)),
            Place::Lapped => self.recover(Followed::begin),
            Place::Behind { rejoin, needed } => self.recover(|followed| followed.catch_up(rejoin, needed)),
            Place::Gone => Ok(Step::Ended),
        }
    }

    /// Applies the next whole commands from the ring and publishes what they changed.
    fn follow(&mut self, position: u64) -> Step {
        let (mut at, head) = (position, self.tapped.records.head());
        if at == head {
            return self.look_whether_gone(at);
        }
        let (mut commands, mut command) = (0, Sequence(0));
        while at < head {
            let Some(words) = self.tapped.records.read(at) else { return self.lapped() };
            let Some(record) = Record::decode(words) else { return self.lapped() };
            if record.stamp.sequence != command {
                if commands == BATCH_COMMANDS {
                    break;
                }
                (commands, command) = (commands + 1, record.stamp.sequence);
            }
            // After rejoining the ring, the first records may already be known from the log.
            if self.shard.is_news(&record) {
                self.shard.apply(&record);
            }
            at += 1;
        }
        self.shard.end_command();
        self.shard.publish();
        self.place = Place::At(at);
        Step::Worked
    }
    // ANCHOR_END: step

    fn open(&mut self) -> Step {
        match self.tapped.opened() {
            Ok(opened) => {
                self.shard.reset(&opened);
                self.shard.publish();
                self.place = Place::At(0);
                Step::Worked
            }
            Err(TryRecvError::Empty) => Step::Idle,
            Err(TryRecvError::Disconnected) => self.gone(),
        }
    }

    fn look_whether_gone(&mut self, position: u64) -> Step {
        let is_gone = self.tapped.opened().is_err_and(|error| error == TryRecvError::Disconnected);
        // Only after the last record: the engine published it before it went.
        match is_gone && self.tapped.records.head() == position {
            true => self.gone(),
            false => Step::Idle,
        }
    }

    fn gone(&mut self) -> Step {
        self.shard.stale();
        self.place = Place::Gone;
        Step::Ended
    }

    fn lapped(&mut self) -> Step {
        self.shard.stale();
        self.laps += 1;
        self.place = Place::Lapped;
        Step::Worked
    }

    // ANCHOR: catch_up
    /// Starts from the past.
    fn begin(&mut self) -> Result<Step, EngineError> {
        let opened = self.past.begin()?;
        self.shard.reset(&opened);
        self.place = self.rejoin();
        Ok(Step::Worked)
    }

    /// Where to rejoin the ring: at its head, once everything before that is known.
    fn rejoin(&self) -> Place {
        let records = &self.tapped.records;
        loop {
            let rejoin = records.head();
            // The state that the engine recovered when it was opened is in no ring.
            let Some(last) = rejoin.checked_sub(1) else {
                break Place::Behind { rejoin, needed: self.tapped.before() };
            };
            if let Some(record) = records.read(last).and_then(Record::decode) {
                break Place::Behind { rejoin, needed: record.stamp.sequence };
            }
        }
    }

    /// Applies the next commands of the log. When everything before `rejoin` is known and the ring still holds that
    /// record, the feed rejoins the ring.
    fn catch_up(&mut self, rejoin: u64, needed: Sequence) -> Result<Step, EngineError> {
        let before = self.shard.last();
        let left = self.past.follow(&mut |stamp, events| self.shard.replay(stamp, events))?;
        if self.shard.last() < needed {
            return Ok(if self.shard.last() > before { Step::Worked } else { Step::Idle });
        }
        if self.tapped.records.oldest() > rejoin {
            self.place = self.rejoin();
        } else if left == 0 {
            self.past.end();
            self.shard.publish();
            // Only now: a damaged log fails at the same command each time, after steps that succeed.
            (self.failed, self.place) = (0, Place::At(rejoin));
        }
        Ok(Step::Worked)
    }
    // ANCHOR_END: catch_up

    /// Reads from the past, and starts again from the beginning if that fails.
    fn recover(&mut self, work: impl FnOnce(&mut Followed) -> Result<Step, EngineError>) -> Result<Step, EngineError> {
        work(self).or_else(|error| {
            // A damaged log stops it at the same command each time. A log that is trimmed meanwhile does not.
            let has_come_further = self.shard.last() > self.failed_at;
            (self.failed, self.failed_at) =
                (if has_come_further { 1 } else { self.failed + 1 }, self.failed_at.max(self.shard.last()));
            self.place = Place::Lapped;
            if self.failed < TRIES { Ok(Step::Idle) } else { Err(error) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_has_a_greater_epoch() {
        let now = UnixMs(1_800_000_000_000);
        assert!(epoch(now, u64::MAX) < epoch(UnixMs(now.0 + 1), 0));
        assert_ne!(epoch(now, 1), epoch(now, 2));
        assert!(epoch(UnixMs(0), 0) > 0 && epoch(UnixMs(u64::MAX), u64::MAX) < 1 << 53);
    }
}
