//! Readers of a log, each with a mistake of its own.

use std::path::Path;

use market::log::{RECORD_BYTES, decode_command, decode_header, seal_frame};
use market::log_reader::LogReader;
use market::{Command, EngineError, LogError, LogFile, Recovery, Sequence};

use crate::{
    APPLIES_TWICE, CHECKS_NO_CHECKSUM, CUTS_TOO_EAGERLY, Core, SKIPS_DAMAGED_FRAMES, TRUSTS_THE_CACHE, io_error,
};

type Opened = (Box<dyn LogFile>, u64, Sequence, Recovery);

/// Reads a log with one mistake.
pub fn open_carelessly<const FLAW: u8>(
    mut file: Box<dyn LogFile>,
    path: &Path,
    core: &mut Core,
) -> Result<Opened, EngineError> {
    let io = io_error("read", path);
    let frames = match FLAW {
        TRUSTS_THE_CACHE | APPLIES_TWICE => frames_checked(&mut *file, path)?,
        _ => frames_unchecked::<FLAW>(&mut *file, path)?,
    };
    let commands = frames.iter().flat_map(|(_, commands)| commands);
    commands.clone().for_each(|command| drop(core.apply(command)));
    if let (APPLIES_TWICE, Some((_, last))) = (FLAW, frames.last()) {
        last.iter().for_each(|command| drop(core.apply(command)));
    }
    let count = commands.count() as u64;
    let end = frames.last().map_or(RECORD_BYTES, |(end, _)| *end) as u64;
    file.set_length(end).and_then(|()| file.sync()).map_err(io)?;
    Ok((file, end, Sequence::FIRST.plus(count), Recovery { commands: count, torn_bytes: 0 }))
}

/// Where each frame ends, and its commands.
type Frames = Vec<(usize, Vec<Command>)>;

fn frames_checked(file: &mut dyn LogFile, path: &Path) -> Result<Frames, LogError> {
    let mut reader = LogReader::new(file, path)?;
    let (mut frames, mut end) = (Vec::new(), RECORD_BYTES);
    while let Some(frame) = reader.next_frame()? {
        let commands: Vec<Command> = frame.map(|(_, command)| command).collect();
        end += RECORD_BYTES * (1 + commands.len());
        frames.push((end, commands));
    }
    Ok(frames)
}

fn frames_unchecked<const FLAW: u8>(file: &mut dyn LogFile, path: &Path) -> Result<Frames, EngineError> {
    let io = io_error("read", path);
    let mut bytes = vec![0; file.length().map_err(&io)? as usize];
    let read = file.read_at(0, &mut bytes).map_err(&io)?;
    assert_eq!(read, bytes.len(), "the simulated disk reads all at once");
    decode_header(bytes.first_chunk().unwrap(), path)?;
    let (mut frames, mut at) = (Vec::new(), RECORD_BYTES);
    while at + RECORD_BYTES <= bytes.len() {
        let frame = frame_at(&bytes, at);
        let whole = frame.filter(|frame| FLAW == CHECKS_NO_CHECKSUM || is_sealed(frame));
        match whole {
            Some(frame) => {
                let (records, _) = frame[RECORD_BYTES..].as_chunks::<RECORD_BYTES>();
                frames.push((at + frame.len(), records.iter().filter_map(decode_command).collect()));
                at += frame.len();
            }
            None if FLAW == SKIPS_DAMAGED_FRAMES => at += RECORD_BYTES,
            // Only a whole frame counts as one that was acknowledged.
            None if FLAW == CUTS_TOO_EAGERLY && a_whole_frame_follows(&bytes[at..]) => {
                let (path, offset, sequence) = (path.to_path_buf(), at as u64, Sequence::FIRST);
                return Err(LogError::Corrupt { path, offset, sequence, reason: "a frame follows".into() }.into());
            }
            None => break,
        }
    }
    Ok(frames)
}

/// The frame that begins here, if its header says so, right or wrong.
fn frame_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let count = u32::from_le_bytes(bytes.get(at + 16..at + 20)?.try_into().unwrap()) as usize;
    let end = at.saturating_add((1 + count).saturating_mul(RECORD_BYTES));
    bytes.get(at..end).filter(|_| count > 0)
}

fn a_whole_frame_follows(tail: &[u8]) -> bool {
    (RECORD_BYTES..tail.len()).step_by(RECORD_BYTES).any(|at| frame_at(tail, at).is_some_and(is_sealed))
}

/// Whether sealing the frame again leaves it as it is.
fn is_sealed(frame: &[u8]) -> bool {
    let mut again = frame.to_vec();
    seal_frame(&mut again, Sequence(u64::from_le_bytes(frame[8..16].try_into().unwrap())));
    again == frame
}
