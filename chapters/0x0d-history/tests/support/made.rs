//! Rows and columns of a log, with parts so small that there are many.

use std::path::PathBuf;
use std::sync::Arc;

use history::columns::Columns;
use history::error::HistoryError;
use history::following::{Progress, follow};
use history::store::Store;
use market::Options;

/// Parts so small that there are many.
pub const PART: u64 = 6;

pub fn opened(options: &Options) -> Arc<Store> {
    Arc::new(Store::open(options, false).unwrap().with_parts_of(PART))
}

pub fn rows_catch_up(options: &Options, store: &Arc<Store>) {
    let progress = Progress::new(store, options.shards).unwrap();
    follow(options, store, &progress, &|| progress.is_caught_up()).unwrap();
}

pub fn columns(options: &Options, store: &Arc<Store>) -> Result<Columns, HistoryError> {
    Columns::open(&options.disk, &options.data_dir, store)
}

pub fn folder(options: &Options) -> PathBuf {
    options.data_dir.join("history/trades")
}
