//! `-- follow`: the follower as a process of its own.

use std::sync::Arc;
use std::time::Duration;

use keeping::once::shard_count;
use market::log::ShardOf;
use market::log_chain::identity;
use market::{EngineError, Options, watermark};
use program::{Verdict, print, tell};

use crate::args::FollowArgs;
use crate::columns::Columns;
use crate::error::HistoryError;
use crate::following::{Following, Progress, follow};
use crate::store::Store;

/// How often it looks whether it was asked to end.
const LOOK: Duration = Duration::from_millis(20);

/// Follows the logs until it is asked to stop, or, with `--once`, until the rows have caught up.
///
/// # Errors
/// [`HistoryError`].
pub fn run(args: &FollowArgs) -> Result<Verdict, HistoryError> {
    let mut options = Options::new(&args.data_dir);
    options.shards = shard_count(&options, "follow")?;
    let store = Store::open(&options, args.rebuild.asked(&options)?)?.with_parts_of(args.columns.columns_rows);
    let store = Arc::new(store.with_tables_of(args.columns.table_rows));
    let mut columns = Columns::open(&options.disk, &options.data_dir, &store)?;
    store.missing()?.iter().try_for_each(|missing| {
        let (first, last) = (missing.first, missing.last);
        print(format_args!(
            "commands {first} to {last} were trimmed before they were followed: there are no rows for them\n"
        ))
    })?;
    say_unmarked(&options)?;
    let progress = Arc::new(Progress::new(&store, options.shards)?);
    if args.once || args.check {
        follow(&options, &store, &progress, &|| progress.is_caught_up())?;
        columns.catch_up(&|| false)?;
        if args.check {
            columns.check_all()?;
        }
    } else {
        print(format_args!("following {}\n", args.data_dir.display()))?;
        until_asked(&options, &store, &progress, columns, args.columns.every())?;
    }
    let [trades, orders, money] = if args.check { store.check_all()? } else { written(&store, options.shards)? };
    let through = progress.through().iter().map(|last| last.0.to_string()).collect::<Vec<_>>().join(", ");
    print(format_args!("command {through}: {trades} trades, {orders} orders, {money} movements of money\n"))?;
    Ok(Verdict::Yes)
}

fn until_asked(
    options: &Options,
    store: &Arc<Store>,
    progress: &Arc<Progress>,
    columns: Columns,
    every: Duration,
) -> Result<(), HistoryError> {
    let path = store.path().to_path_buf();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(HistoryError::io("wait for signals beside", &path))?;
    let following = Following::start(options, store, progress, columns, every)?;
    runtime.block_on(async {
        tokio::select! {
            () = gateway::serve::asked_to_end() => {}
            () = async { while progress.ended().is_none() { tokio::time::sleep(LOOK).await } } => {}
        }
    });
    drop(following);
    match progress.ended() {
        None => Ok(()),
        Some(reason) => Err(HistoryError::Ended(reason)),
    }
}

/// Reports the logs without a watermark. It is not known how much of them is on disk, so they are not followed.
fn say_unmarked(options: &Options) -> Result<(), HistoryError> {
    for shard in (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards }) {
        let log = identity(&*options.disk, &options.data_dir, shard).map_err(EngineError::from)?;
        let path = options.data_dir.join(shard.file_name());
        if watermark::read(&*options.disk, &path, log).is_none() {
            let path = path.display();
            tell(format_args!(
                "{path}: it has no watermark yet, so none of it is followed: an engine that starts makes one"
            ));
        }
    }
    Ok(())
}

/// How many rows were written.
fn written(store: &Store, shards: u16) -> Result<[u64; 3], HistoryError> {
    (0..shards).try_fold([0; 3], |sum, shard| {
        let counts = store.followed(shard)?.counts;
        Ok(std::array::from_fn(|at| sum[at] + counts[at]))
    })
}
