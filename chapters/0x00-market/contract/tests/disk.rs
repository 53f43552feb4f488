//! The machine's disk: missing files, files of the wrong kind, and who holds the lock.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use contract::{Faults, SimDisk};
use market::disk::copy_file;
use market::{Disk, LogFile, LogId, RealDisk};
use tempfile::tempdir;

#[test]
fn a_missing_file_is_no_error_and_a_file_of_another_kind_is() {
    let folder = tempdir().unwrap();
    let (missing, file) = (folder.path().join("missing"), folder.path().join("file"));
    fs::write(&file, "a file").unwrap();
    assert!(RealDisk.open(&missing).unwrap().is_none());
    assert!(RealDisk.open(folder.path()).is_err(), "a folder was opened as a file");
    assert_eq!(RealDisk.list(&missing).unwrap(), [""; 0]);
    assert!(RealDisk.list(&file).is_err(), "a file was listed as a folder");
    assert_eq!(RealDisk.list(folder.path()).unwrap(), ["file"]);
    RealDisk.remove(&missing).unwrap();
    assert!(RealDisk.remove(folder.path()).is_err(), "a folder was removed as a file");
    assert!(RealDisk.make_folder(&file).is_err(), "a file was taken for a folder");
    RealDisk.make_folder(&missing.join("below")).unwrap();
    RealDisk.make_folder(&missing.join("below")).unwrap();
    // The folder appears while it is being created: under this name, or made by another program.
    RealDisk.make_folder(&missing.join("beside/..")).unwrap();
    RealDisk.remove(&file).unwrap();
    assert_eq!(RealDisk.list(folder.path()).unwrap(), ["missing"]);
}

/// A program that may not read the parent folder did not create this one. Root can read every folder, so the
/// test shows nothing when it runs as root.
#[cfg(unix)]
#[test]
fn a_folder_may_be_below_one_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempdir().unwrap();
    let (above, below) = (folder.path().join("above"), folder.path().join("above/below"));
    fs::create_dir_all(&below).unwrap();
    fs::set_permissions(&above, fs::Permissions::from_mode(0o311)).unwrap();
    let made = RealDisk.make_folder(&below);
    fs::set_permissions(&above, fs::Permissions::from_mode(0o755)).unwrap();
    made.unwrap();
}

/// A backup may be on a medium that can only be read. Root can write every file, so the test shows nothing when it
/// runs as root.
#[test]
fn what_can_only_be_read_can_be_read_and_copied() {
    let folder = tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    fs::write(&from, "a backup").unwrap();
    let mut rights = fs::metadata(&from).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&from, rights).unwrap();
    copy_file(&RealDisk, &from, &to, u64::MAX).unwrap();
    assert_eq!(fs::read(&to).unwrap(), b"a backup");
    let mut file = RealDisk.open_to_read(&from).unwrap().unwrap();
    assert!(file.write_all_at(0, b"no").is_err(), "a file was written that was opened to read");
    assert!(RealDisk.open_to_read(&folder.path().join("missing")).unwrap().is_none());
}

#[test]
fn a_name_goes_to_another_file() {
    let folder = tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    drop(RealDisk.create(&one, b"one").unwrap());
    drop(RealDisk.create(&other, b"other").unwrap());
    RealDisk.rename(&one, &other).unwrap();
    assert_eq!(
        (RealDisk.list(folder.path()).unwrap(), fs::read(&other).unwrap()),
        (vec!["other".into()], b"one".into())
    );
}

#[test]
fn a_file_holds_what_was_written() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("file");
    let mut file = RealDisk.create(&path, b"0123456789").unwrap();
    file.write_all_at(4, b"abc").unwrap();
    file.set_length(9).unwrap();
    file.sync().unwrap();
    assert_eq!((fs::read(&path).unwrap(), file.length().unwrap()), (b"0123abc78".into(), 9));
    let mut bytes = [0; 5];
    assert_eq!((file.read_at(2, &mut bytes).unwrap(), &bytes), (5, b"23abc"));
    assert_eq!(file.read_at(9, &mut bytes).unwrap(), 0);
    let mut read_only = File::open(&path).unwrap();
    assert!(LogFile::write_all_at(&mut read_only, 0, b"no").is_err(), "a file was written that may only be read");
}

#[test]
fn every_log_has_an_identity_of_its_own() {
    let [one, other] = [RealDisk.new_log_id(), RealDisk.new_log_id()];
    assert!(one != LogId::NONE && other != LogId::NONE && one != other);
}

/// A program that died leaves no lock, but perhaps its name.
#[test]
fn a_lock_names_its_holder() {
    let folder = tempdir().unwrap();
    let (lock, holder) = (folder.path().join("LOCK"), folder.path().join("LOCK.holder"));
    fs::write(&holder, "a dead process").unwrap();
    let held = RealDisk.lock(&lock, "the first").unwrap().unwrap_or_else(|holder| panic!("{holder} has it"));
    let second = || RealDisk.lock(&lock, "the second").unwrap().err();
    assert_eq!(second().as_deref(), Some("the first"));
    fs::write(&holder, "").unwrap();
    assert_eq!(second().as_deref(), Some("another program"));
    fs::remove_file(&holder).unwrap();
    assert_eq!(second().as_deref(), Some("another program"));
    fs::write(&holder, "the first").unwrap();
    drop(held);
    assert!(!holder.exists(), "the name of the lock's holder stayed");
    assert_eq!(second(), None);
}

#[test]
fn a_copy_ends_where_it_should() {
    let [from, to] = ["from", "to"].map(Path::new);
    let bytes: Vec<u8> = (0..3 << 20).map(|at| (at % 251) as u8).collect();
    for length in [0, 1, 1 << 20, (1 << 20) + 1, bytes.len(), bytes.len() + 1] {
        let disk = SimDisk::new(1, Faults::default());
        disk.put(from, &bytes);
        copy_file(&disk, from, to, length as u64).unwrap();
        assert!(disk.durable(to).unwrap() == bytes[..length.min(bytes.len())], "{length} bytes");
    }
    let disk = SimDisk::new(1, Faults::default());
    assert_eq!(copy_file(&disk, from, to, 1).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A file whose writes are interrupted, then take one byte, and so on; after a number of bytes it
/// takes none.
struct Slow {
    bytes: Vec<u8>,
    room: usize,
    is_interrupted: bool,
}

impl LogFile for Slow {
    fn read_at(&mut self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        assert_eq!(at, self.bytes.len() as u64);
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let taken = bytes.len().min(1).min(self.room - self.bytes.len());
        self.bytes.extend(&bytes[..taken]);
        Ok(taken)
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn set_length(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn all_is_written_or_it_is_an_error() {
    let mut file = Slow { bytes: Vec::new(), room: 12, is_interrupted: false };
    file.write_all_at(0, b"ten bytes.").unwrap();
    assert_eq!(file.bytes, b"ten bytes.");
    assert_eq!(file.write_all_at(10, b"more").unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(file.bytes, b"ten bytes.mo");
}
