//! The protocol of replication, without everything that does not matter to it: machines, one stream, and what is on its way.
//!
//! The stream is what the servers promise: an append that names the last place is there right after it, or it is not there. What
//! is on its way to it or back may come late or never. A machine may stop between any two steps for any time, which needs no step
//! of its own: the others go on. It may also die, and begin again with what is on its disk. There is no clock: a standby may take
//! over at any moment, as it would with any clock, a wrong one included.
//!
//! The stream may lose its beginning while one machine alone has it. The program asks more of a trim, so that no machine is
//! refused. Nothing acknowledged may be lost where it asks too little, either.

use std::collections::BTreeSet;

use super::parts::{Acknowledged, Append, Bounds, Command, Machine, Message, Mistake, Role, Step};

/// Everything at one moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    /// Every message, those that were trimmed away among them: no machine may look at these.
    pub stream: Vec<Message>,
    /// How many messages were trimmed away.
    pub gone: usize,
    pub machines: [Machine; 2],
    pub on_its_way: BTreeSet<Append>,
    pub acknowledged: BTreeSet<Acknowledged>,
    pub commands: u8,
    pub begun: usize,
    pub crashes: u8,
    pub trims: u8,
}

impl World {
    pub fn new() -> World {
        let machine =
            Machine { role: Role::Standby, log: Vec::new(), confirmed: 0, place: 0, epoch: 0, has_acknowledged: false };
        World {
            stream: Vec::new(),
            gone: 0,
            machines: [machine.clone(), machine],
            on_its_way: BTreeSet::new(),
            acknowledged: BTreeSet::new(),
            commands: 0,
            begun: 0,
            crashes: 0,
            trims: 0,
        }
    }

    /// Everything that may happen next, and what it leads to.
    pub fn next(&self, bounds: Bounds, mistake: Mistake) -> Vec<(Step, World)> {
        let mut next = Vec::new();
        let mut add = |step: Step, change: &dyn Fn(&mut World)| {
            let mut world = self.clone();
            change(&mut world);
            next.push((step, world));
        };
        for append in &self.on_its_way {
            add(Step::Arrives(*append), &|world| world.arrive(append, mistake));
            add(Step::IsLost(*append), &|world| {
                world.on_its_way.remove(append);
            });
        }
        for (of, machine) in self.machines.iter().enumerate() {
            let may_begin = machine.place >= self.gone || mistake == Mistake::ReadsOnAfterGap;
            if machine.role == Role::Standby && may_begin && self.begun < bounds.epochs {
                add(Step::TakesOver(of), &|world| world.begin(of, mistake));
            }
            if let Role::Fencing(_) = machine.role {
                add(Step::LooksForEpoch(of), &|world| world.look_for_epoch(of, mistake));
            }
            if let Role::Reading(_) = machine.role {
                add(Step::ReadsOn(of), &|world| world.read(of, mistake));
            }
            let may_write = machine.log.len() == machine.confirmed || mistake == Mistake::SeveralUnderWay;
            if machine.role == Role::Primary && may_write && self.commands < bounds.commands {
                add(Step::Writes(of, self.name()), &|world| world.write(of, mistake));
            }
            if machine.role == Role::Primary && machine.log.len() > machine.confirmed {
                add(Step::LooksForFrame(of), &|world| world.look_for_frame(of, mistake));
            }
            if machine.role != Role::Standby && self.crashes < bounds.crashes {
                add(Step::Dies(of), &|world| world.crash(of));
            }
            if machine.role == Role::Primary && machine.place > self.gone && self.trims < bounds.trims {
                add(Step::Trims(of), &|world| world.trim(of));
            }
        }
        next
    }

    /// What the next command is called.
    fn name(&self) -> Command {
        char::from(b'A' + self.commands)
    }

