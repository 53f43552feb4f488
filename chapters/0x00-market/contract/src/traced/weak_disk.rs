//! A file system with only the weak rules of POSIX: after a crash, what was not synced may be there or not, bytes
//! and names independently, in any order. The sync of a file says nothing about its name, and that of a folder
//! nothing about its files' contents, nor about its own name.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::choices::{Choices, Rules};
use super::contents::{Change, Contents};
use super::steps::Step;

/// What is on a disk: the files with their bytes, and the folders, by their paths from the disk's root.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The disk.
#[derive(Clone)]
pub struct WeakDisk {
    /// Files and folders; the first is the root.
    nodes: Vec<Node>,
    /// The opened files.
    handles: BTreeMap<u64, usize>,
    /// The syncs under way: of which file, and how many changes they cover.
    syncs: BTreeMap<u64, (usize, usize)>,
}

#[derive(Clone)]
enum Node {
    File(Contents),
    Folder(Names),
}

/// The names in a folder.
#[derive(Clone, Default)]
struct Names {
    now: BTreeMap<String, usize>,
    durable: BTreeMap<String, usize>,
    pending: Vec<Naming>,
    /// How many changes were made durable.
    synced: usize,
}

/// A change to the names.
#[derive(Clone)]
enum Naming {
    Give(String, usize),
    Take(String),
    /// Removes the old name of what was renamed, once the new name is there.
    TakeAfter(String, usize),
}

impl Names {
    fn change(&mut self, naming: Naming) {
        naming.apply(&mut self.now);
        self.pending.push(naming);
    }

    fn after_crash(&self, choices: &mut Choices) -> BTreeMap<String, usize> {
        let mut names = self.durable.clone();
        // When drawn, there are often many changes: keep all of them, the first few, or any.
        let drawn = choices.are_drawn() && !self.pending.is_empty();
        let whole = if drawn { choices.below(2 * self.pending.len() as u64 + 1) as usize } else { 0 };
        let mut came = Vec::new();
        for (at, naming) in self.pending.iter().enumerate() {
            let can = match naming {
                Naming::TakeAfter(_, given) => *given < self.synced || came[*given - self.synced],
                _ => true,
            };
            let comes = can && if (1..=self.pending.len()).contains(&whole) { at < whole } else { choices.toss() };
            if comes {
                naming.apply(&mut names);
            }
            came.push(comes);
        }
        names
    }
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Naming::Give(name, node) => drop(names.insert(name.clone(), *node)),
            Naming::Take(name) | Naming::TakeAfter(name, _) => drop(names.remove(name)),
        }
    }
}

impl WeakDisk {
    /// A disk that holds this, durably. Where `seen` has more of a file than `durable`, the rest was written and not
    /// synced.
    pub fn new(durable: &Tree, seen: &Tree) -> Result<WeakDisk, String> {
        let root = Node::Folder(Names::default());
        let mut disk = WeakDisk { nodes: vec![root], handles: BTreeMap::new(), syncs: BTreeMap::new() };
        for (path, bytes) in durable {
            let node = match bytes {
                None => Node::Folder(Names::default()),
                Some(bytes) => {
                    let mut contents = Contents::durable(bytes.clone());
                    let more = seen.get(path).and_then(|seen| seen.as_ref()?.strip_prefix(&bytes[..]));
                    let more = more.filter(|more| !more.is_empty());
                    more.into_iter().for_each(|more| contents.change(Change::Write(bytes.len() as u64, more.to_vec())));
                    Node::File(contents)
                }
            };
            let (folder, name) = disk.place(path)?;
            let number = disk.add(node);
            let names = disk.names(folder)?;
            names.durable.insert(name.clone(), number);
            names.now.insert(name, number);
        }
        Ok(disk)
    }

