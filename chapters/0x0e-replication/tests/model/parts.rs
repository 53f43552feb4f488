//! What the model of the protocol is made of.

/// What a client wants to be done.
pub type Command = char;

/// A message of the stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    /// A machine begins an epoch.
    Epoch(usize),
    /// A frame of one command, and which number it has in the log.
    Frame(usize, Command),
}

/// An append that is on its way to the stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Append {
    pub from: usize,
    /// The place of the last message, as the sender knows it.
    pub last: usize,
    pub message: Message,
}

/// For people.
impl std::fmt::Display for Append {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.message {
            Message::Epoch(_) => "an epoch".to_owned(),
            Message::Frame(number, command) => format!("command {command} (number {number})"),
        };
        write!(f, "{what}, behind message {}", self.last)
    }
}

/// What a machine does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It follows, or is not running: nothing is promised.
    Standby,
    /// Its epoch is on its way, behind this place.
    Fencing(usize),
    /// Its epoch is there: it reads up to it.
    Reading(usize),
    /// It takes commands.
    Primary,
    /// It knows that it was replaced.
    Replaced,
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    pub role: Role,
    /// Its own log, which survives it.
    pub log: Vec<Command>,
    /// How many commands of its log are known to be in the stream.
    pub confirmed: usize,
    /// The place up to which it has read or appended.
    pub place: usize,
    /// The place of its epoch.
    pub epoch: usize,
    /// Whether it has acknowledged a command in this life.
    pub has_acknowledged: bool,
}

impl Machine {
    /// The frame of the command of its log with this index.
    pub fn frame(&self, index: usize) -> Message {
        Message::Frame(index + 1, self.log[index])
    }
}

/// An acknowledgement that a client has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Acknowledged {
    pub sequence: usize,
    pub command: Command,
    /// The epoch of the machine that gave it.
    pub epoch: usize,
    /// Whether a later epoch stood in the stream, before the command's frame.
    pub was_replaced: bool,
}

/// What is wrong in the protocol, if anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    None,
    /// A primary reads to the end, and begins its epoch afterwards.
    ReadBeforeFence,
    /// A primary acknowledges when its own disk has the command.
    AcknowledgeFromDisk,
    /// A primary opens before its epoch is there, and acknowledges its first command from its disk.
    AcknowledgeBeforeFence,
    /// A primary appends without naming the place of the last message.
    NoPlace,
    /// A primary appends behind a frame of its own before it knows that this is there.
    SeveralUnderWay,
}

/// How much may happen.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub commands: u8,
    pub epochs: usize,
    pub crashes: u8,
}
