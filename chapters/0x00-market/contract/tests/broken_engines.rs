//! The contract's tests bite: an honest engine passes them, and each of the mistakes that such
//! engines are known for is caught.
//!
//! The engine is small, because the model answers for it. It commits in batches, and the constant
//! `FLAW` breaks one thing in it.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use contract::{crash, differential, failing, logs, opening, simulation};
use market::draft::Draft;
use market::log::{FILE_NAME, RECORD_BYTES, ShardOf, decode_command, decode_header, encode_command, seal_frame};
use market::log_reader::{LogReader, open_log};
use market::model::Model;
use market::{
    Acknowledge, Closed, Command, DataDir, Engine, EngineError, LogError, LogFile, Options, Receivers, Recovery,
    Sequence, Ticket,
};

const HONEST: u8 = 0;
const ACKNOWLEDGES_BEFORE_SYNC: u8 = 1;
const IGNORES_SYNC_ERRORS: u8 = 2;
const RETRIES_SYNC: u8 = 3;
const IGNORES_SHORT_WRITES: u8 = 4;
const CHECKS_NO_CHECKSUM: u8 = 5;
const SKIPS_DAMAGED_FRAMES: u8 = 6;
const APPLIES_TWICE: u8 = 7;
const TRUSTS_THE_CACHE: u8 = 8;
const EMPTIES_THE_LEDGER_FIRST: u8 = 9;
const TAKES_NO_LOCK: u8 = 10;

struct Flawed<const FLAW: u8> {
    file: Box<dyn LogFile>,
    /// Where the next frame goes.
    end: u64,
    path: PathBuf,
    next: Sequence,
    batch: Vec<Command>,
    batch_max: usize,
    core: Core,
    acks: Box<dyn Acknowledge>,
    stopped: bool,
    _data_dir: Option<DataDir>,
}

/// The model and its ledger.
struct Core {
    model: Model,
    ledger: File,
}

impl Core {
    fn apply(&mut self, command: &Command) -> Vec<market::Event> {
        let events = self.model.apply(command);
        for event in events.iter().filter(|event| event.moves_value()) {
            self.ledger.write_all(&event.encode()).unwrap();
        }
        events
    }
}

impl<const FLAW: u8> Engine for Flawed<FLAW> {
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Self, Recovery), EngineError> {
        let mut data_dir = Some(DataDir::open(&*options.disk, &options.data_dir)?);
        if FLAW == TAKES_NO_LOCK {
            data_dir = None;
        }
        let (mut draft, ledger) = Draft::create(&options.data_dir.join("ledger.bin")).unwrap();
        if FLAW == EMPTIES_THE_LEDGER_FIRST {
            draft.finish().unwrap();
        }
        let mut core = Core { model: Model::default(), ledger };
        let path = options.data_dir.join(FILE_NAME);
        let careless = [CHECKS_NO_CHECKSUM, SKIPS_DAMAGED_FRAMES, APPLIES_TWICE, TRUSTS_THE_CACHE].contains(&FLAW);
        let there = if careless { options.disk.open(&path).map_err(io_error("open", &path))? } else { None };
        let (file, end, next, recovery) = match there {
            Some(file) => open_carelessly::<FLAW>(file, &path, &mut core)?,
            None => {
                let opened = open_log(&*options.disk, &path, ShardOf::ONLY, |_, command| {
                    core.apply(&command);
                    Ok::<_, EngineError>(())
                })?;
                (opened.file, opened.end, opened.next, opened.recovery)
            }
        };
        if FLAW != EMPTIES_THE_LEDGER_FIRST {
            draft.finish().unwrap();
        }
        let (batch, batch_max) = (Vec::new(), options.batch_max);
        let acks = receivers(0);
        Ok((
            Flawed { file, end, path, next, batch, batch_max, core, acks, stopped: false, _data_dir: data_dir },
            recovery,
        ))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.poll()?;
        let sequence = self.next.plus(self.batch.len() as u64);
        self.batch.push(command);
        if self.batch.len() == self.batch_max {
            self.flush()?;
        }
        Ok(Ticket { shard: 0, sequence })
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        if self.stopped { Err(LogError::Stopped { path: self.path.clone() }.into()) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.poll()?;
        let done = if self.batch.is_empty() { Ok(()) } else { self.commit() };
        self.stopped |= done.is_err();
        done.map_err(|source| LogError::Io { what: "write", path: self.path.clone(), source }.into())
    }

    fn close(mut self) -> Result<Closed, EngineError> {
        self.flush()?;
        Ok(Closed { state: self.core.model.state(), stages: None, remarks: Vec::new() })
    }
}

impl<const FLAW: u8> Flawed<FLAW> {
    fn commit(&mut self) -> std::io::Result<()> {
        let mut frame = vec![0; RECORD_BYTES];
        self.batch.iter().for_each(|command| frame.extend(encode_command(command)));
        seal_frame(&mut frame, self.next);
        match FLAW {
            IGNORES_SHORT_WRITES => drop(self.file.write_at(self.end, &frame)?),
            _ => self.file.write_all_at(self.end, &frame)?,
        }
        self.end += frame.len() as u64;
        if FLAW == ACKNOWLEDGES_BEFORE_SYNC {
            self.apply_and_acknowledge();
            return self.file.sync();
        }
        match self.file.sync() {
            Err(_) if FLAW == IGNORES_SYNC_ERRORS => {}
            Err(_) if FLAW == RETRIES_SYNC => self.file.sync()?,
            done => done?,
        }
        self.apply_and_acknowledge();
        Ok(())
    }

