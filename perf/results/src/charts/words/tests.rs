//! What charts say can be drawn, and chapters have the names of their manifests.

use super::*;
use crate::chapters;
use crate::charts::text;

fn catalogue() -> Catalogue {
    chapters::catalogue().expect("the manifests are sound")
}

#[test]
fn the_font_has_every_character_that_labels_use() {
    // Units and numbers are written in `units.rs`, stages in the crate's `words.rs`, engines' titles in their
    // manifests, everything else in the charts' `words.rs` and beside it, and in `history_of_figures/words.rs`.
    let titles = catalogue().engines().map(|chapter| chapter.title.zh.clone()).collect::<String>();
    let sources = [
        include_str!("../words.rs"),
        include_str!("feed.rs"),
        include_str!("once.rs"),
        include_str!("path.rs"),
        include_str!("../history_of_figures/words.rs"),
        include_str!("replicas.rs"),
        include_str!("../../words.rs"),
        include_str!("../../units.rs"),
    ];
    let sources = sources.concat() + &titles;
    let ascii: String = (' '..='~').collect();
    let others: String = sources.chars().filter(|c| !c.is_ascii()).collect();
    let common = "·×…–—µ²≈±®™©";
    let missing = text::missing(&[&ascii, others.as_str(), common].concat());
    assert!(missing.is_empty(), "run scripts/font_subset; the font lacks {missing:?}");
}

#[test]
fn chapters_have_a_number_and_a_name() {
    let name = |chapter, language| {
        let (number, name) = chapter_name(chapter, &catalogue(), language);
        format!("{number}|{name}")
    };
    assert_eq!(name("0x04-allocation-reuse", Language::English), "0x04|allocation reuse");
    assert_eq!(name("0x03-group-commit", Language::Chinese), "0x03|组提交");
    assert_eq!(name("0x08-your-own", Language::Chinese), "0x08|your own");
    assert_eq!(name("mine", Language::English), "mine|");
}
