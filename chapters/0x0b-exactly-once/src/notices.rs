//! Notices: what happened to an account, each thing once and in order, however often its reader was away.
//!
//! An event stands at a [place](place::Place) in a shard's log. A reader's [`cursor`] says how far it has come in each
//! shard, and the reader keeps it; the venue keeps nothing for a reader but its connection. The last events of all accounts
//! are in one [`ring`]; what is older is in an [`archive`] that a later chapter may hand in, or is [replayed](past) from
//! snapshot and log, beside the engine.

pub mod archive;
pub mod cursor;
pub mod feed;
pub mod past;
pub mod place;
pub mod reader;
pub mod ring;
pub mod tell;
