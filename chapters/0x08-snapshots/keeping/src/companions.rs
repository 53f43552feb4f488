//! What the shadow carries along beside the markets, and its sections in a snapshot.

use std::path::PathBuf;

use market::companion::Companion;
use market::log::ShardOf;
use market::snapshot::{MARKETS, file_name};
use market::snapshot_file::{SnapshotError, SnapshotReader, SnapshotWriter};
use market::snapshot_section::{SectionReader, SectionWriter};
use market::{Command, EngineError, Event, Options, Sequence, Stamp};

/// The companions of one shard.
pub struct Carried {
    companions: Vec<Box<dyn Companion>>,
    /// Sections of the last snapshot that belong to no companion of this program.
    foreign: Vec<String>,
}

impl Carried {
    /// The companions that `options` ask for, which hold nothing yet.
    pub fn new(options: &Options, shard: ShardOf) -> Carried {
        let companions = options.companions.as_ref().map(|make| make(shard)).unwrap_or_default();
        Carried { companions, foreign: Vec::new() }
    }

    // ANCHOR: load
    /// Loads them from the snapshot of this shard at which `next` is the next command, and returns whether it
    /// has a section for each.
    ///
    /// # Errors
    /// When a section can't be read.
    pub fn load(&mut self, options: &Options, shard: ShardOf, next: Sequence) -> Result<bool, EngineError> {
        let path = options.data_dir.join(file_name(shard, next));
        let failed = |error: SnapshotError| EngineError::Unsound { path: path.clone(), reason: error.to_string() };
        let mut snapshot = SnapshotReader::open(&*options.disk, &path).map_err(failed)?;
        if self.companions.is_empty() {
            let names = snapshot.header.sections.iter().map(|(name, _)| *name);
            self.foreign = names.filter(|name| *name != MARKETS).map(|name| word(&name)).collect();
            return Ok(true);
        }
        let mut loaded = 0;
        for (name, bytes) in snapshot.header.sections.clone() {
            let Some(companion) = self.companions.iter_mut().find(|companion| companion.section() == name) else {
                snapshot.skip(bytes).map_err(failed)?;
                if name != MARKETS {
                    self.foreign.push(word(&name));
                }
                continue;
            };
            let mut section = SectionReader::new(&mut snapshot, bytes);
            let read = companion.load(&mut section);
            if let Err(reason) = read.map_err(|error| error.to_string()).and_then(|()| is_read(section.left())) {
                let section = word(&name);
                let reason = format!(
                    "its section {section} can't be read: {reason}; move this snapshot away to start with the \
                     one before it"
                );
                return Err(EngineError::Unsound { path: path.clone(), reason });
            }
            loaded += 1;
        }
        Ok(loaded == self.companions.len())
    }
    // ANCHOR_END: load

    /// Shows them a command and its events.
    pub fn observe(&mut self, stamp: Stamp, command: &Command, events: &[Event]) {
        self.companions.iter_mut().for_each(|companion| companion.observe(stamp, command, events));
    }

    /// Writes a section for each.
    ///
    /// # Errors
    /// [`EngineError::Refused`] when the last snapshot holds a section that no companion here knows, because the next
    /// one would lose it. When the disk can't be written.
    pub fn save(&self, snapshot: &mut SnapshotWriter<'_>, folder: PathBuf) -> Result<(), EngineError> {
        if let Some(section) = self.foreign.first() {
            let folder = folder.display();
            return Err(EngineError::Refused(format!(
                "{folder}: the snapshots hold a section {section}, which this program does not keep and would lose: use \
                 the program that wrote them"
            )));
        }
        for companion in &self.companions {
            snapshot.section(companion.section())?;
            let io = |source| EngineError::Io { what: "write a section of the snapshot", path: folder.clone(), source };
            companion.save(&mut SectionWriter(snapshot)).map_err(io)?;
        }
        Ok(())
    }
}

/// A companion has to read its section to the end.
fn is_read(left: u64) -> Result<(), String> {
    if left == 0 { Ok(()) } else { Err(format!("{left} bytes of it were not read")) }
}

/// A section's name as text.
pub fn word(name: &[u8; 8]) -> String {
    String::from_utf8_lossy(name).trim_end_matches('\0').to_string()
}
