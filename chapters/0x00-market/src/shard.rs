//! Shards: which of them holds a market, and what their logs are called.

use crate::ids::{MarketId, Sequence};

/// The log's name in a data directory with one shard.
pub const FILE_NAME: &str = "commands.log";

/// The shard, out of how many, that a log belongs to. Before 0x07 there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardOf {
    /// The shard, counted from 0.
    pub shard: u16,
    /// How many there are.
    pub shards: u16,
}

impl ShardOf {
    /// The only shard.
    pub const ONLY: ShardOf = ShardOf { shard: 0, shards: 1 };

    /// The name of this shard's log in a data directory.
    pub fn file_name(self) -> String {
        match self {
            ShardOf::ONLY => FILE_NAME.to_string(),
            ShardOf { shard, shards } => format!("commands-{shard}-of-{shards}.log"),
        }
    }

    /// The shard whose log a file of this name would be, if it is a log's name.
    pub fn of_file_name(name: &str) -> Option<ShardOf> {
        if name == FILE_NAME {
            return Some(ShardOf::ONLY);
        }
        let (shard, shards) = name.strip_prefix("commands-")?.strip_suffix(".log")?.split_once("-of-")?;
        Some(ShardOf { shard: shard.parse().ok()?, shards: shards.parse().ok()? })
    }

    /// The name of the segment of this shard's log that begins with command `first`. The first segment is named like
    /// a log in one piece.
    pub fn segment_name(self, first: Sequence) -> String {
        match (first, self.file_name().strip_suffix(".log")) {
            (Sequence(2..), Some(stem)) => format!("{stem}-from-{first:020}.log"),
            _ => self.file_name(),
        }
    }

    /// The shard and the first command of a segment with this file name, if it is a segment's name.
    pub fn of_segment_name(name: &str) -> Option<(ShardOf, Sequence)> {
        if let Some(shard) = ShardOf::of_file_name(name) {
            return Some((shard, Sequence::FIRST));
        }
        let (stem, first) = name.strip_suffix(".log")?.split_once("-from-")?;
        let (shard, first) = (ShardOf::of_file_name(&format!("{stem}.log"))?, Sequence(first.parse().ok()?));
        // Only the canonical name: no two names mean one segment.
        (first > Sequence::FIRST && shard.segment_name(first) == name).then_some((shard, first))
    }

    // ANCHOR: market
    /// The shard that holds a market: a pure function of its id. Clients choose the ids, often
    /// consecutive ones, so they are dealt out in turn.
    pub const fn market(market: MarketId, shards: u16) -> ShardOf {
        ShardOf { shard: (market.0 % shards as u32) as u16, shards }
    }
    // ANCHOR_END: market
}
