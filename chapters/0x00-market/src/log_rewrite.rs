//! Rewriting a log: a log of version 1 becomes one of today's, and a log that goes on from an older copy another log.
//!
//! It is written beside the old one, read back, and takes its name when the two say the same. Cut short anywhere,
//! the old one is there as it was, or the new one is there whole. Cost: memory for two frames.

use std::io;
use std::path::Path;

use crate::log::{LogHeader, RECORD_BYTES, encode_command, seal_frame};
use crate::log_reader::LogReader;
use crate::{Disk, LogError, LogFile};

/// Puts in place of the log `old`, which is at `path`, one with this header and the same frames; a torn end is left
/// out. The result is the new file, and where its last frame ends.
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
