//! What the operating system and the disk cost: a system call, an append, a sync alone and a sync
//! shared by a batch, and a read from a random place. Slow disks get fewer samples, so that each
//! number takes about a second at most.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::measured::{Pattern, time_passes};
use results::error::MeasureError;
use results::record::Measured;

/// A command in the log, and how many share one sync.
const COMMAND: [u8; 24] = [0x99; 24];
const BATCH: usize = 1_024;

const SYNCS: usize = 100;
const AT_LEAST: usize = 5;
const BUDGET: Duration = Duration::from_millis(700);

const PAGE: usize = 4_096;
const FILE_BYTES: u64 = 64 << 20;
const RANDOM_READS: usize = 400;

/// A file without a name in `dir`: it disappears when the program ends, however it ends.
fn nameless(dir: &Path) -> Result<File, MeasureError> {
    tempfile::tempfile_in(dir).map_err(|error| MeasureError::disk("create a file in", dir, &error))
}

pub(crate) fn system_call(dir: &Path) -> Result<Option<Measured>, MeasureError> {
    const CALLS: u64 = 20_000;
    let mut file = nameless(dir)?;
    Ok(time_passes(CALLS, || {
        for _ in 0..CALLS {
            // Reading the position can't fail for an open file, and nothing depends on it.
            black_box(file.stream_position().ok());
        }
    }))
}

pub(crate) fn append(dir: &Path) -> Result<Option<Measured>, MeasureError> {
    const APPENDS: u64 = 2_000;
    let mut file = nameless(dir)?;
    let mut failed = None;
    let measured = time_passes(APPENDS, || {
        for _ in 0..APPENDS {
            if let Err(error) = file.write_all(&COMMAND) {
                failed = Some(error);
            }
        }
    });
    match failed {
        Some(error) => Err(MeasureError::disk("write a file in", dir, &error)),
        None => Ok(measured),
    }
}

pub(crate) fn unbatched_sync(dir: &Path) -> Result<Option<Measured>, MeasureError> {
    Ok(Measured::of(syncs(dir, &COMMAND)?))
}

pub(crate) fn batched_sync(dir: &Path) -> Result<Option<Measured>, MeasureError> {
    let samples = syncs(dir, &COMMAND.repeat(BATCH))?;
    Ok(Measured::of(samples.iter().map(|ns| ns / BATCH as f64).collect()))
}

/// Appends `bytes` and waits for the disk, repeatedly.
fn syncs(dir: &Path, bytes: &[u8]) -> Result<Vec<f64>, MeasureError> {
    let fail = |error: io::Error| MeasureError::disk("write and sync a file in", dir, &error);
    let mut file = nameless(dir)?;
    let mut samples = Vec::with_capacity(SYNCS);
    let started = Instant::now();
    while samples.len() < SYNCS && (samples.len() < AT_LEAST || started.elapsed() < BUDGET) {
        let start = Instant::now();
        file.write_all(bytes).map_err(fail)?;
        file.sync_data().map_err(fail)?;
        samples.push(start.elapsed().as_nanos() as f64);
    }
    Ok(samples)
}

/// Reads pages at random from a file that was synced, bypassing the system's cache where that is
/// possible; otherwise the figure is marked as cached. A virtual machine's host may still have the
/// page in its own memory.
pub(crate) fn random_read(dir: &Path) -> Result<Option<Measured>, MeasureError> {
    let fail = |error: io::Error| MeasureError::disk("write and read a file in", dir, &error);
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(fail)?;
    let mut pattern = Pattern::new();
    let block: Vec<u8> = (0..1 << 20).map(|_| pattern.below(256) as u8).collect();
    for _ in 0..FILE_BYTES >> 20 {
        file.write_all(&block).map_err(fail)?;
    }
    file.as_file().sync_all().map_err(fail)?;

    // A direct read needs aligned memory: one page within two.
    let mut memory = vec![0_u8; 2 * PAGE];
    let start = memory.as_ptr().align_offset(PAGE).min(PAGE);
    let page = &mut memory[start..start + PAGE];
    if let Ok(direct) = open_direct(file.path())
        && let Ok(samples) = read_pages(&direct, page, &mut pattern)
    {
        return Ok(Measured::of(samples));
    }
    let plain = File::open(file.path()).map_err(fail)?;
    let samples = read_pages(&plain, page, &mut pattern).map_err(fail)?;
    Ok(Measured::of(samples).map(|measured| Measured { cached: true, ..measured }))
}

fn read_pages(file: &File, page: &mut [u8], pattern: &mut Pattern) -> io::Result<Vec<f64>> {
    let mut samples = Vec::with_capacity(RANDOM_READS);
    let started = Instant::now();
    while samples.len() < RANDOM_READS && (samples.len() < AT_LEAST || started.elapsed() < BUDGET) {
        let offset = pattern.below(FILE_BYTES / PAGE as u64) * PAGE as u64;
        let start = Instant::now();
        if read_at(file, page, offset)? != page.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        samples.push(start.elapsed().as_nanos() as f64);
        black_box(&page);
    }
    Ok(samples)
}

/// Opens a file so that reads bypass the system's cache, where the platform has such a flag.
fn open_direct(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_DIRECT);
    #[cfg(windows)]
    {
        const FILE_FLAG_NO_BUFFERING: u32 = 0x2000_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, FILE_FLAG_NO_BUFFERING);
    }
    if cfg!(any(target_os = "linux", windows)) { options.open(path) } else { Err(io::ErrorKind::Unsupported.into()) }
}

#[cfg(unix)]
fn read_at(file: &File, page: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, page, offset)
}

#[cfg(windows)]
fn read_at(file: &File, page: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, page, offset)
}
