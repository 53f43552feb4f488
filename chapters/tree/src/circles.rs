//! There are no circles: no module of a crate uses a module that uses it, and no crate either, including for
//! development.
//!
//! A parent may use its children, so a child that uses what its parent defines closes a circle. What a parent only
//! re-exports (`pub use`) counts where it was defined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::files::{crates, read};
use crate::uses::{Module, uses};

/// Which crate must not depend on which, not even indirectly. A circle is found without this list.
const APART: [(&str, &str); 5] =
    [("lab", "perf"), ("results", "perf"), ("book", "perf"), ("runner", "contract"), ("market", "runner")];

/// Which node uses which, and where.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// How many modules there are, and the circles among them.
pub fn modules(root: &Path) -> (usize, Vec<String>) {
    let (mut count, mut problems) = (0, Vec::new());
    for folder in crates(root) {
        let src = format!("{folder}/src");
        let mut files = read(root, &[&src]);
        files.retain(|path, _| path.ends_with(".rs"));
        let (modules, uses) = uses(&src, &files);
        count += modules.len();
        let mut graph = Graph::new();
        for module in modules.iter().filter(|module| !module.is_empty()) {
            let parent = name(&module[..module.len() - 1]);
            graph.entry(parent).or_default().insert(name(module), "it is its parent".into());
        }
        for one in uses {
            graph.entry(name(&one.from)).or_default().entry(name(&one.to)).or_insert(one.place);
        }
        problems.extend(circles(&graph).into_iter().map(|circle| {
            format!("{src} has a circle:\n{circle}\n  Move what both sides use into a module of its own, below them.")
        }));
    }
    (count, problems)
}

/// `ladder::rung`, or `crate` for a crate's root.
fn name(module: &[String]) -> String {
    if module.is_empty() { "crate".into() } else { Module::from(module).join("::") }
}

/// How many crates there are, the circles among them, and crates that depend on a forbidden one.
pub fn dependencies(root: &Path) -> (usize, Vec<String>) {
    let mut manifests = BTreeMap::new();
    let mut problems = Vec::new();
    for folder in crates(root) {
        let path = format!("{folder}/Cargo.toml");
        let text = std::fs::read_to_string(root.join(&path)).map_err(|error| error.to_string());
        match text.and_then(|text| text.parse::<toml::Table>().map_err(|error| error.to_string())) {
            Ok(manifest) => {
                let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
                let package = package.unwrap_or(&folder).to_owned();
                manifests.insert(package, (path, manifest));
            }
            Err(error) => problems.push(format!("{path}: {error}")),
        }
    }
    let mut graph = Graph::new();
    for (package, (path, manifest)) in &manifests {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let names = manifest.get(kind).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            for used in names.filter(|used| manifests.contains_key(*used)) {
                let place = format!("{path}, [{kind}]");
                graph.entry(package.clone()).or_default().entry(used.clone()).or_insert(place);
            }
        }
    }
    let say = |circle| {
        format!("crates depend on each other in a circle:\n{circle}\n  Move what both need into a crate below them.")
    };
    problems.extend(circles(&graph).into_iter().map(say));
    for (one, other) in APART {
        if let Some(way) = way(&graph, one, other) {
            problems.push(format!("{one} depends on {other}:\n{}\n  It must not.", told(&graph, &way)));
        }
    }
    (manifests.len(), problems)
}

/// The shortest circle through each node that is in one, each circle once.
fn circles(graph: &Graph) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for node in graph.keys() {
        let Some(circle) = way(graph, node, node) else { continue };
        if circle.iter().any(|node| !seen.contains(node)) {
            found.push(told(graph, &circle));
        }
        seen.extend(circle);
    }
    found
}

