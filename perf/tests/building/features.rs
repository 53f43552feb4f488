//! What a reader waits for before the ladder begins, and must stay fast.
//!
//! What the tool and a chapter share is compiled once. Cargo compiles a crate once for every set of features that is
//! asked for, and so everything that depends on it: a difference in one small crate would make a reader wait twice
//! for the command line parser and for `market`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use catalogue::{Chapter, Kind};
use results::chapters;

/// The crates that a service writes its records with.
const FOR_RECORDS: [&str; 2] = ["catalogue", "results"];

/// What the layers' own dependencies ask for with more features: the client of NATS, the store of rows, the columns. It is
/// built again for the guard and the exercises, because neither may stand on them.
const AGAIN: [&str; 3] = ["num-traits v0.2", "rand v0.10", "syn v3"];

/// The crates that a package is built from, each with its features.
fn crates(package: &str) -> BTreeMap<String, String> {
    built("normal,build", &["--package", package]).into_iter().collect()
}

/// The crates that these packages are built from, each with its features; listed twice if built with two sets.
fn built(edges: &str, packages: &[&str]) -> BTreeSet<(String, String)> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--locked", "--offline", "--edges", edges, "--prefix", "none", "--no-dedupe"]);
    let ended = cargo.args(["--format", "{p}|{f}"]).args(packages).output().expect("cargo starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "cargo tree: {}", String::from_utf8_lossy(&ended.stderr));
    let pairs = said.lines().filter_map(|line| line.split_once('|'));
    pairs.map(|(name, features)| (name.to_owned(), features.to_owned())).collect()
}

#[test]
fn the_tool_and_the_chapters_share_what_they_stand_on() {
    let tool = crates("perf");
    for chapter in chapters::catalogue().expect("the manifests are sound").engines() {
        let own = crates(&chapter.package);
        let shared = own.iter().filter_map(|(name, features)| Some((name, features, tool.get(name)?)));
        let shared: Vec<_> = shared.collect();
        assert!(shared.len() > 30, "{}: only {} crates are shared", chapter.package, shared.len());
        for (name, features, in_the_tool) in shared {
            assert_eq!(
                features, in_the_tool,
                "{name} has other features for {} than for `perf`: ask for the same ones in chapters/program/Cargo.toml",
                chapter.package
            );
        }
    }
}

/// Tests build programs: the guard's, as part of the workspace, and exercises, which depend on the contract. Their
/// dependencies are built already, because the tests depend on them too. A feature that only one of them asks for
/// would make it build twice.
#[test]
fn what_tests_build_stands_on_what_they_stand_on() {
    let tests = built("normal,build,dev", &["--workspace"]);
    let (counted, whole) = (crates("counted"), built("normal,build", &["--workspace"]));
    let guard = whole.iter().filter(|(name, _)| counted.contains_key(name));
    let exercises = built("normal,build", &["--package", "contract"]);
    let named: Vec<_> = guard.chain(&exercises).collect();
    assert!(named.len() > 50, "only {} crates are looked at", named.len());
    let is_known = |name: &str| AGAIN.iter().any(|known| name.starts_with(known));
    let anew: Vec<_> = named.into_iter().filter(|named| !tests.contains(named) && !is_known(&named.0)).collect();
    assert!(anew.is_empty(), "built again, because no test asks for the same features: {anew:#?}");
}

/// The tool is compiled quickly, and what it measures is compiled for speed: no crate of a chapter is compiled with
/// the tool's profile.
#[test]
fn what_is_measured_is_compiled_for_speed() {
    let manifest = fs::read_to_string(chapters::repository().join("Cargo.toml")).expect("the workspace has a manifest");
    let manifest: toml::Table = manifest.parse().expect("a sound manifest");
    let hurried = manifest["profile"]["release"]["package"].as_table().expect("the tool's packages");
    assert!(hurried.contains_key("perf"), "the tool is compiled for speed, so a reader has to wait for it");
    let catalogue = chapters::catalogue().expect("the manifests are sound");
    for chapter in catalogue.all() {
        for name in what_it_runs_on(chapter) {
            assert!(
                !hurried.contains_key(&name),
                "{} is built from {name}, which [profile.release] compiles quickly",
                chapter.package
            );
        }
    }
}

/// Everything that an engine is built from. A service also writes records with crates of the tool: for a service it
/// is what its own manifest names, except those.
fn what_it_runs_on(chapter: &Chapter) -> Vec<String> {
    if chapter.kind == Kind::Engine {
        return crates(&chapter.package).keys().filter_map(|name| name.split(' ').next()).map(str::to_owned).collect();
    }
    let manifest = chapters::repository().join("chapters").join(&chapter.folder).join("Cargo.toml");
    let manifest: toml::Table =
        fs::read_to_string(&manifest).expect("a chapter has a manifest").parse().expect("a sound manifest");
    let named = manifest["dependencies"].as_table().expect("a service has dependencies");
    named.keys().filter(|name| !FOR_RECORDS.contains(&name.as_str())).cloned().collect()
}
