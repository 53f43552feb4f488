//! Tickets: one lets a client read an account's notices, and do nothing else.
//!
//! A ticket is a hash of the key's hash, so it leads back to neither, lives as long as the key, and nothing has to be kept
//! for it, not even across a restart.

use gateway::names::Names;
use market::AccountId;
use sha2::{Digest, Sha256};

/// The ticket of an account; none where it has no key.
pub fn ticket(names: &Names, account: AccountId) -> Option<String> {
    let hash = names.key_hash(account)?;
    let ticket = Sha256::new().chain_update(b"notices of ").chain_update(hash.0).finalize();
    Some(ticket.iter().map(|byte| format!("{byte:02x}")).collect())
}
