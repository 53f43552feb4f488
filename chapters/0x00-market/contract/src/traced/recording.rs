//! Watches a program: everything that it did to a folder, and the folder as it was before.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use tempfile::TempDir;

use super::steps::{Step, steps};
use super::strace::{self, CALLS, TEXT_BYTES_MAX};
use super::weak_disk::{Tree, WeakDisk};

/// The folder that the program works in, as programs see it. `durable` holds what a crash leaves of it.
const DISK: &str = "disk";
/// The part of that folder that was on disk when the program began.
const DURABLE: &str = "durable";
/// What it held when the program began, on disk or not.
const SEEN: &str = "seen";
/// Where the program writes its acknowledgements.
const ACKS: &str = "acks";
/// The trace of system calls.
const TRACE: &str = "trace";
/// The original root folder: the paths in the trace begin with it.
const ROOT: &str = "root";

/// What a program did, and where it began.
pub struct Recording {
    /// The disk before the first step.
    pub before: WeakDisk,
    /// What was on it.
    pub durable: Tree,
    /// All steps.
    pub steps: Vec<Step>,
    /// Where the recording is; kept if a state fails.
    folder: TempDir,
}

/// The folders for a program; `prepare` fills them.
pub struct Stage {
    folder: TempDir,
}

impl Stage {
    /// An empty stage, in memory where the system offers that: a watched program need not wait for a disk.
    ///
    /// # Panics
    /// When no folder can be made.
    pub fn new() -> Stage {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        std::fs::create_dir(folder.path().join(DISK)).unwrap();
        Stage { folder }
    }

    /// The folder that stands for the disk.
    pub fn disk(&self) -> PathBuf {
        self.folder.path().join(DISK)
    }

    /// Where acknowledgements go.
    pub fn acks(&self) -> PathBuf {
        self.folder.path().join(ACKS)
    }

    /// A path beside the disk, for what the program reads or prints.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Declares what is on the disk now durable. What is added before the program starts was never synced.
    ///
    /// # Panics
    /// When it can't be copied.
    pub fn is_durable(&self) {
        copy(&self.disk(), &self.beside(DURABLE)).unwrap();
    }

    /// Runs the program, which must end with exit code `code`, and records what it does.
    ///
    /// # Errors
    /// Another exit code, or a trace that can't be read.
    pub fn watch(self, program: &str, arguments: &[String], code: i32) -> Result<Recording, String> {
        let io = |error: io::Error| error.to_string();
        if !self.beside(DURABLE).exists() {
            self.is_durable();
        }
        copy(&self.disk(), &self.beside(SEEN)).map_err(io)?;
        std::fs::write(self.beside(ROOT), self.folder.path().display().to_string()).map_err(io)?;
        let mut strace = Process::new("strace");
        strace.args(["-f", "-qq", "-xx", "-e", "signal=none", "-e", &format!("trace={CALLS}")]);
        strace.arg("-s").arg(TEXT_BYTES_MAX.to_string()).arg("-o").arg(self.beside(TRACE));
        let output = strace.arg(program).args(arguments).output().map_err(io)?;
        if output.status.code() != Some(code) {
            return Err(format!("it ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
        Recording::read(self.folder)
    }
}

impl Recording {
    /// Reopens a recording that was kept.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn again(kept: &Path) -> Result<Recording, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        for name in [DURABLE, SEEN, TRACE, ROOT] {
            copy(&kept.join(name), &folder.path().join(name))
                .map_err(|error| format!("{}: {error}", kept.join(name).display()))?;
        }
        Recording::read(folder)
    }

    fn read(folder: TempDir) -> Result<Recording, String> {
        let io = |error: io::Error| error.to_string();
        let root = PathBuf::from(std::fs::read_to_string(folder.path().join(ROOT)).map_err(io)?);
        let trace = std::fs::read_to_string(folder.path().join(TRACE)).map_err(io)?;
        let steps = steps(&strace::read(&trace)?, &root.join(DISK), &root.join(ACKS))?;
        let durable = tree(&folder.path().join(DURABLE)).map_err(io)?;
        let seen = tree(&folder.path().join(SEEN)).map_err(io)?;
        Ok(Recording { before: WeakDisk::new(&durable, &seen)?, durable, steps, folder })
    }

    /// Copies the recording to a place where it stays.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn keep(&self, path: &Path) {
        let _ = std::fs::remove_dir_all(path);
        std::fs::create_dir_all(path).unwrap();
        for name in [DURABLE, SEEN, TRACE, ROOT] {
            copy(&self.folder.path().join(name), &path.join(name)).unwrap();
        }
    }
}

/// Copies a file, or a folder with all that is in it.
///
/// # Errors
/// What the system says.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(drop);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Everything in a folder.
fn tree(folder: &Path) -> io::Result<Tree> {
    let mut tree = Tree::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(path) = folders.pop() {
        for entry in std::fs::read_dir(path)? {
            let path = entry?.path();
            let name = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
            if path.is_dir() {
                folders.push(path);
                tree.insert(name, None);
            } else {
                tree.insert(name, Some(std::fs::read(path)?));
            }
        }
    }
    Ok(tree)
}

/// Every file and folder in a folder.
pub fn lay_out(tree: &Tree, folder: &Path) {
    for (path, bytes) in tree {
        match bytes {
            None => std::fs::create_dir_all(folder.join(path)).unwrap(),
            Some(bytes) => std::fs::write(folder.join(path), bytes).unwrap(),
        }
    }
}
