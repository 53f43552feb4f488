//! Arbitrary bytes, on stable Rust and only briefly; `scripts/fuzz messages` is guided by coverage.
//!
//! ```text
//! FUZZ_WRITE_SEEDS=1 cargo test -p ch09 --test fuzz     rewrites the seeds after a change of format
//! ```

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use contract::streams::Random;

/// Where the seeds are, and where the same messages are kept for readers in other languages.
const FOLDERS: [&str; 2] = ["../../fuzz/seeds/messages", "messages"];

/// The bytes and the text of each message in the snapshots of `messages`, in the order of their names.
fn examples() -> Vec<(String, Vec<u8>)> {
    ["changes", "missed", "trade", "whole"].into_iter().flat_map(example).collect()
}

fn example(name: &str) -> [(String, Vec<u8>); 2] {
    let path = format!("{}/tests/snapshots/message-{name}.snap", env!("CARGO_MANIFEST_DIR"));
    let snapshot = fs::read_to_string(path).unwrap();
    let (rows, json) = snapshot.split("---\n").last().unwrap().trim_end().split_once("\n\n").unwrap();
    let byte = |text: &str| u8::from_str_radix(text, 16).unwrap();
    let binary = rows.lines().flat_map(|row| row.split_whitespace().skip(1).map(byte)).collect();
    [(format!("{name}.bin"), binary), (format!("{name}.json"), json.as_bytes().to_vec())]
}

/// A message in the target's framing: its length in units of eight bytes comes first. JSON is padded with spaces.
fn framed(message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![message.len().div_ceil(8) as u8];
    bytes.extend_from_slice(message);
    bytes.resize(1 + message.len().next_multiple_of(8), b' ');
    bytes
}

#[test]
fn the_files_hold_messages_of_this_format() {
    for (name, message) in examples() {
        assert!(market_data::Message::read(&message).is_ok(), "{name}");
        for (folder, bytes) in FOLDERS.into_iter().zip([framed(&message), message]) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(&name);
            if std::env::var_os("FUZZ_WRITE_SEEDS").is_some() {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &bytes).unwrap();
            }
            assert_eq!(fs::read(&path).unwrap(), bytes, "{}: FUZZ_WRITE_SEEDS=1 rewrites it", path.display());
        }
    }
}

#[test]
fn any_bytes_are_read_or_rejected() {
    let examples: Vec<Vec<u8>> = examples().iter().map(|(_, message)| framed(message)).collect();
    for case in 0..20_000 {
        let mut random = Random::new(case);
        let mut bytes: Vec<u8> =
            (0..1 + random.below(4)).flat_map(|_| examples[random.below(8) as usize].clone()).collect();
        for _ in 0..random.below(6) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.pick(&[0, 1, 99, 100, 255]),
                _ => drop(bytes.drain(at..(at + random.below(9) as usize).min(bytes.len()))),
            }
            if bytes.is_empty() {
                break;
            }
        }
        market_data::fuzz::messages(&bytes);
    }
}
