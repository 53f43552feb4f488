//! Keys: the holder of a key may act for its account.
//!
//! A key is 32 random bytes as text that can be copied, shown once. The venue stores only its hash: reading the file of
//! names gives no access to any account. A key is random and long, so a plain hash is enough; only passwords that
//! people choose need a slow one.

use std::fmt;

use sha2::{Digest, Sha256};

/// The prefix of every key, so that a leaked one can be searched for.
const PREFIX: &str = "nnc_";

/// How many random bytes a key has.
const BYTES: usize = 32;

/// A key in plain text. Its debug output reveals nothing of it.
pub struct Key(String);

/// The stored form of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl Key {
    /// A new key.
    ///
    /// # Errors
    /// If the system gives no randomness.
    pub fn random() -> std::io::Result<Key> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hexadecimal = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
        Ok(Key(PREFIX.chars().chain(hexadecimal).collect()))
    }

    /// The key that a client made for itself: then it can ask again when the answer is lost, and gets the same account.
    /// None where the words have not the form of a key.
    pub fn made_by_client(words: &str) -> Option<Key> {
        let digits = words.strip_prefix(PREFIX)?;
        let is_lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (digits.len() == 2 * BYTES && digits.bytes().all(is_lower)).then(|| Key(words.to_owned()))
    }

    /// The plain text, for its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The stored form.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }
}

impl KeyHash {
    /// The hash of a claimed key.
    pub fn of(words: &str) -> KeyHash {
        KeyHash(Sha256::digest(words.as_bytes()).into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}…")
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key's hash")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_long_and_unique() {
        let (one, other) = (Key::random().expect("randomness"), Key::random().expect("randomness"));
        assert_eq!(one.reveal().len(), PREFIX.len() + 2 * BYTES);
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(KeyHash::of(one.reveal()), one.hash());
        assert!(!format!("{one:?} {:?}", one.hash()).contains(&one.reveal()[PREFIX.len()..]));
    }
}