    /// Sends the command of its log with this index, for the place after everything before it.
    fn send(&mut self, from: usize, index: usize) {
        let machine = &self.machines[from];
        let last = machine.place + index - machine.confirmed;
        self.on_its_way.insert(Append { from, last, message: machine.frame(index) });
    }

    /// The stream takes an append, or refuses it.
    fn arrive(&mut self, append: &Append, mistake: Mistake) {
        self.on_its_way.remove(append);
        let is_unchecked = mistake == Mistake::NoPlace && matches!(append.message, Message::Frame(..));
        if append.last == self.stream.len() || is_unchecked {
            self.stream.push(append.message);
        }
    }

    fn begin(&mut self, of: usize, mistake: Mistake) {
        self.begun += 1;
        let end = self.stream.len();
        match mistake {
            Mistake::ReadBeforeFence => {
                self.take_up_to(of, end);
                self.machines[of].role = Role::Fencing(end);
            }
            Mistake::AcknowledgeBeforeFence => {
                self.take_up_to(of, end);
                self.machines[of].role = Role::Primary;
                return;
            }
            _ => self.machines[of].role = Role::Fencing(end),
        }
        self.on_its_way.insert(Append { from: of, last: end, message: Message::Epoch(of) });
    }

    /// Looks where its epoch should be: there is its epoch, another message, or nothing yet. What is gone counts as another
    /// message.
    fn look_for_epoch(&mut self, of: usize, mistake: Mistake) {
        let Role::Fencing(last) = self.machines[of].role else { return };
        match self.stream.get(last) {
            Some(Message::Epoch(by)) if *by == of && last >= self.gone => {
                self.machines[of].epoch = last + 1;
                self.machines[of].role = Role::Reading(last + 1);
                if mistake == Mistake::ReadBeforeFence {
                    // It has read before its epoch was there, and treats that as everything.
                    self.machines[of].place = last + 1;
                    self.open(of);
                }
            }
            Some(_) => {
                let end = self.stream.len();
                self.machines[of].role = Role::Fencing(end);
                self.on_its_way.insert(Append { from: of, last: end, message: Message::Epoch(of) });
            }
            None => {
                self.on_its_way.insert(Append { from: of, last, message: Message::Epoch(of) });
            }
        }
    }

    fn read(&mut self, of: usize, mistake: Mistake) {
        let Role::Reading(until) = self.machines[of].role else { return };
        if self.machines[of].place < self.gone {
            match mistake {
                Mistake::ReadsOnAfterGap => self.machines[of].place = self.gone,
                _ => self.machines[of].role = Role::Refused,
            }
            return;
        }
        let next = self.machines[of].place + 1;
        self.take_up_to(of, next.min(until));
        if self.machines[of].place == until {
            self.open(of);
        }
    }

    /// It has read up to its epoch. What only its own log has is appended like any other frame, and acknowledged to no client.
    fn open(&mut self, of: usize) {
        self.machines[of].role = Role::Primary;
        if self.machines[of].log.len() > self.machines[of].confirmed {
            self.send(of, self.machines[of].confirmed);
        }
    }

    /// Takes the messages up to a place into its own log. Where that log differs, it is cut off.
    fn take_up_to(&mut self, of: usize, place: usize) {
        let machine = &mut self.machines[of];
        while machine.place < place {
            if let Message::Frame(_, command) = self.stream[machine.place] {
                if machine.log.get(machine.confirmed) != Some(&command) {
                    machine.log.truncate(machine.confirmed);
                    machine.log.push(command);
                }
                machine.confirmed += 1;
            }
            machine.place += 1;
        }
    }

    fn write(&mut self, of: usize, mistake: Mistake) {
        let command = self.name();
        self.commands += 1;
        self.machines[of].log.push(command);
        self.send(of, self.machines[of].log.len() - 1);
        let is_early = match mistake {
            Mistake::AcknowledgeFromDisk => true,
            Mistake::AcknowledgeBeforeFence => !self.machines[of].has_acknowledged,
            _ => false,
        };
        if is_early {
            self.acknowledge(of, self.machines[of].log.len());
        }
    }

