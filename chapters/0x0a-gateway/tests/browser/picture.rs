//! Pictures of the page, for people to look at: `PAGE_PICTURES=folder` saves them.

use std::fs;
use std::path::PathBuf;

use crate::cdp::Browser;

pub fn keep(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("PAGE_PICTURES").map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.png")), decode(&browser.picture())).unwrap();
}

/// Base64.
fn decode(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let joined = (0..4).fold(0u32, |sum, i| sum << 6 | u32::from(*four.get(i).unwrap_or(&0)));
        joined.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}
