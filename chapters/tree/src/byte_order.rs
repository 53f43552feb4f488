//! What is written to disk has the same bytes on every machine: nothing is converted in the machine's own byte
//! order.

use std::path::Path;

use crate::files::{crates, read};

/// How many source files there are, and which of them use the machine's own byte order.
pub fn check(root: &Path) -> (usize, Vec<String>) {
    // In two pieces, so that this file does not report itself.
    let native = ["to", "from"].map(|way| format!("{way}_ne_{}", "bytes"));
    let (mut files, mut problems) = (0, Vec::new());
    for folder in crates(root) {
        let rooms = ["src", "tests", "benches", "examples"].map(|room| format!("{folder}/{room}"));
        let mut sources = read(root, &rooms.each_ref().map(String::as_str));
        sources.retain(|path, _| path.ends_with(".rs"));
        files += sources.len();
        for (path, text) in &sources {
            let lines = text.lines().enumerate().filter(|(_, line)| native.iter().any(|name| line.contains(name)));
            problems.extend(lines.map(|(at, _)| {
                format!(
                    "{path}:{}: the bytes are in the machine's own order, so another machine reads something else.\n  \
                     Use `to_le_bytes` or `from_le_bytes`.",
                    at + 1
                )
            }));
        }
    }
    (files, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write;

    #[test]
    fn native_order_is_found() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let text = |order: &str| format!("fn f() {{\n    7_u32.to_{order}_bytes();\n}}\n");
        let (little, native) = (text("le"), text("ne"));
        write(dir.path(), &[("perf/Cargo.toml", ""), ("perf/src/a.rs", &little)]);
        assert_eq!(check(dir.path()), (1, Vec::new()));
        write(dir.path(), &[("perf/tests/b.rs", &native)]);
        let (files, problems) = check(dir.path());
        assert!(files == 2 && problems.len() == 1 && problems[0].starts_with("perf/tests/b.rs:2: "), "{problems:?}");
    }
}
