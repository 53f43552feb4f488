//! The candles that clients watch: read once for all of them, a few times a second, while at least one is watched.
//!
//! They come from the rows and not from the engine, so watching costs trading nothing. A client has no queue here: it takes
//! what its [`mod@line`] has when it is ready for it, so one that is slow costs no more than one that is fast. Cost: one row a
//! tick for each watched market, and one short range of keys for each line that has changed.

pub mod keep;
pub mod line;
pub mod lines;
pub mod part;
