//! The byte tables on the book's pages match the layout in the code.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

/// Where each field starts and how long it is, according to the code.
fn fields_in_code() -> Vec<(usize, usize)> {
    let sources = [
        include_str!("../src/message/header.rs"),
        include_str!("../src/message/book.rs"),
        include_str!("../src/message/trades.rs"),
    ];
    let field = |line: &str| {
        let (place, kind) = line.trim().strip_prefix("pub const ")?.split_once(": usize = ")?.1.split_once("; // ")?;
        let bits: String = kind[1..].chars().take_while(char::is_ascii_digit).collect();
        Some((place.parse().unwrap(), bits.parse::<usize>().unwrap() / 8))
    };
    sources.iter().flat_map(|source| source.lines()).filter_map(field).collect()
}

/// The same, according to the tables of a page.
fn fields_on_page(language: &str) -> Vec<(usize, usize)> {
    let path = format!("{}/../../book/{language}/market-data.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).unwrap();
    let section = page.lines().skip_while(|line| !line.ends_with("{#bytes}")).skip(1);
    let field = |line: &str| {
        let mut cells = line.split('|').skip(1);
        let place = cells.next()?.trim().parse().ok()?;
        let size: String = cells.next()?.chars().filter(char::is_ascii_digit).collect();
        Some((place, size.parse().unwrap()))
    };
    section.take_while(|line| !line.starts_with("## ")).filter_map(field).collect()
}

#[test]
fn the_pages_match_the_layout_in_the_code() {
    let code = fields_in_code();
    assert_eq!(code.len(), 7 + 15 + 9 + 4, "{code:?}");
    assert_eq!(fields_on_page("en"), code);
    assert_eq!(fields_on_page("zh"), code);
}
