//! A table of keys in SQLite, with a sync for each: it loses nothing, and it is one disk behind another.

use std::path::Path;
use std::time::{Duration, Instant};

use results::error::MeasureError;
use rusqlite::{Connection, params};

use crate::record::Naive;

/// How long it is measured.
const TIME: Duration = Duration::from_secs(2);

/// Puts keys in, one durable after the other, as a door would before each order.
pub fn measure(folder: &Path) -> Result<Naive, MeasureError> {
    let failed = |error: rusqlite::Error| MeasureError::Unusable(format!("the table of keys: {error}"));
    let home =
        tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
    let file = Connection::open(home.path().join("keys.sqlite")).map_err(failed)?;
    let settings =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE key (key TEXT PRIMARY KEY) STRICT;";
    file.execute_batch(settings).map_err(failed)?;
    let mut insert = file.prepare("INSERT OR IGNORE INTO key (key) VALUES (?1)").map_err(failed)?;
    let (began, mut keys) = (Instant::now(), 0);
    while began.elapsed() < TIME {
        insert.execute(params![format!("1000-3-{keys}")]).map_err(failed)?;
        keys += 1;
    }
    let per_s = keys as f64 / began.elapsed().as_secs_f64();
    Ok(Naive { name: "keys-in-sqlite".into(), asked: keys, twice: 0, lost: 0, per_s: Some(per_s) })
}
