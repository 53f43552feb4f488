//! Names: what the log does not hold. Questions, the names of accounts, and the hashes of keys.
//!
//! They live in SQLite beside the log. Losing this file loses no money: balances are in the log, accounts and markets
//! keep their numbers, and no account passes to a stranger, because a new number is above the highest that the engine
//! knows, never just the next one in this file. What is lost is whose a number was; the operator can issue a new key
//! for an account.

pub mod change;
mod sessions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use market::{AccountId, MarketId};
use rusqlite::{Connection, OptionalExtension};

use self::change::{Change, Witness};
use self::sessions::Sessions;
use crate::keys::{Key, KeyHash};
use crate::reply::Session;

/// The file's name in the data directory.
pub const FILE_NAME: &str = "names.sqlite";

/// The version of the tables, kept in the file.
const VERSION: i64 = 2;

/// The lowest account number that is given out: programs that write the log by other means use those below.
const FIRST_ACCOUNT: u32 = 1_000;

const TABLES: &str = "
    CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key_hash BLOB NOT NULL UNIQUE) STRICT;
    CREATE TABLE market (id INTEGER PRIMARY KEY, en TEXT NOT NULL, zh TEXT NOT NULL) STRICT;
    CREATE TABLE operator (id INTEGER PRIMARY KEY CHECK (id = 1), key_hash BLOB NOT NULL) STRICT;
";

/// Short codes of a class, added in the second version of the file.
const CODES: &str = "CREATE TABLE code (account INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE) STRICT;";

/// A market's question in both languages.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

