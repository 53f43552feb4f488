//! A log as a stream of bytes, from any byte on.

use std::io::{self, Read};

use crate::LogFile;

/// A file read from some byte on.
pub(crate) struct Input<'file> {
    pub(crate) file: &'file mut dyn LogFile,
    pub(crate) at: u64,
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}
