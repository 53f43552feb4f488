//! What this chapter adds to the command line.

use std::path::PathBuf;

use market::UnixMs;

/// What is kept of the past
#[derive(Debug, Clone, clap::Args)]
pub struct HistoryArgs {
    /// Derive no rows: requests for the past are refused
    #[arg(long, conflicts_with = "rebuild")]
    pub no_history: bool,
    /// Throw away the rows in DIR/history that were derived from the log, and derive them again
    #[arg(long)]
    pub rebuild: bool,
}

/// Follows the log of a data directory, also beside a venue that runs with --no-history, and derives rows from it
#[derive(Debug, Clone, clap::Args)]
pub struct FollowArgs {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Stop when the rows have caught up with the log
    #[arg(long)]
    pub once: bool,
    /// Throw away the rows that were derived from the log, and derive them again
    #[arg(long)]
    pub rebuild: bool,
    /// Follow until the rows have caught up, and count all of them against those that were written
    #[arg(long)]
    pub check: bool,
}

/// Prints a market as it was: its book, what all accounts held, and its last trade
#[derive(Debug, Clone, clap::Args)]
pub struct AtArgs {
    /// When: as in 2026-03-14T12:00:00, in UTC, or in milliseconds since 1970
    #[arg(value_name = "TIME", value_parser = crate::time::parse)]
    pub time: UnixMs,
    /// Which market
    #[arg(long, value_name = "N")]
    pub market: u32,
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
}
