//! The contract's tests are effective: an honest engine passes them, and each mistake that such
//! engines are known for is caught.
//!
//! The engine is small, because the model computes its answers. It commits in batches, and the
//! constant `FLAW` breaks one thing in it.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

#[path = "broken_engines/careless.rs"]
mod careless;
#[path = "broken_engines/core.rs"]
mod core;
#[path = "broken_engines/disk.rs"]
mod disk;
#[path = "broken_engines/flaws.rs"]
mod flaws;

use std::path::Path;
use std::sync::Arc;

use careless::open_carelessly;
use contract::through::Through;
use contract::{crash, damage, decay, differential, failing, logs, opening, simulation, versions, watermarks};
use core::Core;
use disk::Flaws;
use flaws::*;
use market::draft::Draft;
use market::log::{RECORD_BYTES, ShardOf, encode_command};
use market::model::Model;
use market::{
    Acknowledge, Closed, Command, DataDir, Disk, Engine, EngineError, LogError, LogWriter, Options, Receivers,
    Recovery, Stamp, Ticket, read_log,
};

struct Flawed<const FLAW: u8> {
    log: LogWriter,
    /// The disk behind the log, without the flaw.
    disk: Arc<dyn Disk>,
    batch: Vec<Command>,
    batch_max: usize,
    core: Core,
    acks: Box<dyn Acknowledge>,
    stopped: bool,
    _data_dir: Option<DataDir>,
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
        let (log, found) = read_logs::<FLAW>(options, &mut core)?;
        if FLAW != EMPTIES_THE_LEDGER_FIRST {
            draft.finish().unwrap();
        }
        let (batch, batch_max, acks) = (Vec::new(), options.batch_max, receivers(0));
        let disk = Arc::clone(&options.disk);
        let flawed = Flawed { log, disk, batch, batch_max, core, acks, stopped: false, _data_dir: data_dir };
        Ok((flawed, found))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.poll()?;
        let sequence = self.log.next().plus(self.batch.len() as u64);
        self.batch.push(command);
        if self.batch.len() == self.batch_max {
            self.flush()?;
        }
        Ok(Ticket { shard: 0, sequence })
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        if self.stopped { Err(LogError::Stopped { path: self.log.path().to_path_buf() }.into()) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.poll()?;
        let done = if self.batch.is_empty() { Ok(()) } else { self.commit() };
        self.stopped |= done.is_err();
        done
    }

    fn close(mut self) -> Result<Closed, EngineError> {
        self.flush()?;
        Ok(Closed { state: self.core.model.state(), stages: None, remarks: Vec::new() })
    }
}

/// Reads the logs of all shards. Only one is written to later: a flawed engine in shards is only asked whether it
/// opens.
fn read_logs<const FLAW: u8>(options: &Options, core: &mut Core) -> Result<(LogWriter, Recovery), EngineError> {
    let disk: Arc<dyn Disk> = Arc::new(Through::new(Arc::clone(&options.disk), Flaws::<FLAW>));
    let options = &Options { disk, ..options.clone() };
    let mut found = Recovery::default();
    let (mut read, mut last) = (Vec::new(), None);
    for shard in (0..options.shards).rev() {
        let shard = ShardOf { shard, shards: options.shards };
        let path = options.data_dir.join(shard.file_name());
        let careless = CARELESS.contains(&FLAW);
        let there = if careless { options.disk.open(&path).map_err(io_error("open", &path))? } else { None };
        if let Some(file) = there {
            let (log, recovery) = open_carelessly::<FLAW>(options, file, &path, core)?;
            found.merge(recovery);
            last = Some(log);
            continue;
        }
        let judged = read_log(options, shard, |_, command| {
            core.apply(&command);
            Ok::<_, EngineError>(())
        })?;
        found.merge(judged.recovery());
        match FLAW {
            CHANGES_LOG_BY_LOG => last = Some(judged.open()?),
            _ => read.push(judged),
        }
    }
    for judged in read {
        last = Some(judged.open()?);
    }
    Ok((last.unwrap(), found))
}

impl<const FLAW: u8> Flawed<FLAW> {
    fn commit(&mut self) -> Result<(), EngineError> {
        let mut frame = vec![0; RECORD_BYTES];
        self.batch.iter().for_each(|command| frame.extend(encode_command(command)));
        let first = self.log.append(&mut frame)?;
        if FLAW == ACKNOWLEDGES_BEFORE_SYNC {
            self.apply_and_acknowledge(first);
            return Ok(self.log.sync()?);
        }
        self.log.sync()?;
        if FLAW == MARKS_BEFORE_SYNC {
            // Nothing has been synced yet, but the watermark claims it.
            let path = self.log.path();
            let file = self.disk.open(path).map_err(io_error("open", path))?;
            file.unwrap().sync().map_err(io_error("sync", path))?;
        }
        self.apply_and_acknowledge(first);
        Ok(())
    }

