//! What this chapter adds to the command line.

use std::path::PathBuf;
use std::time::Duration;

use market::UnixMs;

use crate::rebuild::RebuildArgs;
use crate::store::{PART_TRADES, TABLE_ROWS};

/// How the columns are written
#[derive(Debug, Clone, clap::Args)]
pub struct ColumnArgs {
    /// How often new trades are written to the files in DIR/history/trades, in seconds, a day at most
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub columns_every: u64,
    /// How many trades a file there takes before the next one begins
    #[arg(long, value_name = "TRADES", default_value_t = PART_TRADES, value_parser = clap::value_parser!(u64).range(1..))]
    pub columns_rows: u64,
    /// How many changes at once are written as their own table of rows, past the journal
    #[arg(long, value_name = "ROWS", default_value_t = TABLE_ROWS, hide = true)]
    pub table_rows: usize,
}

impl ColumnArgs {
    /// How often they are written.
    pub fn every(&self) -> Duration {
        Duration::from_secs(self.columns_every)
    }
}

/// What is kept of the past
#[derive(Debug, Clone, clap::Args)]
pub struct HistoryArgs {
    /// Derive no rows: requests for the past are refused
    #[arg(long, conflicts_with_all = ["rebuild", "rebuild_without_trimmed"])]
    pub no_history: bool,
    /// What is thrown away.
    #[command(flatten)]
    pub rebuild: RebuildArgs,
    /// The columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
}

/// Follows the log of a data directory and derives rows from it; a venue with --no-history may run there meanwhile
#[derive(Debug, Clone, clap::Args)]
pub struct FollowArgs {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Stop when the rows have caught up with the log, and the columns with the rows
    #[arg(long)]
    pub once: bool,
    /// What is thrown away.
    #[command(flatten)]
    pub rebuild: RebuildArgs,
    /// Follow until the rows have caught up, read all files, and count all rows against those that were written
    #[arg(long)]
    pub check: bool,
    /// The columns.
    #[command(flatten)]
    pub columns: ColumnArgs,
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        columns: ColumnArgs,
    }

    /// What the arguments mean, or the error that refuses them.
    fn parsed(seconds: &str) -> Result<Duration, String> {
        let program = Program::try_parse_from(["program".into(), format!("--columns-every={seconds}")]);
        program.map(|program| program.columns.every()).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_written_all_the_time_or_once_a_day_and_no_more_seldom() {
        for seconds in [0, 1, 60, 86_400] {
            assert_eq!(parsed(&seconds.to_string()), Ok(Duration::from_secs(seconds)));
        }
        for refused in ["86401", "18446744073709551615", "-1", "1.5", ""] {
            let words = parsed(refused).expect_err(refused);
            assert!(words.contains("--columns-every <SECONDS>"), "{words}");
        }
        let words = parsed("86401").unwrap_err();
        assert!(words.contains("86401 is not in 0..=86400"), "{words}");
    }
}
