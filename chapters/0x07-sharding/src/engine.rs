//! The engine: a pipeline for each shard, and a door that knows which market belongs to which.
//!
//! Invariant: a market has one writer, and what is acknowledged is on disk. Cost: two threads and a
//! log a shard. A market that gets nine tenths of the commands makes its shard do nine tenths of the
//! work: the unit of sharding is the market.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::thread;

use market::log::ShardOf;
use market::log_reader::shard_counts;
use market::{Acknowledge, Closed, Command, EngineError, LogError, Options, Recovery};

use crate::metrics::Metrics;
use crate::pipeline::Pipeline;

/// An engine with a single writer for each share of the markets.
pub struct Engine<M> {
    shards: Vec<Pipeline>,
    data_dir: PathBuf,
    /// Set by the first error of any shard: the others must not go on without it.
    stopped: bool,
    metrics: PhantomData<M>,
}

impl<M: Metrics> market::Engine for Engine<M> {
    // ANCHOR: open
    fn open(options: &Options, acks: Box<dyn Acknowledge>) -> Result<(Engine<M>, Recovery), EngineError> {
        let count = options.shards;
        let shared = Options { reserve_commands: options.reserve_commands / usize::from(count), ..options.clone() };
        let open = |shard, acks| Pipeline::open::<M>(&shared, ShardOf { shard, shards: count }, acks);

        let mut further: Vec<_> = (1..count).map(|shard| acks.for_shard(shard)).collect();
        // The log of shard 0 is made last: where it is, all are. Where it is, they recover together.
        let opened: Vec<_> = if is_new(options)? {
            let mut opened = Vec::new();
            while let Some(acks) = further.pop() {
                opened.push(open(1 + further.len() as u16, acks)?);
            }
            opened.push(open(0, acks)?);
            opened.into_iter().rev().collect()
        } else {
            thread::scope(|scope| {
                let acks = std::iter::once(acks).chain(further);
                let threads: Vec<_> = acks.zip(0..).map(|(acks, n)| scope.spawn(move || open(n, acks))).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())))
                    .collect::<Result<_, _>>()
            })?
        };

        let (mut shards, mut recovery) = (Vec::new(), Recovery::default());
        for (pipeline, found) in opened {
            shards.push(pipeline);
            recovery.commands += found.commands;
            recovery.torn_bytes += found.torn_bytes;
        }
        let data_dir = options.data_dir.clone();
        Ok((Engine { shards, data_dir, stopped: false, metrics: PhantomData }, recovery))
    }
    // ANCHOR_END: open

    // ANCHOR: submit
    fn submit(&mut self, command: Command) -> Result<(), EngineError> {
        let shard = ShardOf::market(command.market(), self.shards.len() as u16).shard;
        self.while_running(|shards| shards[usize::from(shard)].submit(command))
    }
    // ANCHOR_END: submit

    fn poll(&mut self) -> Result<(), EngineError> {
        self.while_running(|shards| shards.iter_mut().try_for_each(Pipeline::publish))?;
        self.shards[0].pause();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.while_running(|shards| {
            // All rings are filled before the first is waited for.
            shards.iter_mut().try_for_each(Pipeline::publish)?;
            shards.iter_mut().try_for_each(Pipeline::flush)
        })
    }

    fn close(mut self) -> Result<Closed, EngineError> {
        self.flush()?;
        let mut whole = Closed::default();
        for (n, shard) in self.shards.into_iter().enumerate() {
            let Closed { state, stages, remarks } = shard.close()?;
            whole.state.markets.extend(state.markets);
            whole.stages = match (whole.stages, stages) {
                (Some(mut sum), Some(stages)) => {
                    sum.merge(&stages);
                    Some(sum)
                }
                (sum, stages) => sum.or(stages),
            };
            whole.remarks.extend(remarks.into_iter().map(|remark| format!("shard {n}: {remark}")));
        }
        Ok(whole)
    }
}

impl<M> Engine<M> {
    /// Does something with the shards, unless one of them has stopped.
    fn while_running(
        &mut self,
        work: impl FnOnce(&mut [Pipeline]) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        if self.stopped {
            return Err(LogError::Stopped { path: self.data_dir.clone() }.into());
        }
        let done = work(&mut self.shards);
        self.stopped = done.is_err();
        done
    }
}

/// Whether the data directory has no complete set of logs yet.
fn is_new(options: &Options) -> Result<bool, EngineError> {
    let counts = shard_counts(&*options.disk, &options.data_dir);
    let path = options.data_dir.clone();
    Ok(counts.map_err(|source| LogError::Io { what: "look for", path, source })?.is_empty())
}

fn panicked() -> EngineError {
    EngineError::ThreadStopped { role: "recovery", reason: "it panicked".into() }
}
