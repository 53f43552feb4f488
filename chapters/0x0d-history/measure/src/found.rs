//! What was found of one store.

use results::record::Spread;

use crate::record::StoreRecord;

/// What was found of one store.
#[derive(Default)]
pub struct Found {
    /// Rows a second, of each round.
    pub rows_per_s: Vec<f64>,
    /// What it takes on disk, in bytes.
    pub bytes: f64,
    /// Bytes that reached the disk for each byte of a row, where the system tells.
    pub amplification: Option<f64>,
}

impl Found {
    /// What the record says of the store of this name; none before the first round.
    pub fn record(&self, name: &str) -> Option<StoreRecord> {
        let rows_per_s = Spread::of(&self.rows_per_s)?;
        Some(StoreRecord { name: name.into(), rows_per_s, bytes: self.bytes, amplification: self.amplification })
    }
}
