//! Finds the frames of a log on the simulated disk.

use std::path::Path;

use crate::fixture::Frame;
use crate::sim_disk::SimDisk;
use market::log::{HEADER_BYTES, RECORD_BYTES};
use market::{Disk, LogError, LogReader};

/// The whole frames of a log.
pub(crate) fn frames_of(disk: &SimDisk, path: &Path) -> Result<Vec<Frame>, String> {
    let words = |error: LogError| error.to_string();
    let Some(mut file) = disk.open(path).map_err(|error| error.to_string())? else { return Ok(Vec::new()) };
    let mut reader = LogReader::new(&mut *file, path).map_err(words)?;
    let mut frames = Vec::new();
    let (mut start, mut before) = (HEADER_BYTES, 0);
    while let Some(frame) = reader.next_frame().map_err(words)? {
        let count = frame.count();
        let (end, after) = (start + RECORD_BYTES * (1 + count), before + count);
        frames.push(Frame { start, end, before, after });
        (start, before) = (end, after);
    }
    Ok(frames)
}
