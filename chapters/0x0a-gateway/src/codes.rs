//! Short account codes for a class: a few letters that a teacher can read out, with which a student gets the account
//! back after closing the laptop.
//!
//! A code is not a key. It is short, so it can eventually be guessed, and the operator can read it, because it is
//! stored in plain text. So codes exist only in classroom mode, where money is play money, and an address may try only
//! a few per minute. A code yields a new key and invalidates the old one, so a hijacked account is noticed.

use std::fmt;
use std::sync::PoisonError;

use market::AccountId;
use rusqlite::OptionalExtension;

use crate::names::change::Change;
use crate::names::{Names, NamesError, failed};

/// How many letters: with an alphabet of 32, a billion codes.
const LETTERS: usize = 6;

/// Letters and digits that can't be confused: neither I nor 1, neither O nor 0.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// A code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code(String);

impl Code {
    fn random() -> std::io::Result<Code> {
        let mut bytes = [0; LETTERS];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let letter = |byte: u8| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]);
        Ok(Code(bytes.into_iter().map(letter).collect()))
    }

    /// Reads what a user typed: in upper or lower case, with or without a dash or spaces.
    pub fn read(typed: &str) -> Option<Code> {
        let letters = typed.chars().filter(|letter| !matches!(letter, '-' | ' '));
        let code: String = letters.take(LETTERS + 1).map(|letter| letter.to_ascii_uppercase()).collect();
        let is_code = code.len() == LETTERS && code.bytes().all(|letter| ALPHABET.contains(&letter));
        is_code.then_some(Code(code))
    }
}

/// As it is read out: in two halves.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = self.0.split_at(LETTERS / 2);
        write!(f, "{one}-{other}")
    }
}

impl Names {
    /// Gives an account a code. Waits for the disk.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn new_code(&self, account: AccountId) -> Result<Code, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let code = Code::random()?;
            let taken = file.query_row("SELECT 1 FROM code WHERE code = ?1", [&code.0], |_| Ok(())).optional();
            // Where another account has this code, try a different one.
            if taken.map_err(failed(&self.path, "read it"))?.is_none() {
                self.make(&file, &Change::Code { account: account.0, code: code.0.clone() })?;
                return Ok(code);
            }
        }
    }

    /// The account with this code.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn with_code(&self, code: &Code) -> Result<Option<AccountId>, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let found = file.query_row("SELECT account FROM code WHERE code = ?1", [&code.0], |row| row.get(0)).optional();
        Ok(found.map_err(failed(&self.path, "read it"))?.map(AccountId))
    }

    /// All accounts that have a code, with their codes, in order of creation.
    ///
    /// # Errors
    /// [`NamesError`].
    pub fn codes(&self) -> Result<Vec<(AccountId, Code)>, NamesError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = failed(&self.path, "read it");
        let mut all = file.prepare("SELECT account, code FROM code ORDER BY account").map_err(&failed)?;
        let rows = all.query_map([], |row| Ok((AccountId(row.get(0)?), Code(row.get(1)?)))).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Key;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = Code::random().expect("randomness");
        let shown = code.to_string();
        assert_eq!(shown.len(), LETTERS + 1);
        for typed in [shown.clone(), shown.to_lowercase(), shown.replace('-', ""), shown.replace('-', " ")] {
            assert_eq!(Code::read(&typed), Some(code.clone()), "{typed}");
        }
        for wrong in ["", "ABC", "ABC-DEFG", "ABC-DE1", "ABC-DEO", "ABC-DEÄ", "nnc_00"] {
            assert_eq!(Code::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_code_leads_to_its_account() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = Names::open(folder.path()).expect("a new file");
        let (one, other) = (names.new_code(AccountId(1_000)), names.new_code(AccountId(1_001)));
        let (one, other) = (one.expect("a code"), other.expect("a code"));
        drop(names);
        let names = Names::open(folder.path()).expect("the same file");
        assert_eq!(names.with_code(&one).expect("a look"), Some(AccountId(1_000)));
        assert_eq!(names.codes().expect("a look"), [(AccountId(1_000), one.clone()), (AccountId(1_001), other)]);
        let again = names.new_code(AccountId(1_000)).expect("a code");
        assert_eq!(names.with_code(&one).expect("a look"), None, "{again} replaced it");
    }

    #[test]
    fn a_file_from_before_gets_the_table() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = Names::open(folder.path()).expect("a new file");
        let ann =
            names.new_account("Ann", AccountId(0), Key::random().expect("randomness")).expect("an account").account;
        let file = names.file.lock().expect("no panic");
        file.execute_batch("DROP TABLE code; PRAGMA user_version = 1;").expect("a file of the first version");
        drop(file);
        drop(names);
        let names = Names::open(folder.path()).expect("the same file");
        assert_eq!(names.name(ann), "Ann");
        assert!(names.new_code(ann).is_ok());
    }
}
