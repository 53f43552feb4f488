//! A change of the names, which others may want to know before it is made.
//!
//! A venue on one machine has no copy to update. A layer that keeps a copy elsewhere is told first: when it can't keep the change,
//! the change is not made, and the client hears no promise.

use std::io;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

/// A change of the names.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// An account is there, with this name and key.
    Account {
        /// Its number.
        account: u32,
        /// Its name; empty if it is unknown.
        name: String,
        /// The hash of its key.
        key_hash: [u8; 32],
    },
    /// The operator has this key.
    Operator {
        /// The hash of the key.
        key_hash: [u8; 32],
    },
    /// A market has this question.
    Market {
        /// Its number.
        market: u32,
        /// The question in English.
        en: String,
        /// The question in Chinese.
        zh: String,
    },
    /// An account has this short code.
    Code {
        /// Its number.
        account: u32,
        /// The code's letters.
        code: String,
    },
}

/// Is told of each change before it is made.
pub trait Witness: Send + Sync {
    /// Returns when the change is kept.
    ///
    /// # Errors
    /// When it can't be kept. It is not made then.
    fn witness(&self, change: &Change) -> io::Result<()>;
}

impl Change {
    /// Writes the change to the tables. Writing it twice is writing it once.
    ///
    /// A key belongs to the account that got it last, and so does a code. When changes are made again from the first one on, the
    /// tables may say already what comes later: that an account has a key which another had before. The row that is in the way
    /// is removed, and comes back with the change that made it.
    pub(crate) fn write(&self, file: &Connection) -> rusqlite::Result<usize> {
        match self {
            Change::Account { account, name, key_hash } => file.execute(
                "INSERT OR REPLACE INTO account (id, name, key_hash) VALUES (?1, ?2, ?3)",
                params![account, name, key_hash],
            ),
            Change::Operator { key_hash } => file.execute(
                "INSERT INTO operator (id, key_hash) VALUES (1, ?1)
                 ON CONFLICT (id) DO UPDATE SET key_hash = excluded.key_hash",
                params![key_hash],
            ),
            Change::Market { market, en, zh } => file.execute(
                "INSERT INTO market (id, en, zh) VALUES (?1, ?2, ?3)
                 ON CONFLICT (id) DO UPDATE SET en = excluded.en, zh = excluded.zh",
                params![market, en, zh],
            ),
            Change::Code { account, code } => {
                file.execute("INSERT OR REPLACE INTO code (account, code) VALUES (?1, ?2)", params![account, code])
            }
        }
    }

    /// The changes that lead from empty tables to these.
    pub(crate) fn read(file: &Connection) -> rusqlite::Result<Vec<Change>> {
        let mut changes = Vec::new();
        let mut add = |rows: &str, change: fn(&Row<'_>) -> rusqlite::Result<Change>| -> rusqlite::Result<()> {
            let mut rows = file.prepare(rows)?;
            rows.query_map([], change)?.try_for_each(|row| row.map(|change| changes.push(change)))
        };
        add("SELECT id, name, key_hash FROM account ORDER BY id", |row| {
            Ok(Change::Account { account: row.get(0)?, name: row.get(1)?, key_hash: row.get(2)? })
        })?;
        add("SELECT key_hash FROM operator", |row| Ok(Change::Operator { key_hash: row.get(0)? }))?;
        add("SELECT id, en, zh FROM market ORDER BY id", |row| {
            Ok(Change::Market { market: row.get(0)?, en: row.get(1)?, zh: row.get(2)? })
        })?;
        add("SELECT account, code FROM code ORDER BY account", |row| {
            Ok(Change::Code { account: row.get(0)?, code: row.get(1)? })
        })?;
        Ok(changes)
    }
}
