//! Limits on every crate: how long a file and a function may be, and where `unsafe` is allowed.

use std::path::Path;

use crate::files::{self, Files, read};

/// A file has fewer lines than this.
const FILE_LINES_END: usize = 330;
/// A function has fewer lines than this, from its `fn` to its closing brace.
const FUNCTION_LINES_END: usize = 70;
/// The modules that may hold `unsafe`, by the crate's folder. All other crates forbid it.
const UNSAFE_MODULES: [(&str, &[&str]); 4] = [
    ("chapters/0x06-pinned-ring", &["memory", "ring"]),
    ("chapters/0x07-sharding", &["memory", "ring"]),
    ("chapters/0x08-snapshots", &["memory", "ring"]),
    // The C caller promises what Rust can't check.
    ("chapters/0x0f-any-price/c", &["ffi"]),
];

/// The folders of all crates, relative to the root.
fn crates(root: &Path) -> Vec<String> {
    // The fuzz targets are one line of glue each, which a C library calls and which can't be safe Rust.
    files::crates(root).into_iter().filter(|folder| folder != "fuzz").collect()
}

/// The Rust files of a crate in these of its folders.
fn sources(root: &Path, folder: &str, rooms: &[&str]) -> Files {
    let rooms: Vec<String> = rooms.iter().map(|room| format!("{folder}/{room}")).collect();
    let mut files = read(root, &rooms.iter().map(String::as_str).collect::<Vec<_>>());
    files.retain(|path, _| path.ends_with(".rs"));
    files
}

/// How many source files there are, and which files or functions are too long.
pub fn sizes(root: &Path) -> (usize, Vec<String>) {
    let rooms = ["src", "tests", "benches", "examples"];
    let files: Files = crates(root).iter().flat_map(|folder| sources(root, folder, &rooms)).collect();
    let mut problems = Vec::new();
    for (path, text) in &files {
        let lines = text.lines().count();
        if lines >= FILE_LINES_END {
            problems.push(format!(
                "{path} has {lines} lines; fewer than {FILE_LINES_END} are allowed.\n  Move a part of it into its \
                 own file, named after what it contains."
            ));
        }
        for (line, lines) in functions(text).into_iter().filter(|(_, lines)| *lines >= FUNCTION_LINES_END) {
            problems.push(format!(
                "{path}:{line}: this function has {lines} lines; fewer than {FUNCTION_LINES_END} are allowed.\n  \
                 Leave the control flow in it and move straight work into a function of its own."
            ));
        }
    }
    (files.len(), problems)
}

/// Each function's first line, from 1, and its number of lines. The text is as rustfmt writes it: a body ends at the
/// first brace on its own line with the indentation of its `fn`.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_function(line)) {
        // The signature may take several lines; a `;` or a `}` at its end means that there is no body.
        let signature_ends = |line: &&str| line.ends_with(['{', ';', '}']);
        let Some(signature) = lines[at..].iter().position(signature_ends) else { continue };
        if lines[at + signature].ends_with('{') {
            let closing = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
            let length = lines[at..].iter().position(|line| *line == closing).map_or(lines.len() - at, |end| end + 1);
            found.push((at + 1, length));
        }
    }
    found
}

fn is_function(line: &str) -> bool {
    let words = line.trim_start().split(' ');
    let is_qualifier = |word: &&str| matches!(*word, "const" | "async" | "unsafe" | "extern" | "\"C\"");
    let mut words = words.skip_while(|word| word.starts_with("pub") || is_qualifier(word) || *word == "in");
    words.next() == Some("fn")
}

/// How many crates there are, and which of them allow `unsafe` where it does not belong.
pub fn unsafe_code(root: &Path) -> (usize, Vec<String>) {
    let crates = crates(root);
    let problems = crates.iter().flat_map(|folder| unsafe_in(folder, &sources(root, folder, &["src"]))).collect();
    (crates.len(), problems)
}

fn unsafe_in(folder: &str, files: &Files) -> Vec<String> {
    let lib = format!("{folder}/src/lib.rs");
    let top = if files.contains_key(&lib) { lib } else { format!("{folder}/src/main.rs") };
    let exception = UNSAFE_MODULES.iter().find(|(named, _)| *named == folder);
    let (rule, modules) = exception.map_or(("#![forbid(unsafe_code)]", &[][..]), |e| ("#![deny(unsafe_code)]", e.1));
    let mut problems = Vec::new();
    if !files.get(&top).is_some_and(|text| text.lines().any(|line| line.starts_with(rule))) {
        problems.push(format!("{top} does not say `{rule}`.\n  Add it below the crate's opening comment."));
    }
    for (path, text) in files {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| allows_unsafe(line)) {
            let next = text.lines().nth(at + 1).unwrap_or_default();
            let is_named = modules.iter().any(|module| next == format!("pub mod {module};"));
            if !(*path == top && line == "#[allow(unsafe_code)]" && is_named) {
                problems.push(format!(
                    "{path}:{}: `unsafe` is allowed here, but only the ring, its memory and the calls from C may \
                     have it.\n  Write it without, or add the module to UNSAFE_MODULES with the reason.",
                    at + 1
                ));
            }
        }
    }
    // The rule above is the library's; a program beside it is a separate crate. And what is allowed in a module must
    // not extend to the files below it.
    let module = |path: &str| modules.iter().any(|module| path == format!("{folder}/src/{module}.rs"));
    for (path, text) in files.iter().filter(|(path, _)| !module(path)) {
        if let Some(at) = text.lines().position(says_unsafe) {
            problems.push(format!(
                "{path}:{}: there is `unsafe` here, but only the ring, its memory and the calls from C may have it.",
                at + 1
            ));
        }
    }
    problems
}

