//! Tickets: one lets a client read an account's notices, and do nothing else.
//!
//! A ticket is a hash of the key's hash, so it leads back to neither, lives as long as the key, and nothing has to be kept
//! for it, not even across a restart.

use gateway::keys::KeyHash;
use gateway::names::Names;
use market::AccountId;
use sha2::{Digest, Sha256};

/// The ticket of an account; none where it has no key.
pub fn ticket(names: &Names, account: AccountId) -> Option<String> {
    names.key_hash(account).map(of)
}

/// The ticket of the account with this key.
pub fn of(key: KeyHash) -> String {
    let ticket = Sha256::new().chain_update(b"notices of ").chain_update(key.0).finalize();
    ticket.iter().map(|byte| format!("{byte:02x}")).collect()
}
