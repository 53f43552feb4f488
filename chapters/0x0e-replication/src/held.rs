//! What a machine has on its own disk. It answers when `-- trim` asks.
//!
//! It is read from the disk and synced before the answer, so what a machine has said that it holds, it holds after a power cut,
//! too. Primary and standby answer alike.

use futures_util::StreamExt;
use market::log::ShardOf;
use market::{EngineError, LogError, LogReader, Options, Sequence, snapshot};
use program::tell;
use serde::{Deserialize, Serialize};

use crate::args::{ReplicaArgs, stream_of};
use crate::error::ReplicaError;
use crate::link::Link;
use crate::mark::{self, MarkFile, Whose};
use crate::own::{identity_of, open};

/// How many snapshots keep what comes after them in the stream.
const SNAPSHOTS: usize = 2;

/// What a machine holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// The machine's name.
    pub name: String,
    /// By shard.
    pub shards: Vec<HeldShard>,
}

/// What a machine holds of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeldShard {
    /// The last message of the stream up to which the log is on its disk.
    pub place: u64,
    /// The command that comes next at the older of its last two snapshots; the first command where it has fewer.
    pub next: u64,
}

/// Answers from now on, as long as the program runs.
pub fn answer(link: &Link, replicas: &ReplicaArgs, options: &Options) {
    let (client, replicas, options) = (link.client().clone(), replicas.clone(), options.clone());
    link.spawn(async move {
        let Ok(mut asked) = client.subscribe(subject(&replicas.stream)).await else { return };
        while let Some(request) = asked.next().await {
            let Some(reply) = request.reply else { continue };
            let (replicas, options) = (replicas.clone(), options.clone());
            match tokio::task::spawn_blocking(move || held(&replicas, &options)).await {
                Ok(Ok(held)) => {
                    let held = serde_json::to_vec(&held).unwrap_or_default();
                    // A machine whose answer is lost counts as silent.
                    let _ = client.publish(reply, held.into()).await;
                }
                Ok(Err(error)) => tell(format_args!("could not say what is on this disk: {error}")),
                Err(_) => {}
            }
        }
    });
}

fn held(replicas: &ReplicaArgs, options: &Options) -> Result<Held, ReplicaError> {
    let of_shard = |shard| {
        let path = options.data_dir.clone();
        let (stream, shard) = (stream_of(&replicas.stream, shard), ShardOf { shard, shards: options.shards });
        let place = settled(options, shard, &stream)?;
        let snapshots = snapshot::list(&*options.disk, &path, shard);
        let snapshots = snapshots.map_err(|source| EngineError::Io { what: "look for snapshots in", path, source })?;
        let next = snapshots.get(SNAPSHOTS - 1).map_or(Sequence::FIRST.0, |(next, _)| next.0);
        Ok(HeldShard { place, next })
    };
    let shards: Result<Vec<HeldShard>, ReplicaError> = (0..options.shards).map(of_shard).collect();
    Ok(Held { name: replicas.name.clone(), shards: shards? })
}

/// Up to which message of the stream a shard's log is here, and on disk together with the mark that says so; 0 when no mark
/// can be read. A machine may run here meanwhile.
fn settled(options: &Options, shard: ShardOf, stream: &str) -> Result<u64, ReplicaError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let path = folder.join(shard.file_name());
    let whose = Whose::of(identity_of(disk, &path)?, stream);
    let mut file = open(disk, &path)?;
    let marked = mark::read(disk, folder, shard, whose);
    let Some(mark) = marked.filter(|mark| LogReader::resume(&mut *file, &path, &mark.log).is_ok()) else {
        return Ok(0);
    };
    let synced = file.sync().and_then(|()| MarkFile::open(disk, folder, shard, whose)?.sync());
    synced.map_err(|source| LogError::Io { what: "sync", path, source })?;
    Ok(mark.place)
}

