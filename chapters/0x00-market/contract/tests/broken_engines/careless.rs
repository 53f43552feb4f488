//! Readers of a log, each with its own mistake.

use std::path::Path;

use contract::fixture::header;
use market::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, decode_command, frame_crc};
use market::{
    Command, EngineError, LogError, LogFile, LogId, LogReader, LogWriter, Options, Recovery, Sequence, Stamp,
};

use crate::flaws::{
    ACCEPTS_A_SIBLING, APPLIES_TWICE, CHECKS_NO_CHECKSUM, CUTS_TOO_EAGERLY, SKIPS_DAMAGED_FRAMES, TAKES_WHAT_DECODES,
    TRUSTS_THE_CACHE,
};
use crate::{Core, io_error};

type Opened = (LogWriter, Recovery);

/// Reads a log with one mistake.
pub fn open_carelessly<const FLAW: u8>(
    options: &Options,
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
    let end = frames.last().map_or(HEADER_BYTES, |(end, _)| *end) as u64;
    file.set_length(end).and_then(|()| file.sync()).map_err(io)?;
    let id = LogReader::new(&mut *file, path)?.header.id;
    let next = Stamp { sequence: Sequence::FIRST.plus(count), time: options.clock.now() };
    let log = LogWriter::new(options, path.to_path_buf(), file, id, end, next)?;
    Ok((log, Recovery { commands: count, ..Recovery::default() }))
}

/// Where each frame ends, and its commands.
type Frames = Vec<(usize, Vec<Command>)>;

fn frames_checked(file: &mut dyn LogFile, path: &Path) -> Result<Frames, LogError> {
    let mut reader = LogReader::new(file, path)?;
    let (mut frames, mut end) = (Vec::new(), HEADER_BYTES);
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
    assert_eq!(read, bytes.len(), "the simulated disk reads everything at once");
    let id = LogHeader::decode(&bytes[..HEADER_BYTES], path)?.id;
    let sealed = |frame: &[u8]| is_sealed(frame, id) || FLAW == ACCEPTS_A_SIBLING && is_siblings(frame);
    let (mut frames, mut at) = (Vec::new(), HEADER_BYTES);
    while at + RECORD_BYTES <= bytes.len() {
        let frame = frame_at(&bytes, at);
        let whole = frame.filter(|frame| FLAW == CHECKS_NO_CHECKSUM || sealed(frame));
        match whole {
            Some(frame) => {
                let (records, _) = frame[RECORD_BYTES..].as_chunks::<RECORD_BYTES>();
                frames.push((at + frame.len(), records.iter().filter_map(decode_command).collect()));
                at += frame.len();
            }
            None if FLAW == SKIPS_DAMAGED_FRAMES => at += RECORD_BYTES,
            None if FLAW == TAKES_WHAT_DECODES => {
                let record = bytes[at..at + RECORD_BYTES].try_into().unwrap();
                frames.push((at + RECORD_BYTES, decode_command(record).into_iter().collect()));
                at += RECORD_BYTES;
            }
            // Takes only a whole frame as proof that one was acknowledged.
            None if FLAW == CUTS_TOO_EAGERLY && a_whole_frame_follows(&bytes[at..], id) => {
                let (path, offset, sequence) = (path.to_path_buf(), at as u64, Sequence::FIRST);
                return Err(LogError::Corrupt { path, offset, sequence, reason: "a frame follows".into() }.into());
            }
            None => break,
        }
    }
    Ok(frames)
}

/// The frame that begins here according to its header, right or wrong.
fn frame_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let start = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().unwrap());
    let length = (start >> 8) as usize / RECORD_BYTES * RECORD_BYTES;
    bytes.get(at..at + RECORD_BYTES + length).filter(|_| length > 0)
}

/// Whether a frame is sealed with the identity of any shard.
fn is_siblings(frame: &[u8]) -> bool {
    (0..2).any(|shard| is_sealed(frame, header(ShardOf { shard, shards: 2 }).id))
}

fn a_whole_frame_follows(tail: &[u8], id: LogId) -> bool {
    let is_whole = |at| frame_at(tail, at).is_some_and(|frame| is_sealed(frame, id));
    (RECORD_BYTES..tail.len()).step_by(RECORD_BYTES).any(is_whole)
}

/// Whether sealing the frame again leaves it as it is.
fn is_sealed(frame: &[u8], id: LogId) -> bool {
    frame_crc(frame, id).to_le_bytes() == frame[4..8]
}
