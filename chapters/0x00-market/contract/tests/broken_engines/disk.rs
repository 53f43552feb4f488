//! Mistakes in writing.

use std::io;

use contract::through::Meddle;
use market::LogFile;

use crate::flaws::{IGNORES_SHORT_WRITES, IGNORES_SYNC_ERRORS, MARKS_BEFORE_SYNC, RETRIES_SYNC};

/// A disk that makes one of the mistakes when it writes.
#[derive(Clone)]
pub struct Flaws<const FLAW: u8>;

impl<const FLAW: u8> Meddle for Flaws<FLAW> {
    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let written = file.write_at(at, bytes)?;
        Ok(if FLAW == IGNORES_SHORT_WRITES { bytes.len() } else { written })
    }

    fn sync(&self, file: &mut dyn LogFile) -> io::Result<()> {
        if FLAW == MARKS_BEFORE_SYNC {
            return Ok(());
        }
        match file.sync() {
            Err(_) if FLAW == IGNORES_SYNC_ERRORS => Ok(()),
            Err(_) if FLAW == RETRIES_SYNC => file.sync(),
            done => done,
        }
    }
}