    fn apply_and_acknowledge(&mut self) {
        for command in std::mem::take(&mut self.batch) {
            let events = self.core.apply(&command);
            self.acks.acknowledge(self.next, &events);
            self.next = self.next.plus(1);
        }
    }
}

fn io_error(what: &'static str, path: &Path) -> impl Fn(std::io::Error) -> EngineError {
    move |source| LogError::Io { what, path: path.to_path_buf(), source }.into()
}

type Opened = (Box<dyn LogFile>, u64, Sequence, Recovery);

/// Reads a log with one mistake.
fn open_carelessly<const FLAW: u8>(
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
    while let Some(header) = bytes.get(at..at + RECORD_BYTES) {
        let count = u32::from_le_bytes([header[16], header[17], header[18], header[19]]) as usize;
        let end = at.saturating_add((1 + count).saturating_mul(RECORD_BYTES));
        let frame = bytes.get(at..end).filter(|_| count > 0);
        let whole = frame.filter(|frame| FLAW == CHECKS_NO_CHECKSUM || is_sealed(frame));
        match whole {
            Some(frame) => {
                let (records, _) = frame[RECORD_BYTES..].as_chunks::<RECORD_BYTES>();
                frames.push((end, records.iter().filter_map(decode_command).collect()));
                at = end;
            }
            None if FLAW == SKIPS_DAMAGED_FRAMES => at += RECORD_BYTES,
            None => break,
        }
    }
    Ok(frames)
}

/// Whether sealing the frame again leaves it as it is.
fn is_sealed(frame: &[u8]) -> bool {
    let mut again = frame.to_vec();
    seal_frame(&mut again, Sequence(u64::from_le_bytes(frame[8..16].try_into().unwrap())));
    again == frame
}

#[test]
fn an_honest_engine_passes() {
    type Honest = Flawed<HONEST>;
    differential::generated_streams::<Honest>();
    crash::flip_every_bit::<Honest>();
    crash::frames_out_of_place::<Honest>();
    logs::files_that_are_no_log::<Honest>();
    logs::a_refusal_changes_nothing::<Honest>();
    opening::one_engine_at_a_time::<Honest>();
    opening::names_are_synced_again::<Honest>();
    logs::its_log_is_everyones::<Honest>();
    logs::ledger_is_rebuilt::<Honest>();
    failing::a_sync_fails::<Honest>();
    failing::a_write_fails::<Honest>();
    failing::the_disk_fills_up::<Honest>();
    failing::short_writes_are_completed::<Honest>();
    failing::recovery_fails_and_is_repeated::<Honest>();
    failing::acknowledged_means_durable::<Honest>();
}

#[test]
fn an_honest_engine_survives_the_simulation() {
    simulation::many_seeds::<Flawed<HONEST>>();
}

#[test]
#[should_panic(expected = "were promised")]
fn acknowledging_before_the_sync_is_caught() {
    simulation::many_seeds::<Flawed<ACKNOWLEDGES_BEFORE_SYNC>>();
}

#[test]
#[should_panic(expected = "was acknowledged and is not on disk")]
fn acknowledging_before_the_sync_is_caught_in_the_act() {
    failing::acknowledged_means_durable::<Flawed<ACKNOWLEDGES_BEFORE_SYNC>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn ignoring_a_failed_sync_is_caught() {
    simulation::many_seeds::<Flawed<IGNORES_SYNC_ERRORS>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn retrying_a_failed_sync_is_caught() {
    simulation::many_seeds::<Flawed<RETRIES_SYNC>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn ignoring_a_short_write_is_caught() {
    simulation::many_seeds::<Flawed<IGNORES_SHORT_WRITES>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn a_reader_without_checksums_is_caught() {
    simulation::many_seeds::<Flawed<CHECKS_NO_CHECKSUM>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn a_reader_without_checksums_is_caught_by_a_flipped_bit() {
    crash::flip_every_bit::<Flawed<CHECKS_NO_CHECKSUM>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn replaying_past_a_damaged_frame_is_caught() {
    simulation::many_seeds::<Flawed<SKIPS_DAMAGED_FRAMES>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn applying_twice_is_caught() {
    simulation::many_seeds::<Flawed<APPLIES_TWICE>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn trusting_what_a_failed_sync_left_in_the_cache_is_caught() {
    simulation::many_seeds::<Flawed<TRUSTS_THE_CACHE>>();
}

#[test]
#[should_panic(expected = "files changed in spite of")]
fn emptying_the_ledger_before_the_log_is_judged_is_caught() {
    logs::a_refusal_changes_nothing::<Flawed<EMPTIES_THE_LEDGER_FIRST>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn an_engine_without_a_lock_is_caught() {
    opening::one_engine_at_a_time::<Flawed<TAKES_NO_LOCK>>();
}
