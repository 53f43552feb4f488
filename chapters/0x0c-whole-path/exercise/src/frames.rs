//! When a shard's frames were sealed, synced and matched, for the last [`FRAMES`] of them.
//!
//! The engine does not know that it is measured. The journal writes a frame and syncs it through a
//! [disk](crate::disk) around the disk, and the matching thread hands its events to a [receiver](Matching): each takes one
//! stamp a frame, not one an order, so a frame of ten thousand orders costs what a frame of one costs.
//!
//! One thread writes each column, and many may read: they are atomics, published by `sealed` and `synced`.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use market::state::ExchangeState;
use market::{Acknowledge, Event, Sequence, Stamp};

use crate::clock::now;

/// How many frames are remembered. A request that takes longer than so many frames has no stamps of its frame.
pub const FRAMES: u64 = 8_192;

/// The last frames of a shard.
pub struct Frames {
    slots: Box<[Slot]>,
    /// The first command of the first frame. What the log had before this process began is older.
    first: AtomicU64,
    /// How many frames were sealed, and how many of them synced. Frame `n` is in slot `n` modulo [`FRAMES`].
    sealed: AtomicU64,
    synced: AtomicU64,
}

#[derive(Default)]
struct Slot {
    /// The number after the frame's last command.
    end: AtomicU64,
    sealed: AtomicU64,
    synced: AtomicU64,
    begun: AtomicU64,
}

/// The moments of a frame, in nanoseconds of the [clock](crate::clock).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// It was sealed.
    pub sealed: u64,
    /// It was on disk.
    pub synced: u64,
    /// Matching began it.
    pub begun: u64,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames {
            slots: (0..FRAMES).map(|_| Slot::default()).collect(),
            first: AtomicU64::new(0),
            sealed: AtomicU64::new(0),
            synced: AtomicU64::new(0),
        }
    }
}

impl Frames {
    fn slot(&self, frame: u64) -> &Slot {
        &self.slots[(frame % FRAMES) as usize]
    }

    /// Notes that a frame of these commands was sealed at this time. The journal calls this.
    pub fn seal(&self, commands: Range<Sequence>, at: u64) {
        let frame = self.sealed.load(Ordering::Relaxed);
        if frame == 0 {
            self.first.store(commands.start.0, Ordering::Relaxed);
        }
        let slot = self.slot(frame);
        // A reader that sees what is written here sees `sealed` as it is now, and knows that the frame before is gone.
        fence(Ordering::Release);
        slot.end.store(commands.end.0, Ordering::Relaxed);
        slot.sealed.store(at, Ordering::Relaxed);
        slot.begun.store(0, Ordering::Relaxed);
        self.sealed.store(frame + 1, Ordering::Release);
    }

    /// Notes that all sealed frames are on disk. The journal calls this before it announces them.
    pub fn sync(&self, at: u64) {
        let (from, to) = (self.synced.load(Ordering::Relaxed), self.sealed.load(Ordering::Relaxed));
        (from..to).for_each(|frame| self.slot(frame).synced.store(at, Ordering::Relaxed));
        self.synced.store(to, Ordering::Release);
    }

    /// The frame of a command whose events were acknowledged; none where it is no longer remembered, or was in the log
    /// before the first frame. The journal may seal frames meanwhile, and write over the oldest.
    pub fn find(&self, _sequence: Sequence) -> Option<Frame> {
        todo!("step 5: find")
    }
}

/// A receiver on the matching thread, which stamps the first command of each frame. It takes no lock and no memory.
pub struct Matching {
    frames: Arc<Frames>,
    /// The frame that is being matched, and the number after its last command.
    frame: u64,
    end: u64,
}

impl Matching {
    /// A receiver for a shard that was just opened.
    pub fn new(frames: &Arc<Frames>) -> Matching {
        Matching { frames: Arc::clone(frames), frame: 0, end: 0 }
    }

    #[cold]
    fn begin(&mut self, sequence: u64) {
        let at = now();
        let sealed = self.frames.sealed.load(Ordering::Acquire);
        self.frame = self.frame.max(sealed.saturating_sub(FRAMES - 1));
        while self.frame < sealed && self.frames.slot(self.frame).end.load(Ordering::Relaxed) <= sequence {
            self.frame += 1;
        }
        if self.frame < sealed {
            let slot = self.frames.slot(self.frame);
            self.end = slot.end.load(Ordering::Relaxed);
            slot.begun.store(at, Ordering::Relaxed);
        }
    }
}

impl Acknowledge for Matching {
    #[inline]
    fn acknowledge(&mut self, stamp: Stamp, _: &[Event]) {
        if stamp.sequence.0 >= self.end {
            self.begin(stamp.sequence.0);
        }
    }

    fn recovered(&mut self, _: Sequence, _: &dyn Fn() -> ExchangeState) {}
}

#[cfg(test)]
mod tests {
    use market::UnixMs;

    use super::*;

    fn stamp(sequence: u64) -> Stamp {
        Stamp { sequence: Sequence(sequence), time: UnixMs(0) }
    }

    #[test]
    fn each_command_finds_its_frame_as_long_as_it_is_remembered() {
        let frames = Arc::new(Frames::default());
        let mut matching = Matching::new(&frames);
        let (mut next, mut all) = (1, Vec::new());
        for number in 0..3 * FRAMES {
            let end = next + 1 + number % 3;
            frames.seal(Sequence(next)..Sequence(end), 10 * number + 1);
            frames.sync(10 * number + 2);
            (next..end).for_each(|sequence| matching.acknowledge(stamp(sequence), &[]));
            all.push((next, end, number));
            next = end;
        }
        for (place, &(first, end, number)) in all.iter().rev().enumerate() {
            for sequence in [first, end - 1] {
                let found = frames.find(Sequence(sequence));
                if place as u64 <= FRAMES - 3 {
                    let frame = found.expect("it is remembered");
                    assert_eq!((frame.sealed, frame.synced), (10 * number + 1, 10 * number + 2));
                    assert!(frame.begun > 0);
                } else {
                    assert_eq!(found, None, "frame {number}");
                }
            }
        }
        assert_eq!(frames.find(Sequence(next)), None, "it was not sealed");
    }

    #[test]
    fn what_was_sealed_and_not_synced_is_not_found() {
        let frames = Frames::default();
        frames.seal(Sequence(1)..Sequence(4), 1);
        assert_eq!(frames.find(Sequence(1)), None);
        frames.seal(Sequence(4)..Sequence(9), 2);
        frames.sync(3);
        assert_eq!(frames.find(Sequence(1)), Some(Frame { sealed: 1, synced: 3, begun: 0 }));
        assert_eq!(frames.find(Sequence(8)), Some(Frame { sealed: 2, synced: 3, begun: 0 }));
    }
}
