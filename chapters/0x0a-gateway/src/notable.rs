//! What an operator is told of a venue that runs: that it has started, and which requests it refuses.
//!
//! Refusals are counted where they happen, and told from here, once a second: a storm of them costs a line for each limit, and no
//! thread that serves clients writes it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use program::lines::{EVERY, Figure, tell_event};

use crate::args::Args;
use crate::venue::Venue;

/// The venue is open.
pub fn started(args: &Args, data_dir: &Path, address: SocketAddr) {
    let engine = args.engine.to_possible_value();
    let (engine, version) = (engine.as_ref().map_or("", |engine| engine.get_name()), env!("CARGO_PKG_VERSION"));
    let folder = data_dir.display();
    let figures = [
        ("address", Figure::Text(&address)),
        ("data_dir", Figure::Text(&folder)),
        ("engine", Figure::Text(&engine)),
        ("shards", Figure::Count(args.shards.into())),
        ("version", Figure::Text(&version)),
    ];
    let words = format_args!("started version {version} with engine {engine} on {address}; its data is in {folder}");
    tell_event("started", &figures, words);
}

/// Tells how many requests and connections were refused, for each limit, until it is dropped.
pub async fn refusals(venue: Arc<Venue>) {
    let counts = || venue.door.limits.refused();
    let mut before: Vec<u64> = counts().map(|(_, count)| count).collect();
    loop {
        tokio::time::sleep(EVERY).await;
        for ((reason, count), before) in counts().zip(&mut before) {
            let more = count - std::mem::replace(before, count);
            if more > 0 {
                let figures = [("reason", Figure::Text(&reason)), ("count", Figure::Count(more))];
                tell_event("refused", &figures, format_args!("refused {more} in a second: {reason}"));
            }
        }
    }
}
