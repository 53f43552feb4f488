//! Every experiment runs once in tiny size, and its variants agree on what they compute: [`lab::measure`] stops if
//! they do not. Times are not checked.

use std::collections::HashSet;

use lab::experiment::{Setting, Size};
use lab::experiments::ALL;
use lab::measure::measure;

#[test]
fn every_experiments_variants_agree() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let setting =
        Setting { size: Size::Tiny, data_dir: folder.path().to_path_buf(), bar: indicatif::ProgressBar::hidden() };
    for experiment in ALL {
        let record = measure(experiment, &setting, 1, |_, _| {}).unwrap_or_else(|error| panic!("{error}"));
        // Experiments that need their own build have no tiny size.
        let is_here = !record.cases.is_empty() || !record.left_out.is_empty() || experiment.on_request;
        assert!(is_here, "{} measures nothing and does not say why", experiment.name);
        for case in &record.cases {
            assert!(case.variants.len() >= 2, "{}, {}: nothing to compare with", experiment.name, case.name);
            let names: HashSet<&str> = case.variants.iter().map(|variant| variant.name.as_str()).collect();
            assert_eq!(names.len(), case.variants.len(), "{}, {}: a name twice", experiment.name, case.name);
        }
    }
}

#[test]
fn names_lead_to_one_entry_each() {
    let names: HashSet<&str> = ALL.iter().map(|experiment| experiment.name).collect();
    assert_eq!(names.len(), ALL.len());
    // In the book's paths a hyphen ends a short name.
    assert!(names.iter().all(|name| !name.contains('-')));
}

#[test]
fn every_experiment_says_what_it_leaves_out() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/experiments");
    for experiment in ALL {
        let file = folder.join(format!("{}.rs", experiment.name));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
        for part in ["//! **Expected:**", "//! **Compared:**", "//! **Left out:**"] {
            assert!(text.contains(part), "{}.rs does not say {part:?}", experiment.name);
        }
    }
}
