//! A data directory, and the right to be in it: one engine at a time, and logs that belong together.
//!
//! A program takes a [`DataDir`] before it reads or writes logs. This locks the directory, with a lock that
//! no crash leaves behind; and it makes sure that the directory's names are on disk, that the remains of an
//! interrupted first start are gone, and that an interrupted switch to other logs is complete.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, encode_log};
use crate::log_input::Input;
use crate::log_set::complete_switch;
use crate::watermark::Mark;
use crate::{Command, Disk, EngineError, LogError, LogFile, Options, watermark};

/// The lock's name in a data directory. Another file beside it names its holder. A program that only
/// reads beside a running engine takes a lock of another name.
pub const LOCK_NAME: &str = "LOCK";

/// The name of the snapshots' lock in a data directory. A thread or program that makes or removes snapshots holds it,
/// inside an engine or beside it.
pub const SNAPSHOT_LOCK_NAME: &str = "LOCK-SNAPSHOTS";

/// While a file of this name exists, the logs of a first start are being created.
pub const FIRST_START_NAME: &str = "FIRST-START";

/// Exclusive access to a data directory, until this value is dropped.
pub struct DataDir {
    path: PathBuf,
    _lock: Box<dyn Send>,
}

impl DataDir {
    /// Takes the directory, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`EngineError::Locked`] while another program has it, [`EngineError::Unsound`] when an interrupted switch can't
    /// be completed, and errors of the disk.
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<DataDir, EngineError> {
        let io = |what| move |source| EngineError::Io { what, path: path.to_path_buf(), source };
        disk.make_folder(path).map_err(io("create the data directory"))?;
        let lock = disk.lock(&path.join(LOCK_NAME), &who_we_are()).map_err(io("lock the data directory"))?;
        let _lock = lock.map_err(|holder| EngineError::Locked { path: path.to_path_buf(), holder })?;
        undo_first_start(disk, path).map_err(io("clean up after an interrupted first start"))?;
        complete_switch(disk, path)?;
        Ok(DataDir { path: path.to_path_buf(), _lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the logs of all shards, with `commands` distributed to them, unless there are logs, and
    /// returns whether it did. All or nothing: what it leaves when interrupted, the next [`DataDir::open`]
    /// removes.
    ///
    /// # Errors
    /// [`LogError::Gone`], and errors of the disk.
    pub fn first_start(&self, options: &Options, commands: &[Command]) -> Result<bool, EngineError> {
        let (disk, path) = (&*options.disk, &self.path);
        let io = |source| EngineError::Io { what: "create the first logs", path: path.clone(), source };
        let counts = shard_counts(disk, path).map_err(io)?;
        if !counts.is_empty() || log_with_commands(disk, path).map_err(io)?.is_some() {
            return Ok(false);
        }
        refuse_gone(disk, path)?;
        self.make_logs(disk, options, commands).map_err(io)?;
        Ok(true)
    }

    fn make_logs(&self, disk: &dyn Disk, options: &Options, commands: &[Command]) -> io::Result<()> {
        let mark = self.path.join(FIRST_START_NAME);
        drop(disk.create(&mark, &[])?);
        // In the engines' order: the log of shard 0 is created last, so if it exists, all do.
        let shards = options.shards;
        for shard in (0..shards).rev() {
            let shard = ShardOf { shard, shards };
            let own = commands.iter().copied().filter(|c| ShardOf::market(c.market(), shards) == shard);
            let header = LogHeader::new(shard, disk.new_log_id());
            let log = encode_log(&header, options.clock.now(), &own.collect::<Vec<_>>());
            drop(disk.create(&self.path.join(shard.file_name()), &log)?);
        }
        disk.remove(&mark)
    }
}

/// The right to make and remove snapshots in a data directory, until this value is dropped.
pub struct SnapshotLock {
    _lock: Box<dyn Send>,
}

impl SnapshotLock {
    /// Takes the lock, in an existing directory.
    ///
    /// # Errors
    /// [`EngineError::Unsound`] while another program has it, and errors of the disk.
    pub fn take(disk: &dyn Disk, folder: &Path) -> Result<SnapshotLock, EngineError> {
        let lock = disk.lock(&folder.join(SNAPSHOT_LOCK_NAME), &who_we_are());
        let io = |source| EngineError::Io { what: "lock the snapshots", path: folder.to_path_buf(), source };
        let busy = |holder| EngineError::Unsound {
            path: folder.to_path_buf(),
            reason: format!("{holder} is making snapshots here: wait until it has ended, or end it"),
        };
        Ok(SnapshotLock { _lock: lock.map_err(io)?.map_err(busy)? })
    }
}

/// Removes the logs of an interrupted first start: no engine has opened them, so nothing in them was
/// acknowledged. If the log of shard 0 exists, the start was interrupted after all its work was done.
fn undo_first_start(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let names = disk.list(folder)?;
    if !names.iter().any(|name| name == FIRST_START_NAME) {
        return Ok(());
    }
    if shard_counts(disk, folder)?.is_empty() {
        for path in names.iter().filter(|name| ShardOf::of_file_name(name).is_some()).map(|name| folder.join(name)) {
            watermark::remove(disk, &path)?;
            disk.remove(&path)?;
        }
    }
    // Removed last, and before any command is accepted: from then on a missing log is a loss.
    disk.remove(&folder.join(FIRST_START_NAME))
}

fn who_we_are() -> String {
    let program = std::env::args_os().next().map(PathBuf::from);
    let name = program.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("process {} ({name})", std::process::id())
}

/// How many shards the data directory `folder` has: more than one number if a resharding was
/// interrupted. The log of shard 0 is created last and removed first, so if it exists, all its
/// shards do.
///
/// # Errors
/// Errors of the disk.
pub fn shard_counts(disk: &dyn Disk, folder: &Path) -> io::Result<Vec<u16>> {
    let names = disk.list(folder)?;
    let logs = names.iter().filter_map(|name| ShardOf::of_segment_name(name));
    // A log may consist of several segments, and its beginning may have been removed.
    let mut counts = Vec::new();
    for (log, _) in logs.filter(|(log, _)| log.shard == 0) {
        if !counts.contains(&log.shards) {
            counts.push(log.shards);
        }
    }
    Ok(counts)
}

/// Refuses a data directory with another number of shards, or without its first log or any log, because its
/// history would be ignored. Returns whether there is no history yet, so that logs may be created.
pub(crate) fn check_shards(disk: &dyn Disk, path: &Path, asked: u16) -> Result<bool, LogError> {
    let folder = path.parent().unwrap_or(path).to_path_buf();
    let io = |source| LogError::Io { what: "look for", path: folder.clone(), source };
    let counts = shard_counts(disk, &folder).map_err(io)?;
    if let Some(&found) = counts.iter().find(|&&found| found != asked) {
        return Err(LogError::OtherShards { path: folder, found, asked });
    }
    if counts.is_empty() {
        if let Some(log) = log_with_commands(disk, &folder).map_err(io)? {
            return Err(LogError::Missing { path: folder.join(ShardOf { shard: 0, ..log }.file_name()) });
        }
        refuse_gone(disk, &folder)?;
    }
    Ok(counts.is_empty())
}

/// Refuses a folder without logs in which a watermark says that a log had commands. A watermark is created after its
/// log and removed before it, so no crash leaves one alone.
fn refuse_gone(disk: &dyn Disk, folder: &Path) -> Result<(), LogError> {
    let found = watermark::any_in(disk, folder);
    let found = found.map_err(|source| LogError::Io { what: "look for", path: folder.to_path_buf(), source })?;
    found.map_or(Ok(()), |(path, Mark { last, .. })| Err(LogError::Gone { path, last }))
}

/// A log in `folder` that holds a command, if there is one.
fn log_with_commands(disk: &dyn Disk, folder: &Path) -> io::Result<Option<ShardOf>> {
    for name in disk.list(folder)? {
        let Some((log, _)) = ShardOf::of_segment_name(&name) else { continue };
        let Some(mut file) = disk.open_to_read(&folder.join(name))? else { continue };
        // Behind the header comes a frame, nothing, or the zeros of reserved space.
        if behind_header(&mut *file)?.iter().any(|&byte| byte != 0) {
            return Ok(Some(log));
        }
    }
    Ok(None)
}

/// The record behind a log's header, or zeros where the file ends.
fn behind_header(file: &mut dyn LogFile) -> io::Result<[u8; RECORD_BYTES]> {
    let mut start = Vec::new();
    Input { file, at: 0 }.take((HEADER_BYTES + RECORD_BYTES) as u64).read_to_end(&mut start)?;
    let mut record = [0; RECORD_BYTES];
    let behind = start.get(LogHeader::length_of(&start)..).unwrap_or_default();
    record.iter_mut().zip(behind).for_each(|(byte, &there)| *byte = there);
    Ok(record)
}
