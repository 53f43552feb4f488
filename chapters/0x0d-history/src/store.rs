//! The store of rows: one tree of `fjall`, and the checks before it is trusted.
//!
//! The store promises that a batch is there whole or not at all. A power cut may take batches that were not synced yet, which
//! happens once a second. If the store's journal is damaged in the middle, the store silently drops everything after that.
//! The follower depends only on the order: what is lost is the end, with its place, and is derived again from the log.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fjall::{Database, Guard, Keyspace, KeyspaceCreateOptions, PersistMode};
use market::log::ShardOf;
use market::log_chain::identity;
use market::{Disk, LogId, Options, Sequence, UnixMs};

use crate::bytes::{Reader, Writer};
use crate::changes::Changes;
use crate::error::HistoryError;
use crate::key;
use crate::missing::Missing;
use crate::panics;
use crate::removed::remove;
use crate::rows::Row;

/// The form of all rows. A store of another is made again.
const VERSION: u32 = 4;

/// The folder of everything that is derived from the log, inside the data directory.
pub const FOLDER: &str = "history";

/// The folder of the columns, inside that.
pub const COLUMNS: &str = "trades";

/// How many trades of a shard are in a part, and so in a file of columns. With the last command's there may be some more.
pub const PART_TRADES: u64 = 1 << 18;

/// How much of the store is kept in memory: blocks that were read, and rows that are not in a table yet, in bytes.
const CACHE_BYTES: u64 = 32 << 20;
const MEMTABLE_BYTES: u64 = 16 << 20;

/// How large the journal may become, in bytes: no less is possible.
const JOURNAL_BYTES: u64 = 64 << 20;

/// Changes of at least so many rows are written as their own table, past the journal and what is kept in memory.
pub const TABLE_ROWS: usize = 1 << 16;

/// A key with its value, as bytes.
pub type Pair = (Vec<u8>, Vec<u8>);

/// The rows, and the right to change them.
pub struct Store {
    path: PathBuf,
    database: Database,
    rows: Keyspace,
    logs: Vec<LogId>,
    part_trades: u64,
    table_rows: usize,
    /// Released last.
    _lock: Mutex<Box<dyn Send>>,
}

/// How far a shard's log was followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Followed {
    /// The next command.
    pub next: Sequence,
    /// The time of the one before it.
    pub time: UnixMs,
    /// How many rows of trades, orders and money there are of it.
    pub counts: [u64; 3],
}

impl Default for Followed {
    fn default() -> Followed {
        Followed { next: Sequence::FIRST, time: UnixMs::UNKNOWN, counts: [0; 3] }
    }
}

impl Row for Followed {
    fn encode(&self) -> Vec<u8> {
        let row = Writer::default().put(self.next.0.to_le_bytes()).put(self.time.0.to_le_bytes());
        self.counts.iter().fold(row, |row, count| row.put(count.to_le_bytes())).0
    }

    fn decode(bytes: &[u8]) -> Option<Followed> {
        let mut row = Reader(bytes);
        let (next, time) = (Sequence(row.u64()?), UnixMs(row.u64()?));
        let counts = [row.u64()?, row.u64()?, row.u64()?];
        row.end(Followed { next, time, counts })
    }
}

