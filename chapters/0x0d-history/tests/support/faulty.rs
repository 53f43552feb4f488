//! A disk on which files can't be opened as long as a test says so.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use market::{Disk, LogFile, LogId, RealDisk};

/// What opening a file leads to in place of the file; none where the file is opened.
pub type Instead = Option<io::Result<Option<Box<dyn LogFile>>>>;

/// Decides it by the name of the file.
type Fault = Box<dyn FnMut(&str) -> Instead + Send>;

/// A disk on which a test decides what becomes of a file that is opened.
#[derive(Clone, Default)]
pub struct Faulty(Arc<Mutex<Option<Fault>>>);

impl Faulty {
    pub fn set(&self, fault: impl FnMut(&str) -> Instead + Send + 'static) {
        *self.0.lock().unwrap() = Some(Box::new(fault));
    }

    pub fn heal(&self) {
        *self.0.lock().unwrap() = None;
    }
}

impl Disk for Faulty {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut fault = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let instead = fault.as_mut().and_then(|fault| fault(name));
        drop(fault);
        instead.unwrap_or_else(|| RealDisk.open(path))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        RealDisk.create(path, header)
    }

    fn new_log_id(&self) -> LogId {
        RealDisk.new_log_id()
    }
}
