//! The committed charts are drawn from the committed records, with today's words.
//!
//! After a change to a word or a drawing, run `REDRAW_CHARTS=1 cargo test -p results --features charts --test
//! charts`, and `git diff` shows what a reader will see.
#![cfg(feature = "charts")]

use std::fs;
use std::path::{Path, PathBuf};

use results::chapters;
use results::charts::{VERBS, drawings, ladder_charts};
use results::language::Language;
use results::record::{HistoryOfFigures, LadderRecord, Record};

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../output/reference")
}

fn read(verb: &str) -> String {
    let file = reference().join(format!("{verb}.json"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Compares the committed chart of this name with what was drawn, or replaces it.
fn hold(name: &str, drawn: &[u8]) {
    let committed = reference().join("charts").join(name);
    if std::env::var_os("REDRAW_CHARTS").is_some() {
        fs::write(&committed, drawn).expect("the charts can be written");
    }
    let there = fs::read(&committed).unwrap_or_default();
    assert!(there == drawn, "{} is not what its record gives: see REDRAW_CHARTS above", committed.display());
}

#[test]
fn the_reference_charts_are_drawn_from_the_reference_records() {
    let catalogue = chapters::catalogue().expect("the manifests are sound");
    let mut held = 0;
    let verbs = VERBS.into_iter().chain([HistoryOfFigures::VERB]);
    for (verb, language) in verbs.flat_map(|verb| Language::ALL.map(|language| (verb, language))) {
        let drawn = drawings(verb, &read(verb), &catalogue, language).unwrap_or_else(|error| panic!("{error}"));
        for (name, svg) in drawn {
            hold(&format!("{name}.{}.svg", language.tag()), svg.as_bytes());
            held += 1;
        }
    }
    assert!(held >= 30, "only {held} charts were drawn");
}

/// One chart is also committed as a PNG: links to the book show it.
#[test]
fn the_picture_that_links_show_is_drawn_from_the_ladders_record() {
    let catalogue = chapters::catalogue().expect("the manifests are sound");
    let ladder = LadderRecord::parse(&read(LadderRecord::VERB), LadderRecord::VERB).expect("a sound record");
    let folder = tempfile::tempdir().expect("a temporary folder");
    ladder_charts(&ladder, &catalogue, folder.path()).unwrap_or_else(|error| panic!("{error}"));
    for language in Language::ALL {
        let name = format!("throughput.{}.png", language.tag());
        hold(&name, &fs::read(folder.path().join(&name)).expect("drawn"));
    }
}
