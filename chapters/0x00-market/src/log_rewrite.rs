//! Rewriting a log: a log of version 1 is converted to the current version, and a log that continues from an older
//! copy becomes a new log.
//!
//! The new log is written beside the old one, read back, and takes its name if the two agree. After an interruption,
//! either the old log is unchanged, or the new one is complete. Cost: memory for two frames.

use std::io;
use std::path::Path;

use crate::log::{LogHeader, RECORD_BYTES, encode_command, seal_frame};
use crate::log_reader::LogReader;
use crate::{Disk, LogError, LogFile};

/// Replaces the log `old` at `path` with one that has this header and the same frames, without a torn end. Returns
/// the new file, and where its last frame ends.
pub(crate) fn rewrite(
    disk: &dyn Disk,
    path: &Path,
    mut old: Box<dyn LogFile>,
    header: &LogHeader,
) -> Result<(Box<dyn LogFile>, u64), LogError> {
    let io = |what| move |source| LogError::Io { what, path: path.to_path_buf(), source };
    let draft = path.with_extension("draft");
    let mut new = disk.create(&draft, &header.encode()).map_err(io("rewrite"))?;
    let mut end = header.length() as u64;
    let mut reader = LogReader::new(&mut *old, path)?;
    while reader.advance()? {
        let mut frame = vec![0; RECORD_BYTES];
        frame.extend(reader.frame().flat_map(|(_, command)| encode_command(&command)));
        let Some((first, _)) = reader.frame().next() else { break };
        seal_frame(&mut frame, header.id, first);
        new.write_all_at(end, &frame).map_err(io("rewrite"))?;
        end += frame.len() as u64;
    }
    new.sync().map_err(io("sync the rewritten copy of"))?;
    compare(&mut *old, path, &mut *new, &draft)?;
    drop((old, new));
    disk.rename(&draft, path).map_err(io("name the rewritten copy of"))?;
    let renamed = disk.open(path).map_err(io("open the rewritten copy of"))?;
    Ok((renamed.ok_or_else(|| LogError::Missing { path: path.to_path_buf() })?, end))
}

/// Refuses a copy that does not read back as it was written.
fn compare(old: &mut dyn LogFile, path: &Path, new: &mut dyn LogFile, draft: &Path) -> Result<(), LogError> {
    let (mut old, mut new) = (LogReader::new(old, path)?, LogReader::new(new, draft)?);
    while old.advance()? {
        let (at, sequence) = (new.place().1, old.next().sequence);
        if !new.advance()? || !old.frame().eq(new.frame()) {
            let reason = "it does not read back as it was written".to_string();
            return Err(LogError::Corrupt { path: draft.to_path_buf(), offset: at, sequence, reason });
        }
    }
    match new.advance()? {
        false => Ok(()),
        true => Err(LogError::Io {
            what: "rewrite",
            path: path.to_path_buf(),
            source: io::Error::other("the copy is longer than what was written"),
        }),
    }
}