impl Store {
    /// Opens the rows that are derived from the logs in a data directory, and makes them if there are none. `rebuild` throws
    /// away those that are there, and the columns with them.
    ///
    /// # Errors
    /// [`HistoryError::Unusable`] when they are damaged, old, or of other logs; when another process has them; and what the disk
    /// says.
    pub fn open(options: &Options, rebuild: bool) -> Result<Store, HistoryError> {
        let (disk, folder) = (&*options.disk, options.data_dir.join(FOLDER));
        disk.make_folder(&folder).map_err(HistoryError::io("make the folder", &folder))?;
        let lock = disk.lock(&folder.join("LOCK"), &format!("process {}", std::process::id()));
        let lock = lock.map_err(HistoryError::io("lock the folder", &folder))?;
        let lock = lock.map_err(|holder| HistoryError::Locked { path: folder.clone(), holder })?;
        let path = folder.join("rows");
        if rebuild {
            remove(&folder.join(COLUMNS))?;
            remove(&path)?;
        }
        let logs = logs(disk, options)?;
        panics::explain();
        let failed = |error: fjall::Error| HistoryError::store(&path, &error);
        // One thread that merges: with several, keys were lost on some systems (fjall issue 230).
        let database = Database::builder(&path)
            .worker_threads(1)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES)
            .open()
            .map_err(failed)?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
        let rows = database.keyspace("rows", options).map_err(failed)?;
        let (part_trades, table_rows) = (PART_TRADES, TABLE_ROWS);
        let store = Store { path, database, rows, logs, part_trades, table_rows, _lock: Mutex::new(lock) };
        store.check()?;
        Ok(store)
    }

    // ANCHOR: check
    /// Refuses rows of another form, or of other logs.
    fn check(&self) -> Result<(), HistoryError> {
        let unusable = |reason: String| HistoryError::Unusable { path: self.path.clone(), reason };
        let about = Writer::default().put(VERSION.to_le_bytes());
        let about = self.logs.iter().fold(about, |row, id| row.put(id.0.to_le_bytes()));
        match self.bytes(&key::ABOUT)? {
            Some(found) if found == about.0 => Ok(()),
            Some(found) if Reader(&found).u32() != Some(VERSION) => Err(unusable("it is of another version".into())),
            Some(_) => Err(unusable(
                "it is derived from other logs: from another venue's, or from those before a resharding".into(),
            )),
            None if self.first().is_some() => Err(unusable("it does not say which logs it is derived from".into())),
            None => {
                let inserted = self.rows.insert(&key::ABOUT[..], about.0);
                inserted.map_err(|error| HistoryError::store(&self.path, &error))?;
                self.sync()
            }
        }
    }
    // ANCHOR_END: check

    /// The same rows, which from now on are cut after so many trades.
    #[must_use]
    pub fn with_parts_of(self, trades: u64) -> Store {
        Store { part_trades: trades, ..self }
    }

    /// The same rows, where from now on so many changes at once become a table.
    #[must_use]
    pub fn with_tables_of(self, rows: usize) -> Store {
        Store { table_rows: rows, ..self }
    }

    /// After how many trades of a shard a part ends.
    pub fn part_trades(&self) -> u64 {
        self.part_trades
    }

    /// The logs that the rows are derived from.
    pub fn logs(&self) -> &[LogId] {
        &self.logs
    }

    fn first(&self) -> Option<Guard> {
        self.rows.iter().next()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes it takes on disk.
    pub fn bytes_on_disk(&self) -> u64 {
        self.database.disk_space().unwrap_or(0)
    }

    /// The bytes of a row.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn bytes(&self, key: &[u8]) -> Result<Option<Vec<u8>>, HistoryError> {
        let found = self.rows.get(key).map_err(|error| HistoryError::store(&self.path, &error))?;
        Ok(found.map(|value| value.to_vec()))
    }

    /// A row.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn get<R: Row>(&self, key: &[u8]) -> Result<Option<R>, HistoryError> {
        self.bytes(key)?.map(|bytes| self.row(key, &bytes)).transpose()
    }

    fn row<R: Row>(&self, key: &[u8], bytes: &[u8]) -> Result<R, HistoryError> {
        R::decode(bytes)
            .ok_or_else(|| HistoryError::damaged(&self.path, &format!("table {}", key.first().unwrap_or(&0))))
    }

    /// Rows from one key up to another, which is not among them. They can be taken from both ends, and none is added meanwhile.
    pub fn range<'s, R: Row>(
        &'s self,
        from: &[u8],
        to: &[u8],
    ) -> impl DoubleEndedIterator<Item = Result<(Vec<u8>, R), HistoryError>> + use<'s, R> {
        // A range that ends before it begins has nothing.
        let to = to.max(from).to_vec();
        self.rows.range(from.to_vec()..to).map(|guard| {
            let (key, value) = guard.into_inner().map_err(|error| HistoryError::store(&self.path, &error))?;
            Ok((key.to_vec(), self.row(&key, &value)?))
        })
    }

    /// All rows of a table as bytes, for measurements: each key with its value.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn pairs(&self, table: key::Table) -> Result<Vec<Pair>, HistoryError> {
        let pair = |guard: Guard| {
            let (key, value) = guard.into_inner().map_err(|error| HistoryError::store(&self.path, &error))?;
            Ok((key.to_vec(), value.to_vec()))
        };
        self.rows.prefix([table as u8]).map(pair).collect()
    }

    /// How many rows a table has. It reads all of them.
    ///
    /// # Errors
    /// When one can't be read.
    fn count(&self, table: key::Table) -> Result<u64, HistoryError> {
        self.rows.prefix([table as u8]).try_fold(0, |count, guard| {
            guard.key().map_err(|error| HistoryError::store(&self.path, &error))?;
            Ok(count + 1)
        })
    }

    /// Puts all rows into tables, and waits for it.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn settle(&self) -> Result<(), HistoryError> {
        self.rows.rotate_memtable_and_wait().map_err(|error| HistoryError::store(&self.path, &error))
    }

    /// Counts the rows that are there against those that were written.
    ///
    /// # Errors
    /// [`HistoryError::Unusable`] when some are missing.
    pub fn check_all(&self) -> Result<[u64; 3], HistoryError> {
        let mut written = [0; 3];
        for shard in 0..self.logs.len() {
            let Followed { counts, .. } = self.followed(shard as u16)?;
            written = std::array::from_fn(|at| written[at] + counts[at]);
        }
        for (written, table) in written.iter().zip([key::Table::Public, key::Table::Orders, key::Table::Money]) {
            let found = self.count(table)?;
            if found != *written {
                let reason = format!("{written} rows of {table:?} were written, and {found} are there");
                return Err(HistoryError::Unusable { path: self.path.clone(), reason });
            }
        }
        Ok(written)
    }

    // ANCHOR: commit
    /// Makes changes, all of them or none. Many are sorted here and become a table at once. Few go through the
    /// store's journal and its sorted rows in memory, and into a table later.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn commit(&self, mut changes: Changes) -> Result<(), HistoryError> {
        let is_many = changes.len() >= self.table_rows;
        let written = if is_many { self.write_table(&mut changes) } else { self.write_batch(&changes) };
        written.map_err(|error| HistoryError::store(&self.path, &error))
    }

    fn write_batch(&self, changes: &Changes) -> fjall::Result<()> {
        let mut batch = self.database.batch();
        changes.in_order().for_each(|(key, row)| batch.insert(&self.rows, key, row));
        batch.commit()
    }

    fn write_table(&self, changes: &mut Changes) -> fjall::Result<()> {
        let mut table = self.rows.start_ingestion()?;
        changes.by_key().try_for_each(|(key, row)| table.write(key, row))?;
        table.finish()
    }
    // ANCHOR_END: commit

    /// Puts everything so far on disk.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn sync(&self) -> Result<(), HistoryError> {
        self.database.persist(PersistMode::SyncAll).map_err(|error| HistoryError::store(&self.path, &error))
    }

    /// How far a shard's log was followed.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn followed(&self, shard: u16) -> Result<Followed, HistoryError> {
        Ok(self.get(&key::follower(shard))?.unwrap_or_default())
    }

    /// Which rows can't be had, by shard.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn missing(&self) -> Result<Vec<Missing>, HistoryError> {
        let (from, to) = ([key::Table::Missing as u8], [key::Table::Missing as u8 + 1]);
        self.range(&from, &to).map(|row| Ok(row?.1)).collect()
    }
}

/// The identities of all logs in a data directory.
fn logs(disk: &dyn Disk, options: &Options) -> Result<Vec<LogId>, HistoryError> {
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let logs: Result<Vec<_>, _> = shards.map(|shard| identity(disk, &options.data_dir, shard)).collect();
    Ok(logs.map_err(market::EngineError::from)?)
}