    fn apply_and_acknowledge(&mut self, first: Stamp) {
        for (at, command) in (0..).zip(std::mem::take(&mut self.batch)) {
            let events = self.core.apply(&command);
            self.acks.acknowledge(first.plus(at), &events);
        }
    }
}

fn io_error(what: &'static str, path: &Path) -> impl Fn(std::io::Error) -> EngineError {
    move |source| LogError::Io { what, path: path.to_path_buf(), source }.into()
}

#[test]
fn an_honest_engine_passes() {
    type Honest = Flawed<HONEST>;
    differential::generated_streams::<Honest>();
    crash::flip_every_bit::<Honest>();
    crash::frames_out_of_place::<Honest>();
    damage::rot_before_a_torn_frame::<Honest>();
    damage::rot_before_a_frame_cut_at_every_byte::<Honest>();
    damage::a_spoiled_sector::<Honest>();
    decay::a_sector_rots::<Honest>();
    decay::garbage_at_the_end::<Honest>();
    decay::a_misdirected_frame::<Honest>();
    damage::a_siblings_frame::<Honest>();
    damage::one_log_of_several_is_refused::<Honest>();
    versions::a_log_of_version_1::<Honest>();
    versions::a_rewriting_cut_short::<Honest>();
    watermarks::a_log_that_ends_too_early::<Honest>();
    watermarks::a_loss_is_accepted::<Honest>();
    watermarks::a_watermark_is_never_ahead::<Honest>();
    logs::files_that_are_no_log::<Honest>();
    logs::a_refusal_changes_nothing::<Honest>();
    opening::one_engine_at_a_time::<Honest>();
    opening::names_are_synced_again::<Honest>();
    logs::its_log_is_read_by_the_format::<Honest>();
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
#[should_panic(expected = "was acknowledged but is not on disk")]
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
#[should_panic(expected = "the engine refused, but files changed")]
fn emptying_the_ledger_before_the_log_is_judged_is_caught() {
    logs::a_refusal_changes_nothing::<Flawed<EMPTIES_THE_LEDGER_FIRST>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn an_engine_without_a_lock_is_caught() {
    opening::one_engine_at_a_time::<Flawed<TAKES_NO_LOCK>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn cutting_a_tail_too_eagerly_is_caught() {
    damage::rot_before_a_torn_frame::<Flawed<CUTS_TOO_EAGERLY>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn cutting_a_tail_too_eagerly_is_caught_by_a_spoiled_sector() {
    damage::a_spoiled_sector::<Flawed<CUTS_TOO_EAGERLY>>();
}

#[test]
#[should_panic(expected = "files changed")]
fn changing_one_log_before_the_next_is_read_is_caught() {
    damage::one_log_of_several_is_refused::<Flawed<CHANGES_LOG_BY_LOG>>();
}

#[test]
#[should_panic(expected = "a watermark was ahead of the sync")]
fn a_watermark_ahead_of_the_sync_is_caught_in_the_act() {
    watermarks::a_watermark_is_never_ahead::<Flawed<MARKS_BEFORE_SYNC>>();
}

#[test]
#[should_panic(expected = "replay it with")]
fn a_watermark_ahead_of_the_sync_is_caught() {
    simulation::many_seeds::<Flawed<MARKS_BEFORE_SYNC>>();
}

#[test]
#[should_panic(expected = "it opened with")]
fn accepting_the_frame_of_a_sibling_is_caught() {
    damage::a_siblings_frame::<Flawed<ACCEPTS_A_SIBLING>>();
}

#[test]
#[should_panic(expected = "were spoiled")]
fn calling_a_spoiled_sector_torn_is_caught() {
    decay::a_sector_rots::<Flawed<CALLS_EVERYTHING_TORN>>();
}

#[test]
#[should_panic(expected = "bytes of an older log are at the end")]
fn taking_what_an_older_log_left_is_caught() {
    decay::garbage_at_the_end::<Flawed<TAKES_WHAT_DECODES>>();
}

#[test]
#[should_panic(expected = "the last frame went to byte")]
fn calling_a_misdirected_frame_torn_is_caught() {
    decay::a_misdirected_frame::<Flawed<CALLS_EVERYTHING_TORN>>();
}
