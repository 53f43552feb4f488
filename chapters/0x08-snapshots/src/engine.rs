//! The engine: a pipeline for each shard, and an entrance that knows which market belongs to which.
//!
//! Invariant: a market has one writer, and what is acknowledged is on disk. Cost: two threads and a
//! log for each shard. A market that gets nine tenths of the commands makes its shard do nine tenths
//! of the work: the unit of sharding is the market.

use std::marker::PhantomData;
use std::thread;

use market::data_dir::DataDir;
use market::log::ShardOf;
use market::{Closed, Command, EngineError, LogError, Options, Receivers, Recovery, Ticket};

use crate::metrics::Metrics;
use crate::pipeline::{Pipeline, Replayed};

/// An engine with a single writer for each share of the markets.
pub struct Engine<M> {
    shards: Vec<Pipeline>,
    /// Set by the first error of any shard: the others must stop as well.
    stopped: bool,
    metrics: PhantomData<M>,
    /// The lock of the directory: no other engine opens it meanwhile.
    data_dir: DataDir,
}

impl<M: Metrics> market::Engine for Engine<M> {
    // ANCHOR: open
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Engine<M>, Recovery), EngineError> {
        let data_dir = DataDir::open(&*options.disk, &options.data_dir)?;
        let count = options.shards;
        let reserve_commands = options.reserve_commands / usize::from(count);
        let shared = Options { reserve_commands, ..options.clone() };
        let shards = (0..count).map(|shard| ShardOf { shard, shards: count });
        let acks: Vec<_> = shards.zip((0..count).map(receivers)).collect();

        // The logs are read in parallel, and none is changed until all are trusted.
        let read = |(shard, acks)| Replayed::read::<M>(&shared, shard, acks);
        let replayed: Result<Vec<_>, _> = match options.schedule {
            Some(_) => acks.into_iter().map(read).collect(),
            None => thread::scope(|scope| {
                let threads: Vec<_> = acks.into_iter().map(|one| scope.spawn(|| read(one))).collect();
                // All threads are joined, even after one log was refused.
                let read: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
                read.into_iter().map(|read| read.unwrap_or_else(|_| Err(panicked()))).collect()
            }),
        };
        // The log of shard 0 is created last: if it exists, all do.
        let opened = replayed?.into_iter().rev().map(|replayed| Pipeline::open::<M>(&shared, replayed));
        let mut opened = opened.collect::<Result<Vec<_>, _>>()?;
        opened.reverse();

        let (mut shards, mut recovery) = (Vec::new(), Recovery::default());
        for (pipeline, found) in opened {
            shards.push(pipeline);
            recovery.merge(found);
        }
        Ok((Engine { shards, stopped: false, metrics: PhantomData, data_dir }, recovery))
    }
    // ANCHOR_END: open

    // ANCHOR: submit
    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        let shard = ShardOf::market(command.market(), self.shards.len() as u16).shard;
        let sequence = self.while_running(|shards| shards[usize::from(shard)].submit(command))?;
        Ok(Ticket { shard, sequence })
    }
    // ANCHOR_END: submit

    fn poll(&mut self) -> Result<(), EngineError> {
        self.while_running(|shards| shards.iter_mut().try_for_each(Pipeline::publish))?;
        self.shards[0].pause();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.while_running(|shards| {
            // All rings are filled before waiting for the first.
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
            if let Some(stages) = stages {
                whole.stages.get_or_insert_default().merge(&stages);
            }
            whole.remarks.extend(remarks.into_iter().map(|remark| format!("shard {n}: {remark}")));
        }
        Ok(whole)
    }
}

impl<M> Engine<M> {
    /// Does something with the shards, unless one of them has stopped.
    fn while_running<T>(
        &mut self,
        work: impl FnOnce(&mut [Pipeline]) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if self.stopped {
            return Err(LogError::Stopped { path: self.data_dir.path().to_path_buf() }.into());
        }
        let done = work(&mut self.shards);
        self.stopped = done.is_err();
        done
    }
}

fn panicked() -> EngineError {
    EngineError::ThreadStopped { role: "recovery", reason: "it panicked".into() }
}
