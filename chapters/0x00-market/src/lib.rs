//! The market's contract: everything that the chapters agree on, written once.
//!
//! A binary market pays 100 cents for each YES share if its event happens, and 100 cents for each
//! NO share if it does not. This crate defines which commands exist ([`Command`]), what they lead
//! to ([`Event`]), how commands are kept on disk ([`log`]), which flows engines are measured with
//! ([`flow`]) and what "right" means ([`model`]). The chapters contain engines, and nothing else.
//!
//! Start with [`model`]: it is the specification, and it fits on a few pages.
#![forbid(unsafe_code)]

mod bytes;
pub mod clock;
pub mod command;
pub mod companion;
pub mod csv;
pub mod data_dir;
mod digest;
pub mod disk;
pub mod draft;
pub mod engine;
pub mod event;
mod event_encoding;
pub mod flow;
mod frame;
pub mod hands;
pub mod ids;
pub mod log;
pub mod log_chain;
mod log_durable;
mod log_error;
mod log_gap;
mod log_header;
mod log_input;
pub mod log_merge;
pub mod log_next;
pub mod log_open;
pub mod log_reader;
mod log_rewrite;
pub mod log_set;
mod log_tail;
pub mod log_writer;
pub mod model;
pub mod money;
mod record;
pub mod role;
pub mod schedule;
mod shard;
pub mod snapshot;
pub mod snapshot_file;
pub mod snapshot_section;
pub mod state;
pub mod watermark;

pub use clock::{Clock, Stamp, UnixMs};
pub use command::{Command, Intent, Outcome, Place, Side, TimeInForce};
pub use data_dir::DataDir;
pub use disk::{Disk, LogFile, RealDisk};
pub use engine::{Acknowledge, Closed, Engine, EngineError, Options, Receivers, Recovery, Stage, StageTimes, Ticket};
pub use event::{CancelReason, Event, Reason, TradeKind};
pub use ids::{AccountId, LogId, MarketId, OrderId, Sequence};
pub use log_error::LogError;
pub use log_open::{JudgedLog, read_log, read_log_from};
pub use log_reader::LogReader;
pub use log_writer::LogWriter;
pub use money::{Cents, Price, Quantity};
pub use role::Role;
pub use schedule::{Schedule, Step};
