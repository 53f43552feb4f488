//! What this chapter keeps for a venue: rows and columns, and the threads that derive them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gateway::problem::{Problem, Why};
use gateway::reply::Refused;
use market::{EngineError, Options, Sequence};
use program::lines::tell_often;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::args::HistoryArgs;
use crate::columns::Columns;
use crate::error::HistoryError;
use crate::following::{Following, Progress};
use crate::live::lines::Live;
use crate::past;
use crate::store::Store;

/// How many questions read the disk at once.
const READS_MAX: usize = 4;

/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// The venue runs with `--no-history`, or its follower has ended.
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
    advice: "The operator has to start the venue with --rebuild, which derives it from the log again.",
    outcome: 24,
};

/// The log can't be read, where the answer needs it.
static UNREADABLE: Refused = Refused {
    word: "unreadable-log",
    status: 503,
    title: "The log can't be read",
    advice: "Ask again. If that does not help, the operator finds the reason in the venue's output.",
    outcome: 26,
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
    reads: Arc<Semaphore>,
    /// One moment at a time.
    moments: Arc<Semaphore>,
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
            reads: Arc::new(Semaphore::new(READS_MAX)),
            moments: Arc::new(Semaphore::new(1)),
            live: Live::default(),
        })
    }

    /// Opens the rows of this engine's logs, and follows them. `next` is the next command of each log.
    ///
    /// # Errors
    /// When the rows can't be used.
    pub fn open(&self, options: &Options, next: &[Sequence]) -> Result<(), EngineError> {
        if self.args.no_history {
            return Ok(());
        }
        let HistoryArgs { rebuild, columns: args, .. } = &self.args;
        let store = Store::open(options, rebuild.asked(options)?)?.with_parts_of(args.columns_rows);
        let store = Arc::new(store.with_tables_of(args.table_rows));
        past::check_ends(&store, next)?;
        let columns = Columns::open(&options.disk, &options.data_dir, &store)?;
        let progress = Arc::new(Progress::new(&store, options.shards)?);
        let following = Following::start(options, &store, &progress, columns, args.every())?;
        *self.following.lock().unwrap_or_else(PoisonError::into_inner) = Some(following);
        *self.slot() = Some(Arc::new(Opened { options: options.clone(), store, progress }));
        Ok(())
    }

    /// The rows and their progress, once the engine is open; none without a history, and when the venue has ended.
    pub fn opened(&self) -> Option<Arc<Opened>> {
        self.slot().clone()
    }

    /// The same, as long as they are followed: a follower that has ended may have found that the rows are of another past.
    pub fn followed(&self) -> Option<Arc<Opened>> {
        self.opened().filter(|opened| opened.progress.ended().is_none())
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

    /// As [`ask`](History::ask), for a question that replays a part of the log: these take turns.
    ///
    /// # Errors
    /// As [`ask`](History::ask).
    pub async fn ask_for_moment<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Opened) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = turn(&self.moments).await?;
        self.ask(move |opened| {
            let _turn = turn;
            question(opened)
        })
        .await
    }

    /// Asks the rows something, on a thread that may wait for the disk. That thread keeps its turn until it is done, also when the
    /// client no longer waits for the answer.
    ///
    /// # Errors
    /// When there is no history, too many ask, or it can't be read.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Opened) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = turn(&self.reads).await?;
        let opened = self.followed();
        let work = move || {
            let _turn = turn;
            opened.map(|opened| question(&opened))
        };
        let asked = tokio::task::spawn_blocking(work).await;
        match asked {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(Some(Err(HistoryError::Asked(what)))) => Err(Problem::because(Why::BadRequest, what)),
            Ok(None) => Err(off()),
            Ok(Some(Err(error))) => {
                tell_often("history", format_args!("error: {error}"));
                // The rows are not to blame for the log.
                let is_log = matches!(error, HistoryError::Engine(_));
                Err(if is_log { Problem::of_a_layer(&UNREADABLE, None) } else { damaged() })
            }
            Err(_) => Err(damaged()),
        }
    }
}

/// Waits for a turn.
async fn turn(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    let turn = timeout(PATIENCE, Arc::clone(turns).acquire_owned()).await;
    turn.ok().and_then(Result::ok).ok_or_else(|| Problem::new(Why::Busy))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
mod tests {
    use std::future::Future;
    use std::sync::mpsc::channel;

    use market::log::{LogHeader, ShardOf, encode_log};
    use market::{LogId, UnixMs};

    use super::*;
    use crate::args::ColumnArgs;
    use crate::rebuild::RebuildArgs;

    /// A history of a log without commands, and a runtime to ask it.
    fn with_history<F: Future<Output = ()>>(asks: impl FnOnce(Arc<History>) -> F) {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        let log = encode_log(&LogHeader::new(ShardOf::ONLY, LogId(7)), UnixMs(5), &[]);
        std::fs::write(folder.path().join(ShardOf::ONLY.file_name()), log).unwrap();
        let columns = ColumnArgs { columns_every: 60, columns_rows: 100, table_rows: 100 };
        let history = History::new(&HistoryArgs { no_history: false, rebuild: RebuildArgs::default(), columns });
        history.open(&options, &[Sequence::FIRST]).unwrap();
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(asks(history));
    }

    #[test]
    fn a_question_keeps_its_turn_until_it_is_answered_also_when_its_client_has_gone() {
        with_history(|history| async move {
            let (go_on, until) = channel::<()>();
            let asked = history.ask_for_moment(move |_| Ok(until.recv().is_err()));
            assert!(timeout(Duration::from_millis(50), asked).await.is_err(), "it has its answer already");
            let left = || (history.reads.available_permits(), history.moments.available_permits());
            assert_eq!(left(), (READS_MAX - 1, 0), "the work goes on, and its turn is free");
            drop(go_on);
            let _all = history.reads.acquire_many(READS_MAX as u32).await.unwrap();
            let _moment = history.moments.acquire().await.unwrap();
        });
    }

    #[test]
    fn a_log_that_cannot_be_read_is_not_blamed_on_the_rows() {
        with_history(|history| async move {
            let log = || EngineError::Refused("the log can't be read".into());
            let rows = || HistoryError::damaged(std::path::Path::new("rows"), "trades");
            let of_the_log = history.ask::<()>(move |_| Err(log().into())).await.unwrap_err();
            let of_the_rows = history.ask::<()>(move |_| Err(rows())).await.unwrap_err();
            assert_eq!((of_the_log.reason(), of_the_rows.reason()), (UNREADABLE.word, DAMAGED.word));
        });
    }

    #[test]
    fn a_history_that_has_ended_answers_no_question() {
        with_history(|history| async move {
            assert!(history.ask(|_| Ok(())).await.is_ok());
            history.opened().unwrap().progress.end("the log can't be read".into());
            let refused = history.ask(|_| Ok(())).await.expect_err("the rows are no longer followed");
            assert_eq!(refused.reason(), OFF.word);
        });
    }
}
