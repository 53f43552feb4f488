//! What this chapter keeps for a venue: rows and columns, and the threads that derive them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gateway::problem::{Problem, Why};
use gateway::reply::Refused;
use market::{EngineError, Options};
use program::lines::tell_often;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::args::HistoryArgs;
use crate::columns::Columns;
use crate::error::HistoryError;
use crate::following::{Following, Progress};
use crate::live::lines::Live;
use crate::store::Store;

/// How many questions read the disk at once.
const READS_MAX: usize = 4;

/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// The venue runs with `--no-history`.
static OFF: Refused = Refused {
    word: "no-history",
    status: 503,
    title: "No history here",
    advice: "This venue keeps no history, or its follower has ended. The operator finds the reason in the venue's output.",
    outcome: 23,
};

/// The rows can't be read.
pub static DAMAGED: Refused = Refused {
    word: "damaged-history",
    status: 503,
    title: "The history can't be read",
    advice: "Nothing is lost: it is derived from the log. The operator has to start the venue with --rebuild.",
    outcome: 24,
};

/// The rows have not come so far, and the log no longer has it.
pub static LATE: Refused = Refused {
    word: "late-history",
    status: 503,
    title: "The history has not caught up",
    advice: "Nothing is lost: reconnect with the last cursor that you have. Metrics tell the operator how far it is behind.",
    outcome: 25,
};

/// The refusal of a venue that keeps no history.
pub fn off() -> Problem {
    Problem::of_a_layer(&OFF, None)
}

/// The refusal where the rows can't be read.
pub fn damaged() -> Problem {
    Problem::of_a_layer(&DAMAGED, None)
}

/// The history of a venue.
pub struct History {
    args: HistoryArgs,
    opened: Mutex<Option<Arc<Opened>>>,
    following: Mutex<Option<Following>>,
    reads: Semaphore,
    /// One moment at a time.
    moments: Semaphore,
    live: Live,
}

/// What is there once the engine is open.
pub struct Opened {
    /// The engine's options.
    pub options: Options,
    /// The rows.
    pub store: Arc<Store>,
    /// How far they go.
    pub progress: Arc<Progress>,
}

impl History {
    /// The layer.
    pub fn new(args: &HistoryArgs) -> Arc<History> {
        Arc::new(History {
            args: args.clone(),
            opened: Mutex::default(),
            following: Mutex::default(),
            reads: Semaphore::new(READS_MAX),
            moments: Semaphore::new(1),
            live: Live::default(),
        })
    }

    /// Opens the rows of this engine's logs, and follows them.
    ///
    /// # Errors
    /// When the rows can't be used.
    pub fn open(&self, options: &Options) -> Result<(), EngineError> {
        if self.args.no_history {
            return Ok(());
        }
        let HistoryArgs { rebuild, columns: args, .. } = &self.args;
        let store = Store::open(options, *rebuild)?.with_parts_of(args.columns_rows);
        let store = Arc::new(store.with_tables_of(args.table_rows));
        let columns = Columns::open(&options.disk, &options.data_dir, &store)?;
        let progress = Arc::new(Progress::new(&store, options.shards)?);
        let following = Following::start(options, &store, &progress, columns, args.every())?;
        *self.following.lock().unwrap_or_else(PoisonError::into_inner) = Some(following);
        *self.slot() = Some(Arc::new(Opened { options: options.clone(), store, progress }));
        Ok(())
    }

    /// How many durable commands of each shard have no rows yet; none without a history.
    pub fn behind(&self) -> Option<Vec<f64>> {
        let opened = self.opened()?;
        Some(opened.progress.behind().map(|commands| commands as f64).collect())
    }

    /// The rows and their progress, once the engine is open; none without a history, and when the venue has ended.
    pub fn opened(&self) -> Option<Arc<Opened>> {
        self.slot().clone()
    }

    /// The candles that clients watch.
    pub fn live(&self) -> &Live {
        &self.live
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the thread, and closes the rows when the last question has its answer.
    pub fn close(&self) {
        drop(self.following.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.slot().take());
    }

    /// Waits until it may replay a moment.
    ///
    /// # Errors
    /// When others take too long.
    pub async fn moment(&self) -> Result<SemaphorePermit<'_>, Problem> {
        let turn = timeout(PATIENCE, self.moments.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| Problem::new(Why::Busy))
    }

    /// Asks the rows something, on a thread that may wait for the disk.
    ///
    /// # Errors
    /// When there is no history, too many ask, or it can't be read.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Opened) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = timeout(PATIENCE, self.reads.acquire()).await;
        let _turn = turn.ok().and_then(Result::ok).ok_or_else(|| Problem::new(Why::Busy))?;
        let opened = self.opened();
        let asked = tokio::task::spawn_blocking(move || opened.map(|opened| question(&opened))).await;
        match asked {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(Some(Err(HistoryError::Asked(what)))) => Err(Problem::because(Why::BadRequest, what)),
            Ok(None) => Err(off()),
            Ok(Some(Err(error))) => {
                tell_often("history", format_args!("error: {error}"));
                Err(damaged())
            }
            Err(_) => Err(damaged()),
        }
    }
}
