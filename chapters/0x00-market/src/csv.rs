//! Commands as CSV, for people: to write a flow, or to look at a generated one.
//!
//! The first line is the header; it names eleven columns, and every line has as many as the header. A column that a
//! command does not use stays empty. The last one may be left out of a whole file.
//!
//! ```text
//! command,market,account,intent,price,quantity,time_in_force,order,amount,outcome,request
//! open,1,,,,,,,,,
//! deposit,1,42,,,,,,100000,,1
//! place,1,42,buy-yes,55,10,gtc,,,,2
//! cancel,1,42,,,,,1,,,
//! withdraw,1,42,,,,,,5000,,
//! resolve,1,,,,,,,,yes,
//! ```
//!
//! | column | what it holds | used by |
//! |---|---|---|
//! | `command` | `open`, `deposit`, `withdraw`, `place`, `cancel`, `resolve` | all |
//! | `market` | 0 to 4294967295 | all |
//! | `account` | 0 to 4294967295 | `deposit`, `withdraw`, `place`, `cancel` |
//! | `intent` | `buy-yes`, `sell-yes`, `buy-no`, `sell-no` | `place` |
//! | `price` | cents of the share named by `intent`, 0 to 255; valid are 1 to 99 | `place` |
//! | `quantity` | shares, 0 to 4294967295; valid is anything but 0 | `place` |
//! | `time_in_force` | `gtc`, `ioc`, `fok`, `post-only` | `place` |
//! | `order` | the order's place among its market's `place` lines, from 1 | `cancel` |
//! | `amount` | cents, 0 to 18446744073709551615; valid is anything but 0 | `deposit`, `withdraw` |
//! | `outcome` | `yes`, `no` | `resolve` |
//! | `request` | the client's number for the request, 0 to 4294967295, of a `place` to 18446744073709551615; empty is 0, none | `deposit`, `withdraw`, `place`, `cancel` |
//!
//! What an engine rejects (a price of 150, an order of no shares) is a command like any other. A line that is not a
//! command stops the reading, with the file, the line and the reason, before anything is applied. Fields may be
//! quoted, lines may end in CR LF, blank lines and a byte order mark are skipped.

mod lines;
mod mistake;
mod row;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use ::csv::{ByteRecord, ReaderBuilder};

use crate::Command;
use lines::Lines;
pub use mistake::{Column, HEADER, Mistake};
use row::Row;

/// Why a file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// It can't be opened or read.
    #[error("{name}: could not read this file: {source}; name a CSV file, relative to the current folder")]
    Unreadable {
        /// The file.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// It is empty.
    #[error("{name}: the file is empty; its first line must be `{HEADER}`")]
    Empty {
        /// The file.
        name: String,
    },
    /// A line is not a command.
    #[error("{name}:{line}: {mistake}")]
    Line {
        /// The file.
        name: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        mistake: Mistake,
    },
}

/// Reads all commands of a file.
///
/// # Errors
/// When the file can't be read, or a line of it is no command. The first such line is named.
pub fn read(path: &Path) -> Result<Vec<Command>, CsvError> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read_from(file, &name),
        Err(source) => Err(CsvError::Unreadable { name, source }),
    }
}

/// Reads all commands from `reader`; errors call it `name`.
///
/// # Errors
/// As [`read`].
pub fn read_from(reader: impl Read, name: &str) -> Result<Vec<Command>, CsvError> {
    let lines = Lines::new(BufReader::new(reader));
    // `Row` checks the count of fields; its message says more.
    let mut records = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(lines);
    let mut record = ByteRecord::new();
    let mut commands = Vec::new();
    let mut columns = None;
    loop {
        records.get_mut().start_record();
        match records.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(CsvError::Unreadable { name: name.into(), source: error.into() }),
        }
        let in_line = |mistake| CsvError::Line { name: name.into(), line: records.get_ref().record_line(), mistake };
        match columns {
            Some(columns) => {
                commands.push(Row::parse(&record, columns).and_then(|row| row.command()).map_err(in_line)?)
            }
            None => columns = Some(Row::columns_of_header(&record).map_err(in_line)?),
        }
    }
    if columns.is_some() { Ok(commands) } else { Err(CsvError::Empty { name: name.into() }) }
}

/// Writes the header and a line for each command.
///
/// # Errors
/// When `to` can't be written.
pub fn write(to: impl Write, commands: impl IntoIterator<Item = Command>) -> io::Result<()> {
    // Numbers and fixed words need no quotes, so the fields are written as they are.
    let mut to = BufWriter::new(to);
    writeln!(to, "{HEADER}")?;
    for command in commands {
        row::write(&mut to, &command)?;
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::mistake::COLUMNS;

    #[test]
    fn the_header_lists_the_columns() {
        let names: Vec<_> = COLUMNS.iter().map(|column| column.name()).collect();
        assert_eq!(super::HEADER, names.join(","));
    }
}