/// Errors of the file.
#[derive(Debug, thiserror::Error)]
pub enum NamesError {
    /// SQLite could not read or write it.
    #[error(
        "{path}: could not {what}: {source}. It holds names and hashes of keys, no money: repair the disk, or move the file \
         away: accounts then keep their numbers and their balances, but need new keys"
    )]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        what: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// It was written by another version.
    #[error(
        "{path}: its tables are of version {found}, and this program knows version {VERSION}: use the program that wrote it"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: i64,
    },
    /// All numbers are used up.
    #[error("no {0} number is left above {1}")]
    Full(&'static str, u32),
    /// The operator would lose this key to a new account.
    #[error("the key is the operator's")]
    OfTheOperator,
    /// The system gives no randomness.
    #[error("a key could not be made: {0}")]
    Random(#[from] std::io::Error),
    /// A copy elsewhere could not be made, so nothing was changed.
    #[error("a change of the names could not be copied: {0}")]
    Witness(std::io::Error),
}

/// The file, and a copy of the parts that every request needs.
pub struct Names {
    pub(crate) path: PathBuf,
    pub(crate) file: Mutex<Connection>,
    sessions: RwLock<Sessions>,
    names: RwLock<HashMap<AccountId, String>>,
    questions: RwLock<HashMap<MarketId, Question>>,
    witnesses: Vec<Arc<dyn Witness>>,
}

/// A new account.
#[derive(Debug)]
pub struct NewAccount {
    /// Its number.
    pub account: AccountId,
    /// Its key, which is shown only this once.
    pub key: Key,
}

impl Names {
    /// Opens the file of a data directory, or creates it.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn open(folder: &Path) -> Result<Names, NamesError> {
        Names::witnessed(folder, Vec::new())
    }

    /// The same, with those that are told of each change before it is made.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn witnessed(folder: &Path, witnesses: Vec<Arc<dyn Witness>>) -> Result<Names, NamesError> {
        let path = folder.join(FILE_NAME);
        let failed = |what| failed(&path, what);
        let file = Connection::open(&path).map_err(failed("open it"))?;
        // A client that was told of an account may rely on it being on disk.
        let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";
        file.execute_batch(settings).map_err(failed("open it"))?;
        let found: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed("read it"))?;
        match found {
            0 => {
                let tables = format!("BEGIN; {TABLES} {} PRAGMA user_version = {VERSION}; COMMIT;", CODES);
                file.execute_batch(&tables).map_err(failed("make its tables"))?;
            }
            // The first version had no codes.
            1 => {
                let table = format!("BEGIN; {} PRAGMA user_version = {VERSION}; COMMIT;", CODES);
                file.execute_batch(&table).map_err(failed("add a table"))?;
            }
            VERSION => {}
            found => return Err(NamesError::Version { path, found }),
        }
        let Read { sessions, names, questions } = read(&file).map_err(failed("read it"))?;
        let (sessions, names, questions) = (RwLock::new(sessions), RwLock::new(names), RwLock::new(questions));
        Ok(Names { path, file: Mutex::new(file), sessions, names, questions, witnesses })
    }

    /// The session of the key with this hash.
    pub fn session(&self, key: KeyHash) -> Option<Session> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).with_key(key)
    }

    /// A market's question; without one, the market's number.
    pub fn question(&self, market: MarketId) -> Question {
        let questions = self.questions.read().unwrap_or_else(PoisonError::into_inner);
        let unnamed = || Question { en: format!("Market {market}"), zh: format!("市场 {market}") };
        questions.get(&market).cloned().unwrap_or_else(unnamed)
    }

    // ANCHOR: new_account
    /// Creates an account above all known numbers, in this file and in the engine, with this key. Waits for the
    /// disk. If an account has the key already, its client asks again because the answer was lost, and gets it.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn new_account(&self, name: &str, known: AccountId, key: Key) -> Result<NewAccount, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match self.session(key.hash()) {
            Some(Session::Account(account)) => return Ok(NewAccount { account, key }),
            Some(Session::Operator) => return Err(NamesError::OfTheOperator),
            None => {}
        }
        let highest = "SELECT coalesce(max(id), 0) FROM account";
        let here: u32 = file.query_row(highest, [], |row| row.get(0)).map_err(failed(&self.path, "read it"))?;
        let highest = here.max(known.0).max(FIRST_ACCOUNT - 1);
        let account = AccountId(highest.checked_add(1).ok_or(NamesError::Full("account", highest))?);
        self.make(&file, &Change::Account { account: account.0, name: name.to_owned(), key_hash: key.hash().0 })?;
        Ok(NewAccount { account, key })
    }
    // ANCHOR_END: new_account

    /// Gives an account a new key that replaces the old one. Waits for the disk.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn new_key(&self, account: AccountId) -> Result<Key, NamesError> {
        let key = Key::random()?;
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.name(account);
        self.make(&file, &Change::Account { account: account.0, name, key_hash: key.hash().0 })?;
        Ok(key)
    }

    /// Creates the operator's key if there is none, or if a new one is wanted. Waits for the disk.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn operator_key(&self, is_new: bool) -> Result<Option<Key>, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let there = file.query_row("SELECT 1 FROM operator", [], |_| Ok(())).optional();
        if there.map_err(failed(&self.path, "read it"))?.is_some() && !is_new {
            return Ok(None);
        }
        let key = Key::random()?;
        self.make(&file, &Change::Operator { key_hash: key.hash().0 })?;
        Ok(Some(key))
    }

    /// Stores a question under the next market number before the market opens: above all known numbers, in this file
    /// and in the engine. Waits for the disk.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn new_market(&self, question: &Question, known: MarketId) -> Result<MarketId, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let highest = "SELECT coalesce(max(id), 0) FROM market";
        let here: u32 = file.query_row(highest, [], |row| row.get(0)).map_err(failed(&self.path, "read it"))?;
        let highest = here.max(known.0);
        let market = MarketId(highest.checked_add(1).ok_or(NamesError::Full("market", highest))?);
        let Question { en, zh } = question.clone();
        self.make(&file, &Change::Market { market: market.0, en, zh })?;
        Ok(market)
    }

    /// What is kept of an account's key.
    pub fn key_hash(&self, account: AccountId) -> Option<KeyHash> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).key_of(Session::Account(account))
    }

    /// All accounts that were created here.
    pub fn accounts(&self) -> Vec<AccountId> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    /// The first account that was created under this name.
    pub fn named(&self, name: &str) -> Option<AccountId> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.iter().filter(|(_, own)| *own == name).map(|(&account, _)| account).min()
    }

    /// An account's name; empty if it is unknown.
    pub fn name(&self, account: AccountId) -> String {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.get(&account).cloned().unwrap_or_default()
    }

    /// Makes changes that were kept elsewhere, all or none of them, and waits for the disk once. Making them again, from the
    /// first one on, leads to the same.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn apply(&self, changes: &[Change]) -> Result<(), NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = failed(&self.path, "write to it");
        let together = file.unchecked_transaction().map_err(&failed)?;
        changes.iter().try_for_each(|change| change.write(&together).map(drop)).map_err(&failed)?;
        together.commit().map_err(&failed)?;
        changes.iter().for_each(|change| self.remember(change));
        Ok(())
    }

    /// The changes that lead from an empty file to this one.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn changes(&self) -> Result<Vec<Change>, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Change::read(&file).map_err(failed(&self.path, "read it"))
    }

    /// Tells all that want to know, and makes the change.
    pub(crate) fn make(&self, file: &Connection, change: &Change) -> Result<(), NamesError> {
        self.witnesses.iter().try_for_each(|witness| witness.witness(change)).map_err(NamesError::Witness)?;
        change.write(file).map_err(failed(&self.path, "write to it"))?;
        self.remember(change);
        Ok(())
    }

    /// Takes a change that is in the file into what is in memory.
    fn remember(&self, change: &Change) {
        let let_in = |hash: &[u8; 32], session| {
            self.sessions.write().unwrap_or_else(PoisonError::into_inner).set(KeyHash(*hash), session);
        };
        match change {
            Change::Account { account, name, key_hash } => {
                let account = AccountId(*account);
                self.names.write().unwrap_or_else(PoisonError::into_inner).insert(account, name.clone());
                let_in(key_hash, Session::Account(account));
            }
            Change::Operator { key_hash } => let_in(key_hash, Session::Operator),
            Change::Market { market, en, zh } => {
                let question = Question { en: en.clone(), zh: zh.clone() };
                self.questions.write().unwrap_or_else(PoisonError::into_inner).insert(MarketId(*market), question);
            }
            Change::Code { .. } => {}
        }
    }
}