    /// Takes a step of a program.
    ///
    /// # Errors
    /// A step that is impossible: the trace or this model of it is wrong.
    pub fn apply(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Open { handle, path, creates, empties } => self.open(*handle, path, *creates, *empties),
            Step::MakeFolder { path } => {
                let (folder, name) = self.place(path)?;
                let number = self.add(Node::Folder(Names::default()));
                self.names(folder)?.change(Naming::Give(name, number));
                Ok(())
            }
            Step::Write { handle, at, bytes } => self.change(*handle, Change::Write(*at, bytes.clone())),
            Step::SetLength { handle, length } => self.change(*handle, Change::SetLength(*length)),
            Step::Grow { handle, length } => {
                let number = self.number(*handle)?;
                let shorter = matches!(&self.nodes[number], Node::File(file) if (file.seen().len() as u64) < *length);
                if shorter { self.change(*handle, Change::SetLength(*length)) } else { Ok(()) }
            }
            Step::Rename { from, to } => self.rename(from, to),
            Step::Remove { path } => {
                let (folder, name) = self.place(path)?;
                self.names(folder)?.change(Naming::Take(name));
                Ok(())
            }
            Step::SyncBegins { handle, sync, .. } => {
                let number = self.number(*handle)?;
                let changes = match &self.nodes[number] {
                    Node::File(contents) => contents.changes(),
                    Node::Folder(names) => names.synced + names.pending.len(),
                };
                self.syncs.insert(*sync, (number, changes));
                Ok(())
            }
            Step::SyncEnds { sync } => self.sync_ends(*sync),
            Step::Acknowledge { .. } => Ok(()),
        }
    }

    fn open(&mut self, handle: u64, path: &Path, creates: bool, empties: bool) -> Result<(), String> {
        let number = match self.find(path) {
            Some(number) => number,
            None if creates => {
                let (folder, name) = self.place(path)?;
                let number = self.add(Node::File(Contents::default()));
                self.names(folder)?.change(Naming::Give(name, number));
                number
            }
            None => return Err(format!("{} was opened, but does not exist", path.display())),
        };
        self.handles.insert(handle, number);
        if empties && matches!(&self.nodes[number], Node::File(contents) if !contents.seen().is_empty()) {
            self.change(handle, Change::SetLength(0))?;
        }
        Ok(())
    }

    fn change(&mut self, handle: u64, change: Change) -> Result<(), String> {
        let number = self.number(handle)?;
        match &mut self.nodes[number] {
            Node::File(contents) => contents.change(change),
            Node::Folder(_) => return Err("a folder was written to".into()),
        }
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Result<(), String> {
        let number = self.find(from).ok_or_else(|| format!("{} was renamed, but does not exist", from.display()))?;
        let ((folder, old), (other, new)) = (self.place(from)?, self.place(to)?);
        if folder != other {
            return Err(format!("{} was moved to another folder, which this model does not support", from.display()));
        }
        let names = self.names(folder)?;
        let given = names.synced + names.pending.len();
        names.change(Naming::Give(new, number));
        names.change(Naming::TakeAfter(old, given));
        Ok(())
    }

    fn sync_ends(&mut self, sync: u64) -> Result<(), String> {
        let (number, changes) = self.syncs.remove(&sync).ok_or("a sync ended that never began")?;
        match &mut self.nodes[number] {
            Node::File(contents) => contents.sync(changes),
            Node::Folder(names) => {
                let count = changes.saturating_sub(names.synced).min(names.pending.len());
                for naming in names.pending.drain(..count) {
                    naming.apply(&mut names.durable);
                }
                names.synced += count;
            }
        }
        Ok(())
    }

    /// What may be on the disk after a crash.
    pub fn after_crash(&self, choices: &mut Choices, rules: Rules) -> Tree {
        let (mut left, mut files) = (Tree::new(), BTreeMap::new());
        let mut folders = vec![(PathBuf::new(), 0)];
        while let Some((path, number)) = folders.pop() {
            let Node::Folder(names) = &self.nodes[number] else { continue };
            for (name, number) in names.after_crash(choices) {
                let path = path.join(name);
                match &self.nodes[number] {
                    Node::Folder(_) => {
                        left.insert(path.clone(), None);
                        folders.push((path, number));
                    }
                    // A file with two names has the same bytes under both.
                    Node::File(contents) => {
                        let bytes = files.entry(number).or_insert_with(|| contents.after_crash(choices, rules));
                        left.insert(path, Some(bytes.clone()));
                    }
                }
            }
        }
        left
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn number(&self, handle: u64) -> Result<usize, String> {
        self.handles.get(&handle).copied().ok_or_else(|| "a file was used without being opened".into())
    }

    fn names(&mut self, number: usize) -> Result<&mut Names, String> {
        match &mut self.nodes[number] {
            Node::Folder(names) => Ok(names),
            Node::File(_) => Err("a file was used as a folder".into()),
        }
    }

    /// The folder that a path ends in, and the name in it.
    fn place(&self, path: &Path) -> Result<(usize, String), String> {
        let name = path.file_name().ok_or("a path without a name")?.to_string_lossy().into_owned();
        let above = path.parent().unwrap_or(Path::new(""));
        let folder = self.find(above).ok_or_else(|| format!("there is no folder {}", above.display()))?;
        Ok((folder, name))
    }

    fn find(&self, path: &Path) -> Option<usize> {
        path.components().try_fold(0, |number, component| match (&self.nodes[number], component) {
            (Node::Folder(names), Component::Normal(name)) => names.now.get(&*name.to_string_lossy()).copied(),
            _ => None,
        })
    }
}
