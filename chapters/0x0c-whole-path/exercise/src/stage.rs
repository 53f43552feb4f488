//! The stages of a request's way through the venue, and the stamps between them.
//!
//! A stamp is a moment; a stage lies between two neighbouring stamps and has one name. So the stages of a request add up to
//! the whole by construction, and a stage that is left out makes its neighbour longer: it can't hide.
//!
//! ```text
//! read ─ parse ─ door ─ queue ─ journal ─ sync ─ wake ─ match ─ reply ─ encode ─ write ─ written
//!      │       │      │       │         │      │      │       │       │        │
//!      │       │      │       │         │      │      │       │       │        └ in the protocol's form
//!      │       │      │       │         │      │      │       │       └ on its way to the connection's task
//!      │       │      │       │         │      │      │       └ the replies thread has the answer
//!      │       │      │       │         │      │      └ matching has begun its frame
//!      │       │      │       │         │      └ its frame is on disk
//!      │       │      │       │         └ its frame is sealed
//!      │       │      │       └ the engine's thread has it
//!      │       │      └ it stands in the queue
//!      │       └ its commands are known
//!      └ its last byte has come from the socket
//! ```

use market::{Sequence, Ticket};

/// A moment on the way of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Moment {
    /// Its last bytes were read from the socket.
    Read = 0,
    /// Its commands are known.
    Parsed,
    /// It stands in the queue to the engine's thread.
    Entered,
    /// The engine's thread has it.
    Taken,
    /// The journal has sealed the frame of its last command.
    Sealed,
    /// That frame is on disk.
    Synced,
    /// Matching has begun that frame.
    Begun,
    /// The replies thread has the last answer.
    HandedBack,
    /// The answers are on their way to the connection's task.
    Answered,
    /// The answers are in the protocol's form.
    Encoded,
    /// They are written to the socket.
    Written,
}

/// How many moments there are.
pub const MOMENTS: usize = Moment::Written as usize + 1;

/// How many stages lie between them.
pub const STAGES: usize = MOMENTS - 1;

/// The stages' names, each for what happens up to its moment.
pub const NAMES: [&str; STAGES] =
    ["parse", "door", "queue", "journal", "sync", "wake", "match", "reply", "encode", "write"];

/// What happens in each stage, in English and in Chinese.
pub const MEANINGS: [(&str, &str); STAGES] = [
    ("head and body are parsed, the key is looked up", "解析请求头和正文，查密钥"),
    ("limits, and the window of numbers", "限流，以及编号窗口"),
    ("waits for the engine's thread", "等待引擎线程"),
    ("waits for the journal, and for the sync before it", "等待日志线程，以及前一次同步"),
    ("its frame is written to disk", "它所在的帧写入磁盘"),
    ("waits for the matching thread", "等待撮合线程"),
    ("matched behind the others of its frame, and handed back", "排在同一帧的命令之后撮合，再交回"),
    ("projection and notices, before the answer is given", "更新投影、写通知，然后给出回答"),
    ("its task is woken, and the answer is encoded", "唤醒连接的任务，编码回答"),
    ("to the socket", "写入套接字"),
];

/// The stamps of one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamps {
    /// The moments, in nanoseconds of the [clock](crate::clock); 0 where there is none.
    pub at: [u64; MOMENTS],
    /// Its last command.
    pub ticket: Option<Ticket>,
    /// The client's own name for it; 0 if it gave none.
    pub id: u128,
}

impl Stamps {
    /// A moment.
    pub fn at(&self, moment: Moment) -> u64 {
        self.at[moment as usize]
    }

    /// How long each stage took, in nanoseconds; none where the request has not been through all of them, such as
    /// one that was refused at the door.
    pub fn stages(&self) -> Option<[u64; STAGES]> {
        todo!("step 1: stages")
    }

    /// From the moment when it was read until its answer was written, in nanoseconds; 0 as long as it is not written.
    pub fn whole(&self) -> u64 {
        todo!("step 2: whole")
    }

    /// Its last command's number; 0 where it has none.
    pub fn sequence(&self) -> Sequence {
        self.ticket.map_or(Sequence(0), |ticket| ticket.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(at: [u64; MOMENTS]) -> Stamps {
        Stamps { at, ticket: None, id: 0 }
    }

    #[test]
    fn stages_add_up_to_the_whole() {
        let stamps = stamps([5, 7, 7, 9, 20, 80, 81, 90, 91, 99, 100]);
        let stages = stamps.stages().expect("all moments are there");
        assert_eq!(stages, [2, 0, 2, 11, 60, 1, 9, 1, 8, 1]);
        assert_eq!(stages.iter().sum::<u64>(), stamps.whole());
    }

    #[test]
    fn a_moment_that_is_missing_or_out_of_order_is_noticed() {
        let whole = [5, 7, 7, 9, 20, 80, 81, 90, 91, 99, 100];
        for moment in 0..MOMENTS {
            let mut missing = whole;
            missing[moment] = 0;
            assert_eq!(stamps(missing).stages(), None, "{moment}");
            let mut late = whole;
            late[moment] = 200;
            assert_eq!(stamps(late).stages().is_none(), moment < MOMENTS - 1, "{moment}");
        }
    }
}
