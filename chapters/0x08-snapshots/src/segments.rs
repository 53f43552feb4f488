//! The segments of the log: when one is full, the next is begun; it was laid out before that.
//!
//! Laying a segment out means writing zeros and waiting for the disk, which takes as long as a hundred frames do. So
//! a thread does it when half of the segment before is used. Beginning it costs two syncs and a rename, once in
//! millions of commands. Invariant: the next segment gets its name when all before it is on disk.

use std::io;
use std::thread::{self, JoinHandle};

use market::log::{RECORD_BYTES, ShardOf};
use market::log_next::NextSegment;
use market::{LogError, LogWriter, Options};

/// Cuts the log of a shard into segments, or leaves it in one piece.
pub struct Segments {
    options: Options,
    shard: ShardOf,
    /// The thread that lays out the next one.
    next: Option<JoinHandle<Result<NextSegment, LogError>>>,
}

impl Segments {
    /// Segments as `options` ask for them.
    pub fn new(options: &Options, shard: ShardOf) -> Segments {
        Segments { options: options.clone(), shard, next: None }
    }

    /// How many commands a segment has room for.
    pub fn commands(&self) -> usize {
        self.options.segment_commands.map_or(usize::MAX, |commands| commands as usize)
    }

    // ANCHOR: go_on
    /// Begins the next segment if the current one is full. Everything in that one is on disk.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn go_on(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        let Some(full) = self.options.segment_commands else { return Ok(()) };
        let used = log.in_segment();
        if used >= full {
            if self.next.is_none() {
                self.lay_out_next(log)?;
            }
            if let Some(next) = self.laid_out(log)? {
                log.go_on_in(next)?;
            }
        } else if used >= full / 2 && self.next.is_none() {
            self.lay_out_next(log)?;
        }
        Ok(())
    }
    // ANCHOR_END: go_on

    fn lay_out_next(&mut self, log: &LogWriter) -> Result<(), LogError> {
        let commands = self.commands() as u64;
        // An eighth more for the frames' headers.
        let bytes = (commands + commands / 8).saturating_mul(RECORD_BYTES as u64);
        let (options, shard) = (self.options.clone(), self.shard);
        let work = move || NextSegment::lay_out(&options, shard, bytes);
        let started = thread::Builder::new().name("segments".into()).spawn(work);
        self.next = Some(started.map_err(|source| error(log, source))?);
        Ok(())
    }

    /// Waits for the next segment, if there is to be one.
    fn laid_out(&mut self, log: &LogWriter) -> Result<Option<NextSegment>, LogError> {
        let Some(thread) = self.next.take() else { return Ok(None) };
        thread.join().unwrap_or_else(|_| Err(error(log, io::Error::other("its thread panicked")))).map(Some)
    }

    /// Ends the log: a segment that was laid out and not begun is removed.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn end(&mut self, log: &LogWriter) -> Result<(), LogError> {
        self.laid_out(log)?.map_or(Ok(()), NextSegment::remove)
    }
}

fn error(log: &LogWriter, source: io::Error) -> LogError {
    LogError::Io { what: "reserve the next segment of", path: log.path().to_path_buf(), source }
}

impl Drop for Segments {
    fn drop(&mut self) {
        // A thread must not write on while another engine opens the same log.
        if let Some(thread) = self.next.take() {
            let _ = thread.join();
        }
    }
}
