//! 0x09: market data. How do ten thousand people watch one book without slowing it down?
//!
//! There are 99 prices and the book is never crossed, so one signed number describes each price, and a mask of 99 bits
//! describes everything that a reader may have missed. There is no queue per reader: each has a [`Cursor`], asks when
//! it likes for what has changed since, and gets the current state.
//!
//! ```text
//!  matching thread       feed's thread                          any thread
//!  ┌──────────────┐      ┌──────────────────────┐  publishes    ┌────────────────┐
//!  │ engine ▶ tap ├─ring▶│ feed: 99 prices and  ├──▶ shown ────▶│ reader, cursor │  the book as it is now
//!  └──────────────┘      │ resting orders a     ├──▶ trades ───▶│                │  every trade, or a named gap
//!                        │ market               │    (a ring)   └────────────────┘
//!                        └──────────▲───────────┘
//!                       snapshot and log, when the ring has lapped it
//! ```
//!
//! Follow one order: [`tap`] copies what watchers may see, [`feed`] applies it, [`shown`] publishes it, [`reader`]
//! reads it. Clients outside this process receive [`message`]s and build a book from them with a [`view`].
#![forbid(unsafe_code)]

pub mod board;
pub mod depth;
pub mod engines;
pub mod feed;
pub mod feed_thread;
pub mod fuzz;
pub mod json;
pub mod live;
pub mod memory;
pub mod message;
pub mod offer;
pub mod orders;
pub mod past;
pub mod reader;
pub mod record;
pub mod ring;
pub mod shard;
pub mod shown;
pub mod slate;
pub mod tap;
pub mod trade;
pub mod update;
pub mod view;
pub mod watched;

pub use depth::{Depth, PRICES, Prices};
pub use message::{Message, TradeUpdate, Unreadable};
pub use trade::{Heard, Missed, PublicTrade, TradeCursor, TradeId};
pub use update::{BookUpdate, Cursor, LastTrade, Status, Summary, Version, Volume};
pub use view::{Applied, BookView, Freshness, Need, Refused};