/// The shortest path from one node to another, at least one step long, including both.
fn way(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut visited = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in way.last().and_then(|last| graph.get(last)).into_iter().flat_map(BTreeMap::keys) {
                let way = [&way[..], std::slice::from_ref(next)].concat();
                if next == to {
                    return Some(way);
                }
                if visited.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

/// A path as text, one line for each step.
fn told(graph: &Graph, way: &[String]) -> String {
    let step = |pair: &[String]| {
        let place = graph.get(&pair[0]).and_then(|uses| uses.get(&pair[1])).map_or("", String::as_str);
        format!("    {} uses {} ({place})", pair[0], pair[1])
    };
    way.windows(2).map(step).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write;

    /// The circles among the modules of a made-up crate.
    fn among(files: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a temporary folder");
        write(dir.path(), &[("one/Cargo.toml", "[package]\nname = \"one\"\n")]);
        write(&dir.path().join("one/src"), files);
        modules(dir.path()).1.join("\n")
    }

    #[test]
    fn a_ladder_of_modules_is_fine() {
        let lib = ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::One;\n");
        let a = ("a.rs", "use crate::b::{self, Two};\nuse crate::{\n    c::Three,\n};\n");
        let c = ("c.rs", "//! See [`crate::a`].\nfn c() {} // not crate::a::One\n");
        assert_eq!(among(&[lib, a, ("b.rs", "use crate::c;\n"), c]), "");
    }

    #[test]
    fn two_modules_that_use_each_other_are_reported_with_their_lines() {
        let found = among(&[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "\nuse super::b;\n"),
            ("b.rs", "fn b() {\n    crate::a::f();\n}\n"),
        ]);
        assert!(found.contains("a uses b (one/src/a.rs:2)") && found.contains("b uses a (one/src/b.rs:2)"), "{found}");
        let grouped = [
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "use crate::{\n    other,\n    b::{X, Y as Z},\n};\n"),
            ("b.rs", "use crate::{other::{One, Two}, a};\n"),
        ];
        assert!(among(&grouped).contains("one/src/b.rs:1"));
    }

    #[test]
    fn a_longer_circle_is_reported_once() {
        let found = among(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "use crate::b;\n"),
            ("b.rs", "use crate::c;\n"),
            ("c.rs", "use crate::a;\n"),
        ]);
        assert_eq!(found.matches("has a circle").count(), 1, "{found}");
        assert_eq!(found.matches(" uses ").count(), 3, "{found}");
    }

    #[test]
    fn a_child_may_not_use_its_parent_and_may_use_its_siblings() {
        let lib = ("lib.rs", "mod a;\n");
        let parent = ("a.rs", "mod b;\nmod c;\nuse b::B;\npub use self::c::C;\npub struct Own;\n");
        let fine = [lib, parent, ("a/b.rs", "use super::c::C;\nuse super::C as D;\n"), ("a/c.rs", "")];
        assert_eq!(among(&fine), "");
        for child in ["use super::Own;\n", "use crate::a::Own;\n", "use super::*;\n"] {
            let found = among(&[lib, parent, ("a/b.rs", child), ("a/c.rs", "")]);
            assert!(found.contains("a::b uses a (one/src/a/b.rs:1)"), "{child}{found}");
        }
        let found = among(&[("main.rs", "mod a;\npub struct Own;\n"), ("a.rs", "use crate::Own;\n")]);
        assert!(found.contains("a uses crate"), "{found}");
    }

    #[test]
    fn tests_inline_modules_and_programs_beside_a_library_are_no_circles() {
        let tests = "pub struct A;\n\n#[cfg(test)]\npub(crate) fn only(\n    a: u8,\n) {\n    crate::a::f();\n}\n\n\
                     mod platform {\n    use super::*;\n}\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n\n    fn x() {\n    }\n}\n";
        let files = [
            ("lib.rs", "pub mod a;\nmod b;\n"),
            ("main.rs", "use crate::a;\nmod a {}\n"),
            ("a.rs", "use crate::b;\n\n#[cfg(test)]\nmod more;\n"),
            ("a/more.rs", "use super::*;\nuse crate::b;\n"),
            ("b.rs", tests),
        ];
        assert_eq!(among(&files), "");
        let after = format!("{tests}use crate::a;\n");
        let found = among(&[files[0], files[2], ("b.rs", &after)]);
        assert!(found.contains("b uses a (one/src/b.rs:21)"), "what follows the tests counts: {found}");
    }

    /// The problems of made-up crates that depend on each other like this.
    fn between(crates: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for (name, manifest) in crates {
            let manifest = format!("[package]\nname = \"{name}\"\n{manifest}");
            write(dir.path(), &[(&format!("chapters/{name}/Cargo.toml"), &manifest)]);
        }
        dependencies(dir.path()).1.join("\n")
    }

    #[test]
    fn crates_that_use_each_other_are_reported() {
        let (market, runner) =
            (("market", "[dependencies]\nserde = \"1\"\n"), ("runner", "[dependencies]\nmarket.workspace = true\n"));
        assert_eq!(between(&[market, runner]), "");
        let itself = between(&[("market", "[dev-dependencies]\nmarket = { path = \".\" }\n")]);
        assert!(itself.contains("market uses market (chapters/market/Cargo.toml, [dev-dependencies])"), "{itself}");
        let back = between(&[("market", "[dev-dependencies]\nrunner.workspace = true\n"), runner]);
        assert!(
            back.contains("crates depend on each other in a circle") && back.contains("market depends on runner"),
            "{back}"
        );
    }

    #[test]
    fn what_has_to_be_apart_is_not_reached_through_others_either() {
        let found = between(&[
            ("lab", "[dependencies]\nmiddle = \"1\"\n"),
            ("middle", "[dependencies]\nperf = \"1\"\n"),
            ("perf", ""),
        ]);
        assert!(found.contains("lab depends on perf") && found.contains("middle uses perf"), "{found}");
    }
}
