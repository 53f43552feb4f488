//! Events that wait for their commands to become durable.
//!
//! Matching runs ahead of the journal, so what it found out is kept here, in order, until the journal
//! has caught up. The ring bounds how far ahead that can be. Cost: an event is written once and read
//! once; the memory is kept and used again.

use market::Event;

/// The events of commands that are matched and not yet acknowledged.
#[derive(Default)]
pub struct Pending {
    events: Vec<Event>,
    /// Where in `events` the events of each command end.
    ends: Vec<u32>,
    /// How many commands, and how many events, have been taken from the front.
    taken: usize,
    start: u32,
}

impl Pending {
    // ANCHOR: pending
    /// The list that the events of the command at hand are added to.
    pub fn events(&mut self) -> &mut Vec<Event> {
        &mut self.events
    }

    /// Marks where they end.
    pub fn end_command(&mut self) {
        self.ends.push(self.events.len() as u32);
    }

    /// How many commands wait.
    pub fn len(&self) -> usize {
        self.ends.len() - self.taken
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The events of the command that has waited longest, which waits no longer.
    pub fn take(&mut self) -> &[Event] {
        let end = self.ends[self.taken];
        let events = &self.events[self.start as usize..end as usize];
        self.taken += 1;
        self.start = end;
        events
    }

    /// Forgets what was taken, once that is most of what is kept: each event moves once at most.
    pub fn tidy(&mut self) {
        if self.taken < self.ends.len() / 2 || self.taken == 0 {
            return;
        }
        self.events.drain(..self.start as usize);
        self.ends.drain(..self.taken);
        self.ends.iter_mut().for_each(|end| *end -= self.start);
        (self.taken, self.start) = (0, 0);
    }
    // ANCHOR_END: pending
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::MarketId;

    #[test]
    fn first_in_first_out_across_a_tidy() {
        let (mut pending, mut next_in, mut next_out, mut kept) = (Pending::default(), 0, 0, 0);
        let event = |market| Event::Opened { market: MarketId(market) };
        for round in 0..1_000_u32 {
            for _ in 0..round % 7 {
                pending.events().extend([event(next_in), event(next_in)]);
                pending.end_command();
                next_in += 1;
            }
            for _ in 0..(round % 5).min(pending.len() as u32) {
                assert_eq!(pending.take(), [event(next_out), event(next_out)]);
                next_out += 1;
            }
            pending.tidy();
            assert_eq!(pending.len() as u32, next_in - next_out);
            kept += u32::from(pending.taken > 0);
        }
        assert!(kept > 100, "what waits was moved each time that something was taken");
    }
}
