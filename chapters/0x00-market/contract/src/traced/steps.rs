//! What a program did to a folder, as steps that can be repeated on another disk.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::strace::Call;
use crate::aftermath::parse_acks;
use market::Event;

/// One step. Paths are relative to the folder; each opened file has a number that is never used
/// again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A file or a folder is opened.
    Open {
        /// Its number from here on.
        handle: u64,
        /// Where it is.
        path: PathBuf,
        /// Whether it is created if it does not exist.
        creates: bool,
        /// Whether its contents are removed.
        empties: bool,
    },
    /// A folder is created.
    MakeFolder {
        /// Its path.
        path: PathBuf,
    },
    /// Bytes are written.
    Write {
        /// The file.
        handle: u64,
        /// The offset.
        at: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file is cut, or grows by zeros.
    SetLength {
        /// The file.
        handle: u64,
        /// Its new length.
        length: u64,
    },
    /// A file is extended with zeros up to a byte, if it is shorter.
    Grow {
        /// The file.
        handle: u64,
        /// Its new length.
        length: u64,
    },
    /// A file gets another name.
    Rename {
        /// Its name until now.
        from: PathBuf,
        /// Its name from now on.
        to: PathBuf,
    },
    /// A file is removed.
    Remove {
        /// The file.
        path: PathBuf,
    },
    /// A sync begins.
    SyncBegins {
        /// The file.
        handle: u64,
        /// The number of this sync.
        sync: u64,
        /// `fdatasync`, which syncs a log, or else `fsync`, which syncs names and new files.
        data_only: bool,
    },
    /// A sync has returned without an error.
    SyncEnds {
        /// The number of this sync.
        sync: u64,
    },
    /// The program wrote down an acknowledgement.
    Acknowledge {
        /// The shard.
        shard: usize,
        /// How many commands of this shard are promised from here on.
        promised: usize,
        /// What the command led to.
        events: Vec<Event>,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Open { handle, path, creates, empties } => {
                let how = if *empties { ", emptied" } else { "" };
                let made = if *creates { " or made" } else { "" };
                write!(f, "{} opened{made}{how} as {handle}", path.display())
            }
            Step::MakeFolder { path } => write!(f, "folder {} made", path.display()),
            Step::Write { handle, at, bytes } => write!(f, "{} bytes written to {handle} at {at}", bytes.len()),
            Step::SetLength { handle, length } => write!(f, "{handle} set to {length} bytes"),
            Step::Grow { handle, length } => write!(f, "{handle} extended to {length} bytes"),
            Step::Rename { from, to } => write!(f, "{} renamed to {}", from.display(), to.display()),
            Step::Remove { path } => write!(f, "{} removed", path.display()),
            Step::SyncBegins { handle, sync, .. } => write!(f, "sync {sync} of {handle} begins"),
            Step::SyncEnds { sync } => write!(f, "sync {sync} returned"),
            Step::Acknowledge { shard, promised, .. } => write!(f, "shard {shard} acknowledges command {promised}"),
        }
    }
}

/// The steps of a trace that concern `folder`, and the acknowledgements that were written to `acks`, and to
/// `acks.1` and so on.
///
/// # Errors
/// A call that changes files in a way that has no step here, and a text that is no call.
pub fn steps(calls: &[Call], folder: &Path, acks: &Path) -> Result<Vec<Step>, String> {
    // An opened file can be used when the call has returned; everything else may have happened as soon as it
    // began.
    let moment = |call: &Call| if call.name.starts_with("open") { call.end } else { call.begin };
    let mut in_order: Vec<&Call> = calls.iter().filter(|call| call.result >= 0).collect();
    in_order.sort_by_key(|call| moment(call));
    let mut program = Program { folder, acks, opened: BTreeMap::new(), handles: 0, steps: Vec::new() };
    for call in in_order {
        program.see(call, moment(call)).map_err(|error| format!("line {} of the trace: {error}", call.begin + 1))?;
    }
    program.steps.sort_by_key(|(moment, _)| *moment);
    Ok(program.steps.into_iter().map(|(_, step)| step).collect())
}

/// The state of a program, as far as it is known.
struct Program<'a> {
    folder: &'a Path,
    acks: &'a Path,
    /// The file behind each descriptor. A name would not do, because it changes.
    opened: BTreeMap<u64, Opened>,
    handles: u64,
    /// The steps, with their moments.
    steps: Vec<(usize, Step)>,
}

#[derive(Clone, Copy)]
enum Opened {
    /// Something in the folder, and where the next write goes.
    Inside { handle: u64, position: u64 },
    /// The acknowledgements of a shard.
    Acks(usize),
}

