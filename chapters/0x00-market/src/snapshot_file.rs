//! Snapshots as files: written under a draft's name and renamed when complete, and read with every checksum
//! checked.
//!
//! Cost: a block of memory, and a pass over it for the checksum.

use std::path::{Path, PathBuf};

use crate::bytes::u32_at;
use crate::log_input::Input;
use crate::shard::ShardOf;
use crate::snapshot::{SECTIONS_MAX, SNAPSHOT_HEADER_BYTES, SnapshotHeader, file_name, list, of_file_name};
use crate::{Disk, EngineError, LogFile, LogId, Sequence};

/// How much of the body one checksum covers, in bytes.
const BLOCK_BYTES: usize = 65_536;

/// After a block: its checksum and four zeros.
const SEAL_BYTES: usize = 8;

/// The checksum of block `number` of the snapshot of this log whose next command is `next`.
fn block_crc(log: LogId, next: Sequence, number: u64, block: &[u8]) -> u32 {
    let seed = [log.0, next.0, number].iter().fold(0, |crc, part| crc32c::crc32c_append(crc, &part.to_le_bytes()));
    crc32c::crc32c_append(seed, block)
}

/// Why a snapshot is not used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Its contents are wrong.
    #[error("{path}: {reason}")]
    Unusable {
        /// The snapshot.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The disk reported an error.
    #[error("{path}: could not read the snapshot: {source}")]
    Io {
        /// The snapshot.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A snapshot that is being written. It is not visible before it is finished.
pub struct SnapshotWriter<'disk> {
    disk: &'disk dyn Disk,
    file: Box<dyn LogFile>,
    draft: PathBuf,
    path: PathBuf,
    header: SnapshotHeader,
    /// The current block, and the number of bytes of the file before it.
    block: Vec<u8>,
    at: u64,
    blocks: u64,
}

impl<'disk> SnapshotWriter<'disk> {
    /// Begins the snapshot in `folder` for `header`, which has no sections yet.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn create(
        disk: &'disk dyn Disk,
        folder: &Path,
        header: SnapshotHeader,
    ) -> Result<SnapshotWriter<'disk>, EngineError> {
        let path = folder.join(file_name(header.shard, header.place.next.sequence));
        let draft = path.with_extension("draft");
        let file = disk.create(&draft, &[]).map_err(io("make a snapshot", &path))?;
        let (block, at) = (Vec::with_capacity(BLOCK_BYTES + SEAL_BYTES), SNAPSHOT_HEADER_BYTES as u64);
        Ok(SnapshotWriter { disk, file, draft, path, header, block, at, blocks: 0 })
    }

    /// Begins a section; what is written from now on belongs to it.
    ///
    /// # Errors
    /// [`EngineError::Refused`] when there are [`SECTIONS_MAX`] already.
    pub fn section(&mut self, name: [u8; 8]) -> Result<(), EngineError> {
        if self.header.sections.len() == SECTIONS_MAX {
            return Err(EngineError::Refused(format!("a snapshot has at most {SECTIONS_MAX} sections")));
        }
        self.header.sections.push((name, 0));
        Ok(())
    }

    /// Adds to the current section. Before the first section nothing is written.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), EngineError> {
        let Some((_, length)) = self.header.sections.last_mut() else { return Ok(()) };
        *length += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK_BYTES {
                self.write_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<(), EngineError> {
        let crc = block_crc(self.header.log, self.header.place.next.sequence, self.blocks, &self.block);
        self.block.extend(u64::from(crc).to_le_bytes());
        self.file.write_all_at(self.at, &self.block).map_err(io("write the snapshot", &self.path))?;
        self.at += self.block.len() as u64;
        self.blocks += 1;
        self.block.clear();
        Ok(())
    }

    // ANCHOR: finish
    /// Makes the snapshot durable, gives it its name, and returns its size in bytes.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn finish(mut self) -> Result<u64, EngineError> {
        self.make_durable()?;
        drop(self.file);
        self.disk.rename(&self.draft, &self.path).map_err(io("name the snapshot", &self.path))?;
        Ok(self.at)
    }

    fn make_durable(&mut self) -> Result<(), EngineError> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        self.file.write_all_at(0, &self.header.encode()).map_err(io("write the snapshot", &self.path))?;
        self.file.sync().map_err(io("sync the snapshot", &self.path))
    }
    // ANCHOR_END: finish

    /// Makes the snapshot durable without its name, for a log that does not have its own name yet.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn finish_unnamed(mut self) -> Result<(), EngineError> {
        self.make_durable()
    }

    /// Its path until it has its name.
    pub fn draft(&self) -> &Path {
        &self.draft
    }
}

/// Removes the snapshots of a shard that are older than the first of `kept` and not among them, and abandoned drafts.
/// The caller holds the lock of the snapshots.
///
/// # Errors
/// Errors of the disk.
pub fn remove_older(
    disk: &dyn Disk,
    folder: &Path,
    shard: ShardOf,
    kept: &[(Sequence, PathBuf)],
) -> Result<(), EngineError> {
    let newest = kept.first().map_or(Sequence::FIRST, |(next, _)| *next);
    for (next, path) in list(disk, folder, shard).map_err(io("look for snapshots", folder))? {
        if next < newest && kept.iter().all(|(kept, _)| *kept != next) {
            disk.remove(&path).map_err(io("remove an old snapshot", &path))?;
        }
    }
    for name in disk.list(folder).map_err(io("look for snapshots", folder))? {
        let of = name.strip_suffix(".draft").and_then(|stem| of_file_name(&format!("{stem}.bin")));
        if of.is_some_and(|(of, _)| of == shard) {
            let path = folder.join(&name);
            disk.remove(&path).map_err(io("remove a draft", &path))?;
        }
    }
    Ok(())
}

