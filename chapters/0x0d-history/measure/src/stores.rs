//! The stores that rows could be kept in: the chapter's, the chapter's without Bloom filters, a B-tree, and SQLite.

use std::error::Error;
use std::path::{Path, PathBuf};

use fjall::config::FilterPolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use redb::{ReadableDatabase as _, TableDefinition};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Whatever a store says.
pub type Failed = Box<dyn Error>;

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// A store of keys and values.
pub trait Store {
    /// Adds pairs, and returns when they are on disk.
    fn put(&mut self, pairs: &[Pair]) -> Result<(), Failed>;

    /// Looks for a key.
    fn get(&mut self, key: &[u8]) -> Result<bool, Failed>;

    /// Ends what goes on in the background.
    fn settle(&mut self) -> Result<(), Failed>;
}

/// The stores' names.
pub const NAMES: [&str; 4] = ["fjall", "fjall-no-bloom", "redb", "sqlite"];

/// A new store of this name in a folder.
pub fn open(name: &str, folder: &Path) -> Result<Box<dyn Store>, Failed> {
    Ok(match name {
        "redb" => Box::new(Redb(redb::Database::create(folder.join("rows.redb"))?)),
        "sqlite" => Box::new(sqlite(folder)?),
        name => Box::new(fjall(folder, name == "fjall")?),
    })
}

struct Fjall {
    database: Database,
    rows: Keyspace,
}

fn fjall(folder: &Path, has_filters: bool) -> Result<Fjall, Failed> {
    let database = Database::builder(folder).worker_threads(1).cache_size(32 << 20).open()?;
    let options = || {
        let options = KeyspaceCreateOptions::default().max_memtable_size(16 << 20);
        if has_filters { options } else { options.filter_policy(FilterPolicy::disabled()) }
    };
    let rows = database.keyspace("rows", options)?;
    Ok(Fjall { database, rows })
}

impl Store for Fjall {
    fn put(&mut self, pairs: &[Pair]) -> Result<(), Failed> {
        let mut batch = self.database.batch();
        pairs.iter().for_each(|(key, value)| batch.insert(&self.rows, &key[..], &value[..]));
        batch.durability(Some(PersistMode::SyncData)).commit()?;
        Ok(())
    }

    fn get(&mut self, key: &[u8]) -> Result<bool, Failed> {
        Ok(self.rows.get(key)?.is_some())
    }

    fn settle(&mut self) -> Result<(), Failed> {
        self.rows.rotate_memtable_and_wait()?;
        // What merges in the background belongs to what was written.
        while self.database.active_compactions() > 0 || self.database.outstanding_flushes() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Ok(())
    }
}

struct Redb(redb::Database);

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

impl Store for Redb {
    fn put(&mut self, pairs: &[Pair]) -> Result<(), Failed> {
        let writing = self.0.begin_write()?;
        let mut table = writing.open_table(ROWS)?;
        for (key, value) in pairs {
            table.insert(&key[..], &value[..])?;
        }
        drop(table);
        writing.commit()?;
        Ok(())
    }

    fn get(&mut self, key: &[u8]) -> Result<bool, Failed> {
        Ok(self.0.begin_read()?.open_table(ROWS)?.get(key)?.is_some())
    }

    fn settle(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}

struct Sqlite(Connection);

fn sqlite(folder: &Path) -> Result<Sqlite, Failed> {
    let rows = Connection::open(folder.join("rows.sqlite"))?;
    rows.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;
         CREATE TABLE rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;",
    )?;
    Ok(Sqlite(rows))
}

impl Store for Sqlite {
    fn put(&mut self, pairs: &[Pair]) -> Result<(), Failed> {
        let all = self.0.transaction()?;
        let mut insert = all.prepare_cached("INSERT OR REPLACE INTO rows VALUES (?1, ?2)")?;
        for (key, value) in pairs {
            insert.execute(params![key, value])?;
        }
        drop(insert);
        all.commit()?;
        Ok(())
    }

    fn get(&mut self, key: &[u8]) -> Result<bool, Failed> {
        let mut asked = self.0.prepare_cached("SELECT value FROM rows WHERE key = ?1")?;
        Ok(asked.query_row(params![key], |row| row.get::<_, Vec<u8>>(0)).optional()?.is_some())
    }

    fn settle(&mut self) -> Result<(), Failed> {
        self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

/// How many bytes a folder takes.
pub fn bytes_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>();
    let bytes = |path: &PathBuf| match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => bytes_of(path),
        Ok(found) => allocated(&found),
        Err(_) => 0,
    };
    paths.iter().map(bytes).sum()
}

/// What a file takes: some are made long before they are filled.
#[cfg(unix)]
fn allocated(found: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    found.blocks() * 512
}

#[cfg(not(unix))]
fn allocated(found: &std::fs::Metadata) -> u64 {
    found.len()
}

/// How many bytes this process has handed to devices, where the system says so.
pub fn written() -> Option<u64> {
    let said = std::fs::read_to_string("/proc/self/io").ok()?;
    said.lines().find_map(|line| line.strip_prefix("write_bytes: "))?.trim().parse().ok()
}
