//! What a crate's modules use of each other, read from its text: every path that begins with `crate`, `super` or
//! `self` outside of comments and of `#[cfg(test)]` items. The text is as rustfmt writes it.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::Files;

/// A module's path in its crate: `["ladder", "rung"]`; the crate's root is empty.
pub type Module = Vec<String>;

/// One module that uses another, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The user.
    pub from: Module,
    /// The used module.
    pub to: Module,
    /// The file and the line.
    pub place: String,
}

/// A path as it is written, seen from its line's module.
struct Written {
    segments: Vec<String>,
    /// The name that a `use` gives it.
    name: Option<String>,
    line: usize,
}

/// A module's text without comments and tests, and the paths in it.
struct Source<'a> {
    file: &'a str,
    paths: Vec<Written>,
}

/// Everything that the modules of a crate use of each other. `folder` is its `src`, with `/`; `files` are the files
/// in it.
pub fn uses(folder: &str, files: &Files) -> (BTreeSet<Module>, Vec<Use>) {
    let mut sources = BTreeMap::new();
    let mut tests = BTreeSet::new();
    for (file, text) in files {
        let Some(module) = module_of(folder, file, files) else { continue };
        let code = without_tests(text);
        let here = |line: &&str| module_declared(line).is_some();
        let kept: BTreeSet<&str> = code.iter().map(String::as_str).filter(here).collect();
        for line in text.lines().filter(here).filter(|line| !kept.contains(line)) {
            tests.extend(module_declared(line).map(|name| [&module[..], &[name.to_owned()]].concat()));
        }
        sources.insert(module.clone(), Source { file, paths: paths(&module, &code) });
    }
    sources.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    let mut found = Vec::new();
    for (from, source) in &sources {
        for path in &source.paths {
            let to = resolve(&path.segments, &sources, 8);
            if to != *from {
                found.push(Use { from: from.clone(), to, place: format!("{}:{}", source.file, path.line) });
            }
        }
    }
    (sources.into_keys().collect(), found)
}

/// The module in a file; `None` for a program beside the library, which is a separate crate.
fn module_of(folder: &str, file: &str, files: &Files) -> Option<Module> {
    let path = file.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let has_library = files.contains_key(&format!("{folder}/lib.rs"));
    match path {
        "lib" => Some(Vec::new()),
        "main" => (!has_library).then(Vec::new),
        path if path.starts_with("bin/") => None,
        path => Some(path.strip_suffix("/mod").unwrap_or(path).split('/').map(str::to_owned).collect()),
    }
}

/// The name in `mod name;`, whatever comes before it.
fn module_declared(line: &str) -> Option<&str> {
    let (before, name) = line.trim().strip_suffix(';')?.rsplit_once(' ')?;
    before.ends_with("mod").then_some(name)
}

/// The lines of a text, with those of comments and tests emptied, so that line numbers stay the
/// same.
fn without_tests(text: &str) -> Vec<String> {
    let mut code = Vec::new();
    // While a test's item is skipped: its indentation, and whether its first line has been seen.
    let mut skipped: Option<(usize, bool)> = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        let is_code = skipped.is_none() && !trimmed.starts_with("#[cfg(test)]") && !trimmed.starts_with("//");
        code.push(if is_code { line.split(" //").next().unwrap_or_default().to_owned() } else { String::new() });
        match skipped {
            None if trimmed.starts_with("#[cfg(test)]") => skipped = Some((depth, false)),
            Some((item, begun)) if depth == item && !trimmed.starts_with("#[") && !trimmed.is_empty() => {
                let is_over = trimmed.ends_with(';') || trimmed == "}" || (!begun && trimmed.ends_with('}'));
                skipped = (!is_over).then_some((item, true));
            }
            _ => {}
        }
    }
    code
}