/// What all machines of a stream hear.
pub fn subject(stream: &str) -> String {
    format!("{stream}.held")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use contract::faults::Faults;
    use contract::sim_disk::SimDisk;
    use market::log::{LogHeader, RECORD_BYTES, encode_commands, encode_log, seal_frame};
    use market::{Command, Disk, LogId, MarketId, Stamp, UnixMs};

    use super::*;
    use crate::durable::Durable;
    use crate::mark::Mark;
    use crate::own::OwnLog;
    use crate::reach::ReachArgs;

    fn says(options: &Options) -> HeldShard {
        let stream = "cents".to_owned();
        let args = ReplicaArgs { reach: ReachArgs::default(), stream, durable: Durable::Both, name: "one".into() };
        held(&args, options).expect("it can be read").shards[0]
    }

    #[test]
    fn a_machine_holds_what_its_mark_says_if_its_log_reaches_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (options, shard) = (Options::new(folder.path()), ShardOf::ONLY);
        let (disk, path) = (&*options.disk, folder.path().join(shard.file_name()));
        let commands = [1, 2].map(|market| Command::Open { market: MarketId(market) });
        let log = encode_log(&LogHeader::new(shard, LogId(7)), UnixMs(5), &commands);
        fs::write(&path, &log).expect("a log");
        let mut file = disk.open(&path).expect("it can be opened").expect("it is there");
        let mut reader = LogReader::new(&mut *file, Path::new("log")).expect("a log");
        assert!(reader.advance().expect("a frame"));
        let mark = Mark { place: 9, epoch: 1, log: reader.log_place() };

        assert_eq!(says(&options), HeldShard { place: 0, next: 1 }, "no mark, and no snapshot");
        let note = |stream| {
            MarkFile::open(disk, folder.path(), shard, Whose::of(LogId(7), stream)).map(|mut file| file.set(&mark))
        };
        note("other-0").expect("a mark");
        assert_eq!(says(&options).place, 0, "the mark of another stream");
        note("cents-0").expect("a mark");
        assert_eq!(says(&options).place, 9);
        for (next, expected) in [(3, 1), (2, 2), (5, 3)] {
            fs::write(folder.path().join(snapshot::file_name(shard, Sequence(next))), "").expect("a snapshot");
            assert_eq!(says(&options).next, expected, "the older of the last two");
        }
        fs::write(&path, &log[..log.len() - 1]).expect("a shorter log");
        assert_eq!(says(&options).place, 0, "the log ends before the mark");
    }

    fn frame(sequence: u64) -> (Vec<u8>, Stamp) {
        let mut frame = vec![0; RECORD_BYTES];
        encode_commands(&[Command::Open { market: MarketId(sequence as u32) }], &mut frame);
        seal_frame(&mut frame, LogId(7), Stamp { sequence: Sequence(sequence), time: UnixMs(5) });
        (frame, Stamp { sequence: Sequence(sequence + 1), time: UnixMs(5) })
    }

    /// After a failed sync the system may say of the next one that it succeeded, and what is lost is still there to read.
    #[test]
    fn a_machine_does_not_hold_what_a_failed_sync_has_lost() {
        let (shard, header) = (ShardOf::ONLY, LogHeader::new(ShardOf::ONLY, LogId(7)));
        for seed in 0..20 {
            let disk = SimDisk::new(seed, Faults::default());
            let options = Options { disk: std::sync::Arc::new(disk.clone()), ..Options::new("") };
            let path = options.data_dir.join(shard.file_name());
            drop(disk.create(&path, &header.encode()).expect("a log"));
            let mut log = header.encode().to_vec();
            // The second machine is the first, started again. The third is the second, whose mark is ahead of its disk.
            for (last, does_sync_fail) in [(4, true), (5, false), (6, true), (6, false)] {
                let (mut own, mut chain) = OwnLog::open(&options, shard, "cents-0").expect("the log");
                for sequence in chain.next.sequence.0..=last {
                    let (frame, next) = frame(sequence);
                    own.take(&frame, next, 1).expect("it is written");
                    (chain.place, chain.next) = (sequence, next);
                }
                let sync_fails_at = does_sync_fail.then_some(1);
                disk.set_faults(Faults { sync_fails_at, ..Faults::default() });
                assert_eq!(own.sync(&chain).is_err(), does_sync_fail);
                disk.set_faults(Faults::default());
                if last == 6 {
                    let mark = Mark { place: 6, epoch: 1, log: own.place() };
                    let file = MarkFile::open(&disk, &options.data_dir, shard, Whose::of(header.id, "cents-0"));
                    file.expect("a mark").set(&mark);
                }
            }
            (1..=6).for_each(|sequence| log.extend(frame(sequence).0));
            assert_eq!(settled(&options, shard, "cents-0").expect("it can be read"), 6);
            assert_eq!(disk.durable(&path).expect("a log"), log, "seed {seed}");
        }
    }
}
