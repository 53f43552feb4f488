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

/// What may happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An append gets to the stream, which takes it or refuses it.
    Arrives(Append),
    /// An append never gets there.
    IsLost(Append),
    /// A machine takes over.
    TakesOver(usize),
    /// It looks at the place that its epoch should have.
    LooksForEpoch(usize),
    /// It reads the next message.
    ReadsOn(usize),
    /// It writes a client's command to its own log, and sends it.
    Writes(usize, Command),
    /// It looks at the place that its frame should have.
    LooksForFrame(usize),
    /// It dies and comes back.
    Dies(usize),
    /// The stream loses its beginning, up to where this machine has read or appended.
    Trims(usize),
}

/// For people.
impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Arrives(append) => write!(f, "the stream gets what machine {} sent: {append}", append.from),
            Step::IsLost(append) => write!(f, "what machine {} sent is lost: {append}", append.from),
            Step::TakesOver(of) => write!(f, "machine {of} takes over"),
            Step::LooksForEpoch(of) => write!(f, "machine {of} looks whether its epoch is there"),
            Step::ReadsOn(of) => write!(f, "machine {of} reads on"),
            Step::Writes(of, command) => write!(f, "machine {of} writes command {command}"),
            Step::LooksForFrame(of) => write!(f, "machine {of} looks whether its frame is there"),
            Step::Dies(of) => write!(f, "machine {of} dies and comes back"),
            Step::Trims(of) => write!(f, "the stream loses its beginning, which machine {of} has"),
        }
    }
}

/// What a machine does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It follows, or is not running: nothing is promised.
    Standby,
    /// Its epoch is on its way, for the place after this one.
    Fencing(usize),
    /// Its epoch is there: it reads up to it.
    Reading(usize),
    /// It takes commands.
    Primary,
    /// It knows that it was replaced.
    Replaced,
    /// What it has to read next is no longer in the stream: it ends.
    Refused,
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
    /// A primary appends after a frame of its own before it knows that this is there.
    SeveralUnderWay,
    /// A machine that lacks what is no longer in the stream reads on after it.
    ReadsOnAfterGap,
    /// A primary whose frame's place is no longer in the stream takes the frame for confirmed.
    TakesGoneForOwn,
}

/// How much may happen.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub commands: u8,
    pub epochs: usize,
    pub crashes: u8,
    pub trims: u8,
}
