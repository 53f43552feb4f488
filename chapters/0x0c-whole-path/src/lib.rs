//! 0x0c: the whole path. Where does the time go, from click to notice?
//!
//! A request takes a stamp wherever it passes from one thread or form to the next: see [`stage`]. The engine is measured from
//! outside, once a frame: by a [`disk`] around its disk, and by a receiver of [`frames`] behind its acknowledgements.
#![forbid(unsafe_code)]

pub mod args;
pub mod clock;
pub mod collector;
pub mod commands;
pub mod connection;
pub mod disk;
pub mod distribution;
pub mod frames;
pub mod heard;
pub mod http;
pub mod layer;
pub mod machine;
pub mod metrics;
pub mod notable;
pub mod notices;
pub mod path;
pub mod process;
pub mod responses;
pub mod scrape;
pub mod shared;
pub mod show;
pub mod stage;
pub mod syncs;
pub mod timeline;
pub mod trace;
pub mod watcher;
pub mod waterfall;
pub mod way;
pub mod writer;
