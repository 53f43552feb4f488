//! Files of an exercise: reading, writing and copying them, each with an error that says which.

use std::fs;
use std::path::Path;

use results::error::MeasureError;

/// A file's text.
///
/// # Errors
/// When it can't be read.
pub fn read(path: &Path) -> Result<String, MeasureError> {
    fs::read_to_string(path).map_err(|error| MeasureError::disk("read", path, &error))
}

/// Writes a file, and creates its folder.
///
/// # Errors
/// When it can't be written.
pub fn write(path: &Path, text: &str) -> Result<(), MeasureError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| MeasureError::disk("make the folder", folder, &error))?;
    }
    fs::write(path, text).map_err(|error| MeasureError::disk("write", path, &error))
}

/// Copies a folder of sources, each without the marks by which the book finds its listings.
///
/// # Errors
/// When one of them can't be read or written.
pub fn copy_sources(from: &Path, to: &Path) -> Result<(), MeasureError> {
    for name in names(from)? {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            copy_sources(&from, &to)?;
        } else {
            write(&to, &without_marks(&read(&from)?))?;
        }
    }
    Ok(())
}

/// The names of the files and folders in a folder, sorted.
///
/// # Errors
/// When it can't be read.
pub fn names(folder: &Path) -> Result<Vec<String>, MeasureError> {
    let unreadable = |error| MeasureError::disk("read", folder, &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The paths of all files in a folder and in those below it, sorted. They are relative to it, with `/`.
///
/// # Errors
/// When one of the folders can't be read.
pub fn below(folder: &Path) -> Result<Vec<String>, MeasureError> {
    let mut paths = Vec::new();
    for name in names(folder)? {
        let path = folder.join(&name);
        if path.is_dir() {
            paths.extend(below(&path)?.into_iter().map(|below| format!("{name}/{below}")));
        } else {
            paths.push(name);
        }
    }
    Ok(paths)
}

/// A source without the marks by which the book finds its listings.
pub fn without_marks(text: &str) -> String {
    let is_mark = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("// ANCHOR: ") || line.starts_with("// ANCHOR_END: ")
    };
    text.split_inclusive('\n').filter(|line| !is_mark(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_folders_below_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["lib.rs", "ladder/side.rs", "ladder/far/tree.rs", "book.rs"] {
            write(&folder.path().join(path), "").expect("written");
        }
        let found = below(folder.path()).expect("read");
        assert_eq!(found, ["book.rs", "ladder/far/tree.rs", "ladder/side.rs", "lib.rs"]);
    }
}
