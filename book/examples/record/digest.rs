//! What ties a recording to its sources.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// The SHA-256 of each of a chapter's files that was at work.
pub fn sources(chapter: &str, files: &[&str]) -> Value {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chapters").join(chapter);
    let digest = |file: &&str| ((*file).to_owned(), Value::String(hex(&fs::read(chapter.join(file)).unwrap())));
    files.iter().map(digest).collect::<serde_json::Map<_, _>>().into()
}

/// The SHA-256 of some bytes. A step changed by hand is told by it when the book is built; that the steps are the
/// engine's, a test tells.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
