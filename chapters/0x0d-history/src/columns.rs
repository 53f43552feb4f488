//! Columns: all trades in Parquet files, for questions about a few columns of every row. Other programs ask them.
//!
//! They are made from the rows, part by part. The last part of a shard grows, so its file is made again with more rows, and
//! small files become large ones. A file never changes: the new one has a name of its own, and the old one is removed before
//! the new one gets that name. So no trade is ever under two names.
//!
//! Another process that lists the folder and then opens the files sees each trade once, and all trades of a shard up to some
//! command. A file may be removed between the two steps. Then it can't be opened, and the process has to begin again; every
//! answer that it gets is right. The newest trades may be missing: until they are written, while their file is replaced, and
//! after a crash until the file is made again.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use market::log::ShardOf;
use market::{Disk, LogFile, MarketId, Sequence, UnixMs};
use parquet::errors::ParquetError;

use crate::error::HistoryError;
use crate::key::{self, Table, place_of, placed};
use crate::part::Part;
use crate::place::Place;
use crate::rows::{MarketRow, MarketTrade};
use crate::store::{COLUMNS, FOLDER, Store};

pub mod file;
pub mod manifest;

use file::{FileWriter, Written};
use manifest::{Listed, Manifest};

/// How the name of a file ends while it is being written.
const UNFINISHED: &str = "unfinished";

/// The columns of all shards.
pub struct Columns {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    store: Arc<Store>,
    shards: u16,
    manifest: Manifest,
    /// Whether the folder is known to match the list: not before the first check, and not after a write that failed.
    is_sure: bool,
}

impl Columns {
    /// Opens the columns of these rows, and removes what a crash has left.
    ///
    /// # Errors
    /// [`HistoryError::Unusable`] when they are damaged, old, or of other logs, and what the disk says.
    pub fn open(disk: &Arc<dyn Disk>, data_dir: &Path, store: &Arc<Store>) -> Result<Columns, HistoryError> {
        let folder = data_dir.join(FOLDER).join(COLUMNS);
        disk.make_folder(&folder).map_err(HistoryError::io("make the folder", &folder))?;
        let logs: Vec<_> = store.logs().iter().map(|log| format!("{:016x}", log.0)).collect();
        let (disk, store, shards) = (Arc::clone(disk), Arc::clone(store), logs.len() as u16);
        let manifest = Manifest { version: manifest::VERSION, logs, files: Vec::new() };
        let mut columns = Columns { disk, folder, store, shards, manifest, is_sure: false };
        columns.make_sure()?;
        Ok(columns)
    }

    /// Makes the folder match the list, after a crash and after a write that failed.
    fn make_sure(&mut self) -> Result<(), HistoryError> {
        if !self.is_sure {
            self.check()?;
            self.remove_what_was_left()?;
            self.is_sure = true;
        }
        Ok(())
    }

    /// Reads the list, and refuses one that is not of these rows, or whose files are not there.
    fn check(&mut self) -> Result<(), HistoryError> {
        let path = self.folder.join(manifest::NAME);
        let bytes = read(&*self.disk, &path).map_err(HistoryError::io("read", &path))?;
        let Some(bytes) = bytes else {
            self.manifest.files.clear();
            return Ok(());
        };
        let found = Manifest::decode(&bytes).ok_or_else(|| self.unusable("its manifest is damaged"))?;
        if found.version != manifest::VERSION {
            return Err(self.unusable("it is of another version"));
        }
        if found.logs != self.manifest.logs {
            let other = "it is derived from other logs: from another venue's, or from those before a resharding";
            return Err(self.unusable(other));
        }
        self.manifest = found;
        Ok(())
    }