/// The paths in a module's code, each from the crate's root. Inside an inline module `super` is the file's own.
fn paths(module: &Module, code: &[String]) -> Vec<Written> {
    let mut found = Vec::new();
    let mut inline: Vec<(usize, String)> = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let depth = line.len() - line.trim_start().len();
        if inline.last().is_some_and(|(outer, _)| *outer == depth && line.trim() == "}") {
            inline.pop();
        }
        let names = inline.iter().map(|(_, name)| name.clone());
        let here: Module = module.iter().cloned().chain(names).collect();
        for start in path_starts(line) {
            // A `use` may span several lines; a path in code ends on its own.
            let rest = [&line[start..], &code[at + 1..].join("\n")].join("\n");
            let mut tree = Vec::new();
            read_tree(&rest, &[], &mut tree);
            let is_use = line[..start].trim_end().ends_with("use");
            let tree = if is_use { tree } else { tree.into_iter().take(1).collect() };
            found.extend(tree.into_iter().map(|path| Written {
                name: path.last().filter(|_| is_use).cloned(),
                segments: from_root(&here, &path),
                line: at + 1,
            }));
        }
        // What a module re-exports from a child needs no `self`: `pub use child::Name;`.
        if let Some(rest) = line.trim_start().strip_prefix("pub use ").filter(|rest| path_starts(rest).is_empty()) {
            let mut tree = Vec::new();
            read_tree(&[rest, &code[at + 1..].join("\n")].join("\n"), &[], &mut tree);
            let name = |path: &Vec<String>| path.last().cloned();
            found.extend(tree.into_iter().map(|path| Written {
                name: name(&path),
                segments: [&here[..], &path].concat(),
                line: at + 1,
            }));
        }
        if let Some(name) = line.trim().strip_suffix(" {").and_then(|line| line.rsplit_once("mod ")).map(|pair| pair.1)
        {
            inline.push((depth, name.to_owned()));
        }
    }
    found
}

/// Where in a line a path begins with `crate`, `super` or `self`.
fn path_starts(line: &str) -> Vec<usize> {
    // A macro's `$crate` is resolved where the macro is used.
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '"' | '`' | '$');
    let starts = ["crate::", "super::", "self::"].into_iter().flat_map(|word| line.match_indices(word));
    starts.map(|(at, _)| at).filter(|&at| !line[..at].ends_with(is_part)).collect()
}

/// Parses `a::b::{c, d::e}` into its paths, and returns what follows. `as` names are left out.
fn read_tree<'a>(text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = before.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            rest = group.trim_start();
            while !rest.starts_with('}') && !rest.is_empty() {
                let after = read_tree(rest, &path, found);
                let end = after.find([',', '}']).unwrap_or(after.len());
                rest = after[end..].trim_start_matches(',').trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(rest.len());
        path.extend((end > 0).then(|| rest[..end].to_owned()));
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(more) if end > 0 => rest = more,
            _ => break,
        }
    }
    found.push(path);
    rest
}

/// A written path from the crate's root, as seen from the module `here`.
fn from_root(here: &Module, path: &[String]) -> Vec<String> {
    let mut base = here.clone();
    let mut rest = path;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = more;
    }
    [&base[..], rest].concat()
}

/// The module that a path leads to. What a module only re-exports counts where it comes from.
fn resolve(path: &[String], sources: &BTreeMap<Module, Source<'_>>, hops: usize) -> Module {
    let lengths = (0..=path.len()).rev();
    let module = lengths.map(|length| &path[..length]).find(|path| sources.contains_key(*path)).unwrap_or_default();
    let Some(name) = path.get(module.len()).filter(|_| hops > 0) else { return module.to_vec() };
    let handed_on = sources.get(module).and_then(|source| {
        let is_it = |written: &&Written| written.name.as_ref() == Some(name) && written.segments != path;
        source.paths.iter().find(is_it)
    });
    match handed_on {
        Some(written) => resolve(&written.segments, sources, hops - 1),
        None => module.to_vec(),
    }
}
