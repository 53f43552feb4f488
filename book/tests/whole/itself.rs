//! The book itself holds: both languages in step, every figure from a record, every listing from a tested crate.

use book::check::check;
use book::project::Project;
use results::language::Language;
use std::path::Path;
use tempfile::TempDir;

fn project() -> Project {
    Project::at(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

#[test]
fn the_book_passes_its_check() {
    let dist = TempDir::new().unwrap();
    let report = check(&project(), dist.path()).unwrap();
    let told: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn a_pages_source_is_small() {
    for lang in Language::ALL {
        let pages = project().pages(lang).unwrap();
        let mut lines: Vec<usize> = pages.iter().map(|page| page.text.lines().count()).collect();
        lines.sort_unstable();
        assert!(
            lines[lines.len() / 2] < 250,
            "the median page of book/{} has {} lines",
            lang.tag(),
            lines[lines.len() / 2]
        );
    }
}
