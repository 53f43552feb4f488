//! `-- backup`: a copy of a data directory with which another machine can follow, even if the stream has been trimmed.
//!
//! It is the backup of 0x08, and the mark, which says up to where this log is in the stream. The mark is read first, and the log is
//! copied once all of it up to the mark is on disk. The names of accounts are not copied, for the stream of names has them.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use ch08::shadow::Shadow;
use keeping::backup::copy;
use keeping::once::shard_count;
use market::log::ShardOf;
use market::log_chain::identity;
use market::{EngineError, Options, watermark};
use program::{Verdict, print};

use crate::args::stream_of;
use crate::error::ReplicaError;
use crate::mark::{self, Mark, MarkFile, Whose};

/// How often to look whether the log is on disk, and how many times.
const LOOK: (Duration, u32) = (Duration::from_millis(20), 250);

/// Copies a data directory, in which a machine may run, to a new folder, and checks that the copy opens
#[derive(Debug, Clone, clap::Args)]
pub struct BackupArgs {
    /// The folder to make
    #[arg(value_name = "DIR")]
    pub to: PathBuf,
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// The stream's name
    #[arg(long, value_name = "NAME", default_value = "cents")]
    pub stream: String,
}

/// Makes the copy.
///
/// # Errors
/// When there is no log, it can't be trusted or is not known to be in the stream, something is at the other place, or the disk
/// fails.
pub fn run(args: &BackupArgs) -> Result<Verdict, ReplicaError> {
    let from = Options::new(&args.data_dir);
    let shards = shard_count(&from, "copy")?;
    let shards = (0..shards).map(|shard| ShardOf { shard, shards });
    let marks: Result<Vec<_>, EngineError> = shards.map(|shard| durable_mark(&from, shard, &args.stream)).collect();
    let (marks, said) = (marks?, copy::<Shadow>(&from, &args.to)?);
    for (shard, whose, mark) in marks {
        let noted = MarkFile::open(&*from.disk, &args.to, shard, whose).and_then(|mut file| {
            file.set(&mark);
            file.sync()
        });
        noted.map_err(|source| EngineError::Io { what: "mark the copy in", path: args.to.clone(), source })?;
    }
    print(format_args!("{said}\n"))?;
    Ok(Verdict::Yes)
}

/// The mark of a shard, once the log is on disk up to it.
fn durable_mark(from: &Options, shard: ShardOf, stream: &str) -> Result<(ShardOf, Whose, Mark), EngineError> {
    let (disk, folder) = (&*from.disk, &from.data_dir);
    let (log, path, stream) =
        (identity(disk, folder, shard)?, folder.join(shard.file_name()), stream_of(stream, shard.shard));
    let (whose, mut marked) = (Whose::of(log, &stream), None);
    for _ in 0..LOOK.1 {
        // It may be read while it is overwritten, and then looks like none.
        marked = marked.or_else(|| mark::read(disk, folder, shard, whose));
        if let Some(mark) = marked
            && watermark::read(disk, &path, log).map_or(0, |known| known.last.0) + 1 >= mark.log.next.sequence.0
        {
            return Ok((shard, whose, mark));
        }
        sleep(LOOK.0);
    }
    let reason =
        format!("it is not known how much of it is on this disk and in stream {stream}: start the machine once");
    Err(EngineError::Unsound { path, reason })
}
