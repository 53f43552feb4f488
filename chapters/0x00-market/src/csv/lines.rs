//! Gives the CSV parser one line at a time, to know which line a record starts in.
//!
//! The parser reads ahead, skips blank lines and joins lines inside quotes, so its own line count is
//! no use for a message. It can't read beyond what it was given: between two records it has used up
//! all lines so far, so the next record starts in the next line that is not blank.

use std::io::{self, BufRead, Read};

pub(super) struct Lines<R> {
    input: R,
    /// The line that the next byte belongs to, from 1.
    line: u64,
    /// Where the current record starts, once some of it was read.
    record_line: Option<u64>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, line: 1, record_line: None }
    }

    /// Notes that the parser is about to read another record.
    pub(super) fn start_record(&mut self) {
        self.record_line = None;
    }

    /// The line that the record starts in.
    pub(super) fn record_line(&self) -> u64 {
        self.record_line.unwrap_or(self.line)
    }
}

impl<R: BufRead> Read for Lines<R> {
    /// Reads to the end of the line at most.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let ahead = self.input.fill_buf()?;
        let ahead = &ahead[..ahead.len().min(to.len())];
        let newline = ahead.iter().position(|&byte| byte == b'\n');
        let piece = &ahead[..newline.map_or(ahead.len(), |at| at + 1)];
        if piece.iter().any(|byte| !b"\r\n".contains(byte)) {
            self.record_line.get_or_insert(self.line);
        }
        let length = piece.len();
        to[..length].copy_from_slice(piece);
        self.line += u64::from(newline.is_some());
        self.input.consume(length);
        Ok(length)
    }
}
