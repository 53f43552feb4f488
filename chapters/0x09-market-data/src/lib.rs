//! 0x09: market data. How do ten thousand people watch one book without slowing it down?
//!
//! There are 99 prices and the book is never crossed, so what stands at a price is one signed number, and all that a
//! reader may have missed is a mask of 99 bits. Nobody keeps a queue for a reader: each has a [`Cursor`], takes what has
//! changed since when it likes, and gets what is true now.
//!
//! ```text
//!  matching thread       feed's thread                          any thread
//!  ┌──────────────┐      ┌──────────────────────┐  publishes    ┌────────────────┐
//!  │ engine ▶ tap ├─ring▶│ feed: 99 prices and  ├──▶ shown ────▶│ reader, cursor │  the book as it is now
//!  └──────────────┘      │ resting orders a     ├──▶ trades ───▶│                │  every trade, or the gap's name
//!                        │ market               │    (a ring)   └────────────────┘
//!                        └──────────▲───────────┘
//!                       snapshot and log, when the ring has lapped it
//! ```
//!
//! Follow one order: [`tap`] copies what watchers may see, [`feed`] applies it, [`shown`] publishes it, [`reader`] takes it.
//! Whoever is not in this process gets [`message`]s, and makes a book of them with a [`view`].
#![forbid(unsafe_code)]

pub mod board;
pub mod depth;
pub mod engines;
pub mod feed;
pub mod feed_thread;
pub mod fuzz;
pub mod json;
pub mod live;
pub mod measure;
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
