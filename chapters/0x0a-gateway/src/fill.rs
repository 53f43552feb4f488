//! Many accounts at once, written to the file of names before a venue runs: over HTTP each would wait for the disk, as it
//! should. Measurements use it.

use std::path::Path;

use rusqlite::params;

use crate::keys::Key;
use crate::names::{FILE_NAME, Names};

/// Writes so many accounts from number `first` on to the file of names in `data_dir`, and returns their keys.
///
/// # Errors
/// What the disk says, in words.
pub fn fill(data_dir: &Path, first: u32, accounts: usize) -> Result<Vec<String>, String> {
    // This creates the tables.
    drop(Names::open(data_dir).map_err(|error| error.to_string())?);
    let insert = || -> Result<Vec<String>, rusqlite::Error> {
        let mut file = rusqlite::Connection::open(data_dir.join(FILE_NAME))?;
        let all = file.transaction()?;
        let mut insert = all.prepare("INSERT INTO account (id, name, key_hash) VALUES (?1, '', ?2)")?;
        let mut keys = Vec::with_capacity(accounts);
        for number in 0..accounts as u32 {
            let key = Key::random().map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            insert.execute(params![first + number, key.hash().0])?;
            keys.push(key.reveal().to_owned());
        }
        drop(insert);
        all.commit()?;
        Ok(keys)
    };
    insert().map_err(|error| error.to_string())
}