    // ANCHOR: left
    /// A crash may have come after a file was written and before the list was. Then it is the last file of its shard:
    /// what does not match the list is removed, and made again from the rows.
    fn remove_what_was_left(&mut self) -> Result<(), HistoryError> {
        for shard in 0..self.shards {
            let Some(last) = self.manifest.last(shard).cloned() else { continue };
            if !self.is_there(&last)? {
                self.manifest.files.retain(|file| *file != last);
            }
        }
        let named: HashSet<_> = self.manifest.files.iter().map(|file| &file.name).collect();
        let found = self.disk.list(&self.folder).map_err(HistoryError::io("list", &self.folder))?;
        let is_left = |name: &&String| {
            let path = Path::new(name);
            path.extension().is_some_and(|end| end == UNFINISHED || end == "new")
                || manifest::is_ours(name) && !named.contains(name)
        };
        for name in found.iter().filter(is_left) {
            let path = self.folder.join(name);
            self.disk.remove(&path).map_err(HistoryError::io("remove", &path))?;
        }
        for Listed { name, bytes, .. } in &self.manifest.files {
            let path = self.folder.join(name);
            let file = self.disk.open(&path).map_err(HistoryError::io("open", &path))?;
            let length = file.map(|mut file| file.length()).transpose().map_err(HistoryError::io("measure", &path))?;
            if length != Some(*bytes) {
                return Err(self.unusable(&format!("{name} is missing, or is not as it was written")));
            }
        }
        Ok(())
    }
    // ANCHOR_END: left

    fn is_there(&self, file: &Listed) -> Result<bool, HistoryError> {
        file.is_there(&*self.disk, &self.folder).map_err(HistoryError::io("read", &self.folder.join(&file.name)))
    }

    fn unusable(&self, reason: &str) -> HistoryError {
        HistoryError::Unusable { path: self.folder.clone(), reason: reason.into() }
    }

    /// Writes everything that is in the rows and not in the columns, or stops early when `stop` says so.
    ///
    /// # Errors
    /// When the rows can't be read, or the columns can't be written. What is listed stays as it is, and another try goes on
    /// from there.
    pub fn catch_up(&mut self, stop: &dyn Fn() -> bool) -> Result<(), HistoryError> {
        for shard in 0..self.shards {
            while !stop() && self.step(shard)? {}
        }
        Ok(())
    }

    // ANCHOR: step
    /// Writes one file of a shard, if there is something new. Says whether there was.
    ///
    /// # Errors
    /// As [`catch_up`](Columns::catch_up).
    pub fn step(&mut self, shard: u16) -> Result<bool, HistoryError> {
        self.make_sure()?;
        let at = self.store.followed(shard)?;
        let last = self.manifest.last(shard);
        let mut number = last.map_or(0, |last| last.part);
        let mut covered = last.map_or(Sequence(0), |last| Sequence(last.next));
        let Some(mut part) = Part::numbered(&self.store, shard, number)? else { return Ok(false) };
        if last.is_some_and(|last| last.first != part.first.0) {
            return Err(self.unusable("its files are not cut as the rows are"));
        }
        let mut after = Part::numbered(&self.store, shard, number + 1)?;
        if let Some(next) = after.filter(|next| next.first == covered) {
            (number, part, covered) = (number + 1, next, Sequence(0));
            after = Part::numbered(&self.store, shard, number + 1)?;
        }
        // A part is full when the next one has begun.
        let (next, until) = after.map_or((at.next, at.time), |after| (after.first, after.time));
        if next <= covered || next == part.first {
            return Ok(false);
        }
        let old = last.filter(|last| last.part == number).map(|last| last.name.clone());
        // The rows that the file is made from go to disk before it.
        self.store.sync()?;
        self.is_sure = false;
        let name = manifest::name(shard, number, next.0);
        let written = self.put(&name, old.as_deref(), |file| self.write(file, shard, part, next, until))?;
        self.manifest.put(Listed::of(shard, number, part.first, next, written));
        self.put(manifest::NAME, None, |file| Ok(file.write_all_at(0, &self.manifest.encode())?))?;
        self.is_sure = true;
        Ok(true)
    }
    // ANCHOR_END: step

