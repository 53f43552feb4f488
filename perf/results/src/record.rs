//! The records: what runs write under `output/`, and what the book's tables and charts and `compare` read. Names in
//! the files never change; new ones may be added.
//!
//! Each is a [`Record`]: `load` says what is wrong with a file and what to do, and `save` writes it all at once.

mod any_price;
mod disks;
mod feed;
mod flow;
mod history_of_figures;
mod lab;
mod ladder;
mod load;
mod numbers;
mod once;
mod path;
mod race;
mod races;
mod recover;
mod replicas;
mod scale;
mod soak;
mod stages;
mod sweep;
pub mod venue;

pub use any_price::{AnyPriceRecord, BookRecord, ClassicRecord, FlowRecord, KindRecord, LinesRecord, UnableRecord};
pub use disks::{DiskRecord, DisksRecord, LimitRecord};
pub use feed::{
    FedEngineRecord, FedShardsRecord, FeedCaseRecord, FeedRecord, LateRecord, Limit, ThreadsRecord, WayRecord,
};
pub use flow::Flow;
pub use history_of_figures::{HistoryOfFigures, LadderVersion};
pub use lab::{CaseRecord, ExperimentRecord, LabRecord, LeftOutRecord, VariantRecord};
pub use ladder::{ChapterRecord, LadderRecord, Latency, Round};
pub use load::LoadRecord;
pub use numbers::{Measured, NumberRecord, NumbersRecord, ReferenceFrom};
pub use once::{CostRecord, NaiveRecord, OnceRecord, ReturningRecord};
pub use path::{PathLoadRecord, PathRecord, PathStageRecord, PathWholeRecord};
pub use race::{Pair, RaceRecord, RacedChapter, RacedRound};
pub use races::{EstimatesRecord, RacedOnce, RacesRecord, SeriesRecord};
pub use recover::{OfferRecord, PauseRecord, RecoverRecord, StartRecord, Started, StateRecord};
pub use replicas::{FrameSizeRecord, ReplicasRecord};
pub use scale::{ScaleRecord, Shards};
pub use soak::{SlopeRecord, SoakRecord, TrendRecord, WindowRecord};
pub use stages::Stages;
pub use sweep::{BatchSize, SweepRecord};
pub use venue::VenueRecord;

pub use crate::json::Record;
pub use crate::spread::Spread;