pub(crate) fn failed(path: &Path, what: &'static str) -> impl Fn(rusqlite::Error) -> NamesError {
    move |source| NamesError::Sqlite { path: path.to_path_buf(), what, source }
}

struct Read {
    sessions: Sessions,
    names: HashMap<AccountId, String>,
    questions: HashMap<MarketId, Question>,
}

fn read(file: &Connection) -> rusqlite::Result<Read> {
    let (mut sessions, mut names) = (Sessions::default(), HashMap::new());
    let mut accounts = file.prepare("SELECT id, name, key_hash FROM account")?;
    for row in accounts.query_map([], |row| Ok((AccountId(row.get(0)?), row.get(1)?, KeyHash(row.get(2)?))))? {
        let (account, name, hash) = row?;
        sessions.set(hash, Session::Account(account));
        names.insert(account, name);
    }
    let operator = file.query_row("SELECT key_hash FROM operator", [], |row| row.get(0)).optional()?;
    operator.into_iter().for_each(|hash| sessions.set(KeyHash(hash), Session::Operator));
    let mut markets = file.prepare("SELECT id, en, zh FROM market")?;
    let rows =
        markets.query_map([], |row| Ok((MarketId(row.get(0)?), Question { en: row.get(1)?, zh: row.get(2)? })))?;
    let questions = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Read { sessions, names, questions })
}

#[cfg(test)]
mod tests;
