//! Which engine runs behind the feed: any rung of part I, or 0x08.
//!
//! Engines are types, and a name on the command line is not. So work on an engine is written once, generically, and the
//! only match on the name is here.

use market::Engine;

/// An engine by its chapter's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Rung {
    /// 0x01.
    #[value(name = "0x01", help = "naive")]
    Naive,
    /// 0x02.
    #[value(name = "0x02", help = "perf metrics")]
    PerfMetrics,
    /// 0x03.
    #[value(name = "0x03", help = "group commit")]
    GroupCommit,
    /// 0x04.
    #[value(name = "0x04", help = "allocation reuse")]
    AllocationReuse,
    /// 0x05.
    #[value(name = "0x05", help = "array book")]
    ArrayBook,
    /// 0x06.
    #[value(name = "0x06", help = "pinned ring")]
    PinnedRing,
    /// 0x07.
    #[value(name = "0x07", help = "sharding")]
    Sharding,
    /// 0x08.
    #[value(name = "0x08", help = "snapshots")]
    Snapshots,
}

/// Work that can be done with any engine.
pub trait Work {
    /// The result.
    type Done;

    /// Does it with this engine.
    fn with<E: Engine>(self) -> Self::Done;
}

type EngineOf<C> = <C as runner::Chapter>::Engine;

impl Rung {
    /// Does the work with this rung's engine.
    pub fn run<W: Work>(self, work: W) -> W::Done {
        match self {
            Rung::Naive => work.with::<EngineOf<ch01::Chapter>>(),
            Rung::PerfMetrics => work.with::<EngineOf<ch02::Chapter>>(),
            Rung::GroupCommit => work.with::<EngineOf<ch03::Chapter>>(),
            Rung::AllocationReuse => work.with::<EngineOf<ch04::Chapter>>(),
            Rung::ArrayBook => work.with::<EngineOf<ch05::Chapter>>(),
            Rung::PinnedRing => work.with::<EngineOf<ch06::Chapter>>(),
            Rung::Sharding => work.with::<EngineOf<ch07::Chapter>>(),
            Rung::Snapshots => work.with::<EngineOf<ch08::Chapter>>(),
        }
    }

    /// Whether this engine can have several shards.
    pub fn has_shards(self) -> bool {
        matches!(self, Rung::Sharding | Rung::Snapshots)
    }
}