    /// Looks where its frame should be: there is its frame, another message, or nothing yet. What is gone counts as another
    /// message.
    fn look_for_frame(&mut self, of: usize, mistake: Mistake) {
        let Machine { place, confirmed, ref log, .. } = self.machines[of];
        let own = self.machines[of].frame(confirmed);
        let is_gone = place < self.gone;
        let there = match mistake {
            Mistake::TakesGoneForOwn if is_gone => Some(&own),
            // It believes the acknowledgement, wherever in the stream the frame is.
            Mistake::NoPlace => self.stream[place..].iter().find(|message| **message == own),
            _ => self.stream.get(place),
        };
        match there {
            Some(message) if *message == own && (!is_gone || mistake == Mistake::TakesGoneForOwn) => {
                let is_new = !self.acknowledged.iter().any(|known| known.command == log[confirmed]);
                self.machines[of].place += 1;
                self.machines[of].confirmed += 1;
                if is_new {
                    self.acknowledge(of, confirmed + 1);
                }
            }
            Some(_) => self.machines[of].role = Role::Replaced,
            None => self.send(of, confirmed),
        }
    }

    fn acknowledge(&mut self, of: usize, sequence: usize) {
        let machine = &mut self.machines[of];
        machine.has_acknowledged = true;
        let (command, epoch) = (machine.log[sequence - 1], machine.epoch);
        let frame = self.stream.iter().position(|message| *message == machine.frame(sequence - 1));
        let before = &self.stream[..frame.unwrap_or(self.stream.len())];
        let was_replaced = before.iter().skip(epoch).any(|message| matches!(message, Message::Epoch(_)));
        self.acknowledged.insert(Acknowledged { sequence, command, epoch, was_replaced });
    }

    /// Removes what this machine has from the stream.
    fn trim(&mut self, of: usize) {
        self.trims += 1;
        self.gone = self.machines[of].place;
    }

    fn crash(&mut self, of: usize) {
        self.crashes += 1;
        let machine = &mut self.machines[of];
        (machine.role, machine.has_acknowledged) = (Role::Standby, false);
    }

    /// A broken promise, as a sentence, if this state breaks one.
    pub fn broken(&self) -> Option<String> {
        self.hole().or_else(|| self.lost()).or_else(|| self.late())
    }

    /// A frame that does not follow the one before it.
    fn hole(&self) -> Option<String> {
        let frames = self.stream.iter().filter(|message| matches!(message, Message::Frame(..)));
        frames.enumerate().find_map(|(before, frame)| match *frame {
            Message::Frame(number, command) if number != before + 1 => {
                Some(format!("{command} has number {number}, and {before} stand before it: no machine can read on"))
            }
            _ => None,
        })
    }

    /// An acknowledged command whose number another acknowledged command has, too, or which a later primary's log lacks.
    pub fn lost(&self) -> Option<String> {
        self.acknowledged.iter().find_map(|known| {
            let Acknowledged { sequence, command, epoch, .. } = *known;
            if let Some(other) = self.acknowledged.iter().find(|o| o.sequence == sequence && o.command != command) {
                return Some(format!("number {sequence} was acknowledged as {command} and as {}", other.command));
            }
            let lacks = |machine: &Machine| {
                let is_later = machine.role == Role::Primary && machine.epoch > epoch;
                is_later && machine.log.get(sequence - 1) != Some(&command)
            };
            let of = self.machines.iter().position(lacks)?;
            Some(format!("{command} was acknowledged, and is not in the log of machine {of}, a later primary"))
        })
    }

    /// A command that a primary acknowledged after it was replaced.
    fn late(&self) -> Option<String> {
        let Acknowledged { command, epoch, .. } = self.acknowledged.iter().find(|known| known.was_replaced)?;
        Some(format!("{command} was acknowledged in epoch {epoch}, after a later epoch had begun"))
    }
}