    /// Writes the trades of a part, up to a command and its time.
    fn write(
        &self,
        file: &mut dyn LogFile,
        shard: u16,
        part: Part,
        next: Sequence,
        until: UnixMs,
    ) -> Result<Written, Failed> {
        let (store, shards) = (&self.store, self.shards);
        let mut to = FileWriter::new(file)?;
        for market in store.range::<MarketRow>(&[Table::Markets as u8], &[Table::Candles as u8]) {
            let (key, row) = market?;
            let market = key::market_of(&key).unwrap_or(MarketId(0));
            let was_traded = row.last.is_some_and(|(time, _)| time >= part.time);
            if ShardOf::market(market, shards).shard != shard || !was_traded {
                continue;
            }
            let from = placed(Table::Public, market.0, Place::from(part.time));
            let end = placed(Table::Public, market.0, Place::from(UnixMs(until.0.saturating_add(1))));
            for trade in store.range::<MarketTrade>(&from, &end) {
                let (key, trade) = trade?;
                let place = place_of(&key).unwrap_or_default();
                if (part.first..next).contains(&place.sequence) {
                    to.add((market, place, trade))?;
                }
            }
        }
        Ok(to.end()?)
    }

    // ANCHOR: put
    /// Writes a file under another name, puts it on disk, removes the one that it replaces, and gives it its name.
    /// After a crash there is the old one, none, or the new one, and never both.
    fn put<T>(
        &self,
        name: &str,
        old: Option<&str>,
        write: impl FnOnce(&mut dyn LogFile) -> Result<T, Failed>,
    ) -> Result<T, HistoryError> {
        let path = self.folder.join(name);
        let beside = self.folder.join(format!("{name}.{UNFINISHED}"));
        let io = |what| HistoryError::io(what, &path);
        let mut file = self.disk.create(&beside, &[]).map_err(io("begin"))?;
        let written = write(&mut *file).map_err(|failed| failed.at(&path))?;
        file.sync().map_err(io("sync"))?;
        drop(file);
        if let Some(old) = old {
            self.disk.remove(&self.folder.join(old)).map_err(io("make room for"))?;
        }
        self.disk.rename(&beside, &path).map_err(io("name"))?;
        Ok(written)
    }
    // ANCHOR_END: put

    /// Reads all files, and counts their rows against those of the store. The columns must have caught up.
    ///
    /// # Errors
    /// [`HistoryError::Unusable`] when a file is not as it was written, or rows are missing.
    pub fn check_all(&self) -> Result<(), HistoryError> {
        for file in &self.manifest.files {
            if !self.is_there(file)? {
                return Err(self.unusable(&format!("{} is not as it was written", file.name)));
            }
        }
        for shard in 0..self.shards {
            let files = self.manifest.files.iter().filter(|file| file.shard == shard);
            let (found, written) = (files.map(|file| file.rows).sum::<u64>(), self.store.followed(shard)?.counts[0]);
            if found != written {
                let reason = format!("shard {shard} has {written} trades in the rows and {found} in the columns");
                return Err(self.unusable(&reason));
            }
        }
        Ok(())
    }

    /// What is listed.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Why a file could not be written: its rows can't be read, or it can't be written.
enum Failed {
    Rows(HistoryError),
    Disk(io::Error),
}

impl Failed {
    fn at(self, path: &Path) -> HistoryError {
        match self {
            Failed::Rows(error) => error,
            Failed::Disk(error) => HistoryError::io("write", path)(error),
        }
    }
}

impl From<HistoryError> for Failed {
    fn from(error: HistoryError) -> Failed {
        Failed::Rows(error)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Disk(error)
    }
}

impl From<ParquetError> for Failed {
    fn from(error: ParquetError) -> Failed {
        Failed::Disk(io::Error::other(error))
    }
}

/// The bytes of a file; none if there is none.
fn read(disk: &dyn Disk, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = disk.open(path)? else { return Ok(None) };
    let mut bytes = vec![0; file.length()? as usize];
    let mut at = 0;
    while at < bytes.len() {
        match file.read_at(at as u64, &mut bytes[at..])? {
            0 => bytes.truncate(at),
            read => at += read,
        }
    }
    Ok(Some(bytes))
}
