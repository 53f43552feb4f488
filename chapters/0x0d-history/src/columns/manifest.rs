//! The list of all files of columns, and which commands each of them covers.

use std::io;
use std::path::Path;

use market::{Disk, Sequence};
use serde::{Deserialize, Serialize};

use super::file::Written;

/// The name of the list.
pub const NAME: &str = "manifest.json";

/// How the name of a file ends, as a reader asks for it.
const END: &str = ".parquet";

/// The form of the list and of the files.
pub const VERSION: u32 = 1;

// ANCHOR: listed
/// What is known of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Listed {
    /// The name of the file.
    pub name: String,
    /// Whose trades.
    pub shard: u16,
    /// Which part of them, from 0.
    pub part: u32,
    /// The first command whose trades are in it.
    pub first: u64,
    /// The first command after them. For a full part, that is the first command of the next part.
    pub next: u64,
    /// How many rows it has.
    pub rows: u64,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// The checksum of these bytes.
    pub crc32c: u32,
}
// ANCHOR_END: listed

impl Listed {
    /// A file that was written.
    pub fn of(shard: u16, part: u32, first: Sequence, next: Sequence, written: Written) -> Listed {
        let Written { rows, bytes, crc32c } = written;
        Listed { name: name(shard, part, next.0), shard, part, first: first.0, next: next.0, rows, bytes, crc32c }
    }

    /// Whether the file in this folder has these bytes.
    ///
    /// # Errors
    /// What the disk says.
    pub fn is_there(&self, disk: &dyn Disk, folder: &Path) -> io::Result<bool> {
        let Some(mut file) = disk.open(&folder.join(&self.name))? else { return Ok(false) };
        if file.length()? != self.bytes {
            return Ok(false);
        }
        let (mut at, mut crc32c, mut chunk) = (0, 0, vec![0; 1 << 16]);
        while at < self.bytes {
            let read = file.read_at(at, &mut chunk)?;
            if read == 0 {
                return Ok(false);
            }
            crc32c = crc32c::crc32c_append(crc32c, &chunk[..read]);
            at += read as u64;
        }
        Ok(crc32c == self.crc32c)
    }
}

/// The name of the file of a part, as far as its commands before `next`. What is under a name never changes.
pub fn name(shard: u16, part: u32, next: u64) -> String {
    format!("{shard}-{part:06}-{next:012}{END}")
}

/// Whether a file of this name is one of ours.
pub fn is_ours(file: &str) -> bool {
    let read = || {
        let (shard, rest) = file.strip_suffix(END)?.split_once('-')?;
        let (part, next) = rest.split_once('-')?;
        Some(name(shard.parse().ok()?, part.parse().ok()?, next.parse().ok()?))
    };
    read().is_some_and(|name| name == file)
}

/// The list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// [`VERSION`].
    pub version: u32,
    /// The logs from which all of this is derived, in hexadecimal digits.
    pub logs: Vec<String>,
    /// By shard and part.
    pub files: Vec<Listed>,
}

/// As it is on disk: with the checksum of its text.
#[derive(Serialize, Deserialize)]
struct Sealed {
    crc32c: u32,
    manifest: Manifest,
}

impl Manifest {
    /// Its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let sealed = Sealed { crc32c: crc32c::crc32c(&json(self)), manifest: self.clone() };
        let mut text = json(&sealed);
        text.push(b'\n');
        text
    }

    /// Reads them; none where they were changed.
    pub fn decode(bytes: &[u8]) -> Option<Manifest> {
        let Sealed { crc32c, manifest } = serde_json::from_slice(bytes).ok()?;
        (crc32c == crc32c::crc32c(&json(&manifest))).then_some(manifest)
    }

    /// The last file of a shard.
    pub fn last(&self, shard: u16) -> Option<&Listed> {
        self.files.iter().filter(|file| file.shard == shard).max_by_key(|file| file.part)
    }

    /// Adds a file, in place of the one that has its name.
    pub fn put(&mut self, file: Listed) {
        let key = |file: &Listed| (file.shard, file.part);
        match self.files.binary_search_by_key(&key(&file), key) {
            Ok(at) => self.files[at] = file,
            Err(at) => self.files.insert(at, file),
        }
    }
}

/// Numbers and words: it always has a text.
fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
