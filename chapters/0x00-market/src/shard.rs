//! Shards: which of them holds a market, and what their logs are called.

use crate::ids::MarketId;

/// The log's name in a data directory with one shard.
pub const FILE_NAME: &str = "commands.log";

/// Which shard of how many a log belongs to. Before 0x07 there is one.
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

    /// What a file of this name in a data directory is the log of, if it is one.
    pub fn of_file_name(name: &str) -> Option<ShardOf> {
        if name == FILE_NAME {
            return Some(ShardOf::ONLY);
        }
        let (shard, shards) = name.strip_prefix("commands-")?.strip_suffix(".log")?.split_once("-of-")?;
        Some(ShardOf { shard: shard.parse().ok()?, shards: shards.parse().ok()? })
    }

    // ANCHOR: market
    /// The shard that holds a market: a pure function of its id. Markets are named by their users,
    /// often one after the other, so the ids are dealt out in turn.
    pub const fn market(market: MarketId, shards: u16) -> ShardOf {
        ShardOf { shard: (market.0 % shards as u32) as u16, shards }
    }
    // ANCHOR_END: market
}