/// A snapshot that is being read. Everything that it returns has the right checksum.
pub struct SnapshotReader {
    file: Box<dyn LogFile>,
    path: PathBuf,
    /// What its header says.
    pub header: SnapshotHeader,
    block: Vec<u8>,
    /// How much of the block was returned already.
    used: usize,
    blocks: u64,
    /// How much of the body is still unread, in bytes without checksums.
    rest: u64,
}

impl SnapshotReader {
    /// Reads the header of the snapshot at `path`, or of a draft. Its name and its length have to match the header.
    ///
    /// # Errors
    /// Why it can't be used.
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<SnapshotReader, SnapshotError> {
        let unusable = |reason: &str| SnapshotError::Unusable { path: path.to_path_buf(), reason: reason.into() };
        let io = |source| SnapshotError::Io { path: path.to_path_buf(), source };
        let mut file = disk.open_to_read(path).map_err(io)?.ok_or_else(|| unusable("it is gone"))?;
        let mut start = Vec::new();
        read(&mut *file, 0, SNAPSHOT_HEADER_BYTES, &mut start).map_err(io)?;
        let start = start.first_chunk().ok_or_else(|| unusable("it is shorter than a snapshot's header"))?;
        let header = SnapshotHeader::decode(start).map_err(unusable)?;
        let name = file_name(header.shard, header.place.next.sequence);
        if path.with_extension("bin").file_name() != Some(name.as_ref()) {
            return Err(unusable("its name and its header name different places"));
        }
        let rest = header.body_bytes();
        let seals = rest.div_ceil(BLOCK_BYTES as u64).saturating_mul(SEAL_BYTES as u64);
        let length = rest.saturating_add(seals).saturating_add(SNAPSHOT_HEADER_BYTES as u64);
        if file.length().map_err(io)? != length {
            return Err(unusable(&format!("its length differs from that in its header, which is {length} bytes")));
        }
        Ok(SnapshotReader { file, path: path.to_path_buf(), header, block: Vec::new(), used: 0, blocks: 0, rest })
    }

    /// The next record of `N` bytes of the body.
    ///
    /// # Errors
    /// Why the snapshot can't be used.
    pub fn record<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        if let Some(record) = self.block[self.used..].first_chunk() {
            self.used += N;
            return Ok(*record);
        }
        let mut record = [0; N];
        let mut filled = 0;
        while filled < N {
            if self.used == self.block.len() {
                self.read_block()?;
            }
            let there = &self.block[self.used..];
            let count = there.len().min(N - filled);
            record[filled..filled + count].copy_from_slice(&there[..count]);
            (self.used, filled) = (self.used + count, filled + count);
        }
        Ok(record)
    }

    /// Skips `bytes` of the body, and checks them.
    ///
    /// # Errors
    /// Why the snapshot can't be used.
    pub fn skip(&mut self, mut bytes: u64) -> Result<(), SnapshotError> {
        while bytes > 0 {
            if self.used == self.block.len() {
                self.read_block()?;
            }
            let count = bytes.min((self.block.len() - self.used) as u64);
            (self.used, bytes) = (self.used + count as usize, bytes - count);
        }
        Ok(())
    }

    fn read_block(&mut self) -> Result<(), SnapshotError> {
        let length = self.rest.min(BLOCK_BYTES as u64) as usize;
        if length == 0 {
            return Err(self.unusable("its body ends within a record"));
        }
        let at = SNAPSHOT_HEADER_BYTES as u64 + self.blocks * (BLOCK_BYTES + SEAL_BYTES) as u64;
        self.block.clear();
        let io = |source| SnapshotError::Io { path: self.path.clone(), source };
        read(&mut *self.file, at, length + SEAL_BYTES, &mut self.block).map_err(io)?;
        let crc = block_crc(
            self.header.log,
            self.header.place.next.sequence,
            self.blocks,
            self.block.get(..length).unwrap_or_default(),
        );
        let sound = self
            .block
            .get(length..)
            .is_some_and(|seal| seal.len() == SEAL_BYTES && u32_at(seal, 0) == crc && seal[4..] == [0; 4]);
        if !sound {
            return Err(self.unusable(&format!("block {} has a wrong checksum", self.blocks)));
        }
        self.block.truncate(length);
        (self.used, self.blocks, self.rest) = (0, self.blocks + 1, self.rest - length as u64);
        Ok(())
    }

    /// Copies the next bytes of the body, as many as are buffered and fit, and returns how many.
    ///
    /// # Errors
    /// Why the snapshot can't be used.
    pub(crate) fn bytes(&mut self, into: &mut [u8]) -> Result<usize, SnapshotError> {
        if self.used == self.block.len() && !into.is_empty() {
            self.read_block()?;
        }
        let there = &self.block[self.used..];
        let count = there.len().min(into.len());
        into[..count].copy_from_slice(&there[..count]);
        self.used += count;
        Ok(count)
    }

    /// An error that gives this reason.
    pub fn unusable(&self, reason: &str) -> SnapshotError {
        SnapshotError::Unusable { path: self.path.clone(), reason: reason.into() }
    }
}

/// Reads up to `length` bytes from byte `at` on; fewer at the end of the file.
fn read(file: &mut dyn LogFile, at: u64, length: usize, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Read;
    Input { file, at }.take(length as u64).read_to_end(bytes).map(drop)
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| EngineError::Io { what, path, source }
}