/// Whether a line is an attribute that allows it.
fn allows_unsafe(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') && line.contains("allow(unsafe_code)")
}

/// Whether a line of code, not of comment or of text, has the keyword.
fn says_unsafe(line: &str) -> bool {
    let line = line.replace("\\\"", "");
    // Quoted text is every second part.
    let code: String = line.split("//").next().unwrap_or_default().split('"').step_by(2).collect();
    code.match_indices("unsafe").any(|(at, word)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && [" {", " fn ", " impl", " trait ", " extern ", "("].iter().any(|what| after.starts_with(what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write;

    #[test]
    fn crates_inside_others_are_found() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let manifests = [
            "chapters/lab/Cargo.toml",
            "chapters/lab/work/Cargo.toml",
            "fuzz/Cargo.toml",
            "perf/Cargo.toml",
            "perf/results/Cargo.toml",
        ];
        write(dir.path(), &manifests.map(|path| (path, "")));
        write(dir.path(), &[("Cargo.toml", ""), ("target/package/x/Cargo.toml", "")]);
        assert_eq!(crates(dir.path()), ["chapters/lab", "chapters/lab/work", "perf", "perf/results"]);
    }

    #[test]
    fn functions_are_measured_from_fn_to_brace() {
        let text = "pub(crate) const fn one(\n    a: u8,\n) -> u8 {\n    if a > 1 {\n    }\n    a\n}\n\
                    trait T {\n    fn two(&self);\n    fn three() {}\n    async fn four() {\n    }\n}\n";
        assert_eq!(functions(text), [(1, 7), (11, 2)]);
    }

    #[test]
    fn long_files_and_functions_are_named() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    x();\n".repeat(lines - 2));
        let manifest = ("perf/Cargo.toml", "");
        let fine = function(FUNCTION_LINES_END - 1);
        write(dir.path(), &[manifest, ("perf/src/fine.rs", &fine), ("perf/src/edge.rs", &"x\n".repeat(329))]);
        assert_eq!(sizes(dir.path()), (2, Vec::new()));

        let long = function(FUNCTION_LINES_END);
        write(dir.path(), &[("perf/src/fine.rs", &long), ("perf/src/edge.rs", &"x\n".repeat(330))]);
        let elsewhere = ["perf/benches/b.rs", "perf/examples/e/main.rs", "perf/tests/t.rs"];
        write(dir.path(), &elsewhere.map(|path| (path, &*long)));
        let problems = sizes(dir.path()).1;
        assert!(problems[2].starts_with("perf/src/edge.rs has 330 lines"), "{problems:?}");
        for (at, path) in [(0, elsewhere[0]), (1, elsewhere[1]), (3, "perf/src/fine.rs"), (4, elsewhere[2])] {
            assert!(problems[at].starts_with(&format!("{path}:1: this function has 70 lines")), "{problems:?}");
        }
    }

    #[test]
    fn the_keyword_is_distinguished_from_the_word() {
        for code in [
            "let x = unsafe { y };",
            "pub unsafe fn take() {}",
            "unsafe impl Sync for X {}",
            "unsafe impl<T> Sync for X<T> {}",
            "unsafe trait T {}",
            "unsafe extern \"C\" {}",
            "#[unsafe(no_mangle)]",
        ] {
            assert!(says_unsafe(code), "{code}");
        }
        for word in
            ["// unsafe { y }", "let text = \"an unsafe word\";", "#![forbid(unsafe_code)]", "fn says_unsafe(x: u8)"]
        {
            assert!(!says_unsafe(word), "{word}");
        }
    }

    #[test]
    fn unsafe_code_is_found() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let ring = "#![deny(unsafe_code)] // but for the ring\n#[allow(unsafe_code)]\npub mod ring;\n";
        write(
            dir.path(),
            &[
                ("perf/Cargo.toml", ""),
                ("perf/src/main.rs", "#![forbid(unsafe_code)]\n"),
                ("chapters/0x06-pinned-ring/Cargo.toml", ""),
                ("chapters/0x06-pinned-ring/src/lib.rs", ring),
            ],
        );
        assert_eq!(unsafe_code(dir.path()), (2, Vec::new()));

        let elsewhere = ring.replace("pub mod ring", "pub mod book");
        write(
            dir.path(),
            &[("perf/src/main.rs", "fn main() {}\n"), ("chapters/0x06-pinned-ring/src/lib.rs", &elsewhere)],
        );
        let problems = unsafe_code(dir.path()).1;
        assert!(problems[0].starts_with("chapters/0x06-pinned-ring/src/lib.rs:2: `unsafe` is allowed"), "{problems:?}");
        assert!(problems[1].starts_with("perf/src/main.rs does not say `#![forbid(unsafe_code)]`"), "{problems:?}");

        let in_main = [("perf/src/main.rs", "#![forbid(unsafe_code)]\n// unsafe\nfn main() { unsafe {} }\n")];
        write(dir.path(), &in_main);
        let problems = unsafe_code(dir.path()).1;
        assert!(problems[1].starts_with("perf/src/main.rs:3: there is `unsafe` here"), "{problems:?}");
    }
}