impl Program<'_> {
    fn see(&mut self, call: &Call, moment: usize) -> Result<(), String> {
        let step = match call.name.as_str() {
            "open" | "openat" => self.open(call)?,
            "close" => {
                self.opened.remove(&call.number(0)?);
                None
            }
            "write" | "pwrite64" => self.write(call)?,
            "lseek" => {
                if let Some(Opened::Inside { position, .. }) = self.opened.get_mut(&call.number(0)?) {
                    *position = call.result as u64;
                }
                None
            }
            "ftruncate" | "fallocate" => self.set_length(call)?,
            "fsync" | "fdatasync" => {
                if let Some(handle) = self.inside(call)? {
                    let (sync, data_only) = (call.begin as u64, call.name == "fdatasync");
                    self.steps.push((call.begin, Step::SyncBegins { handle, sync, data_only }));
                    self.steps.push((call.end, Step::SyncEnds { sync }));
                }
                None
            }
            "mkdir" | "mkdirat" => {
                let at = usize::from(call.name == "mkdirat");
                self.path(call, at)?.map(|path| Step::MakeFolder { path })
            }
            "rename" | "renameat" | "renameat2" => {
                let (from, to) = if call.name == "rename" { (0, 1) } else { (1, 3) };
                match (self.path(call, from)?, self.path(call, to)?) {
                    (Some(from), Some(to)) => Some(Step::Rename { from, to }),
                    (None, None) => None,
                    _ => return Err("a file went into the folder or out of it".into()),
                }
            }
            "unlink" => self.path(call, 0)?.map(|path| Step::Remove { path }),
            "unlinkat" => self.path(call, 1)?.map(|path| Step::Remove { path }),
            _ if !self.concerns(call) => None,
            name => return Err(format!("this model has no step for {name}")),
        };
        self.steps.extend(step.map(|step| (moment, step)));
        Ok(())
    }

    fn open(&mut self, call: &Call) -> Result<Option<Step>, String> {
        let at = usize::from(call.name == "openat");
        let descriptor = call.result as u64;
        // A descriptor that is used again was closed, perhaps in a way that is not in the trace.
        self.opened.remove(&descriptor);
        let path = PathBuf::from(String::from_utf8_lossy(call.bytes(at)?).into_owned());
        if let Some(shard) = self.shard_of(&path) {
            self.opened.insert(descriptor, Opened::Acks(shard));
            return Ok(None);
        }
        let Some(path) = self.path(call, at)? else { return Ok(None) };
        let flags: Vec<&str> = call.text(at + 1).split('|').collect();
        if flags.contains(&"O_APPEND") {
            return Err("a file was opened to append to; this model has no step for that".into());
        }
        self.handles += 1;
        self.opened.insert(descriptor, Opened::Inside { handle: self.handles, position: 0 });
        let (creates, empties) = (flags.contains(&"O_CREAT"), flags.contains(&"O_TRUNC"));
        Ok(Some(Step::Open { handle: self.handles, path, creates, empties }))
    }

    fn write(&mut self, call: &Call) -> Result<Option<Step>, String> {
        let Some(opened) = self.opened.get_mut(&call.number(0)?) else { return Ok(None) };
        let bytes = call.bytes(1)?;
        let bytes = bytes[..bytes.len().min(call.result as usize)].to_vec();
        match opened {
            Opened::Acks(shard) => {
                let (before, mut acks) = parse_acks(&bytes)?;
                let events = acks.pop().ok_or("an acknowledgement was not written in one piece")?;
                Ok(Some(Step::Acknowledge { shard: *shard, promised: before + 1 + acks.len(), events }))
            }
            Opened::Inside { handle, position } => {
                let at = if call.name == "write" { *position } else { call.number(3)? };
                if call.name == "write" {
                    *position += bytes.len() as u64;
                }
                Ok(Some(Step::Write { handle: *handle, at, bytes }))
            }
        }
    }

    fn set_length(&self, call: &Call) -> Result<Option<Step>, String> {
        let Some(handle) = self.inside(call)? else { return Ok(None) };
        match call.name.as_str() {
            "ftruncate" => Ok(Some(Step::SetLength { handle, length: call.number(1)? })),
            _ if call.text(1) == "0" => Ok(Some(Step::Grow { handle, length: call.number(2)? + call.number(3)? })),
            _ => Err("fallocate did more than extend a file; this model has no step for that".into()),
        }
    }

    /// The handle of the file in the folder that a call's first argument names.
    fn inside(&self, call: &Call) -> Result<Option<u64>, String> {
        match self.opened.get(&call.number(0)?) {
            Some(&Opened::Inside { handle, .. }) => Ok(Some(handle)),
            _ => Ok(None),
        }
    }

    /// The path in this argument, relative to the folder, if it is in it.
    fn path(&self, call: &Call, at: usize) -> Result<Option<PathBuf>, String> {
        let path = String::from_utf8_lossy(call.bytes(at)?).into_owned();
        Ok(Path::new(&path).strip_prefix(self.folder).ok().map(Path::to_path_buf))
    }

    fn shard_of(&self, path: &Path) -> Option<usize> {
        let rest = path.to_str()?.strip_prefix(self.acks.to_str()?)?;
        if rest.is_empty() { Some(0) } else { rest.strip_prefix('.')?.parse().ok() }
    }

    /// Whether a call is about the folder, or about something in it.
    fn concerns(&self, call: &Call) -> bool {
        let named = (0..call.arguments.len()).any(|at| self.path(call, at).is_ok_and(|path| path.is_some()));
        named || call.number(0).is_ok_and(|descriptor| self.opened.contains_key(&descriptor))
    }
}
