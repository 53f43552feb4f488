//! What ties a recording to its sources.

use book::player::code_digest;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// The SHA-256 of the code of each of a chapter's files that took part.
pub fn sources(chapter: &str, files: &[&str]) -> Value {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chapters").join(chapter);
    let digest = |file: &&str| {
        ((*file).to_owned(), Value::String(code_digest(&fs::read_to_string(chapter.join(file)).unwrap())))
    };
    files.iter().map(digest).collect::<serde_json::Map<_, _>>().into()
}

/// The SHA-256 of some bytes. It reveals a step that was changed by hand when the book is built; a test checks
/// that the steps are the engine's.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
