//! For tests: a program's output when it is run for real, and how it ends when its output can't be written.
//!
//! A snapshot of the output is the same in every window and on every machine: folders, the system's own error texts
//! and the suffix of programs are replaced.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The whole output, as a reader in a window of 100 columns sees it: the command, what it printed, and its exit
/// code. Each of `folders` is replaced by the name given with it.
///
/// # Panics
/// When the program can't be started, or its output is not text.
pub fn said(command: &mut Command, folders: &[(&Path, &str)]) -> String {
    let ended = ended(command.env("COLUMNS", "100"));
    let program = Path::new(command.get_program()).file_stem().expect("a program has a name").to_string_lossy();
    let arguments = command.get_args().map(|argument| format!(" {}", argument.to_string_lossy()));
    let typed = format!("$ {program}{}\n", arguments.collect::<String>());
    let (stdout, stderr) = (text(ended.stdout), text(ended.stderr));
    let code = ended.status.code().map_or("a signal".into(), |code| code.to_string());
    let mut whole = format!("{typed}{stdout}--- stderr\n{stderr}--- exit {code}");
    if !std::env::consts::EXE_SUFFIX.is_empty() {
        whole = whole.replace(&format!("{program}{}", std::env::consts::EXE_SUFFIX), &program);
    }
    for (folder, name) in folders {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        whole = whole.replace(&real.display().to_string(), name).replace(&folder.display().to_string(), name);
    }
    whole.replace('\\', "/")
}

/// Each system has its own error text for a missing file.
fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).expect("programs write UTF-8");
    text.lines().map(|line| without_the_systems_words(line) + "\n").collect()
}

fn without_the_systems_words(line: &str) -> String {
    let Some((before, after)) = line.split_once(" (os error ") else { return line.to_owned() };
    let (kept, _) = before.rsplit_once(": ").unwrap_or((before, ""));
    let (_, after) = after.split_once(')').unwrap_or_default();
    format!("{kept}: WHY{after}")
}

/// Asserts that a program ends quietly when its reader closes the pipe.
///
/// # Panics
/// When it does not.
pub fn ends_quietly_on_a_closed_pipe(command: &mut Command) {
    let Output { status, stderr, .. } = ended(command.stdout(closed_pipe()));
    assert_eq!((status.code(), String::from_utf8_lossy(&stderr).as_ref()), (Some(0), ""), "{command:?}");
}

/// Asserts that a program whose output is on a full disk ends with 3 and an error message. Only on systems
/// that have a device for that.
///
/// # Panics
/// When it does not.
pub fn ends_with_a_sentence_on_a_full_disk(command: &mut Command) {
    let Some(full) = full_disk() else { return };
    let Output { status, stderr, .. } = ended(command.stdout(full));
    let stderr = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(3), "{command:?}: {stderr}");
    assert!(stderr.starts_with("error: could not write to standard output: "), "{command:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{command:?}: {stderr}");
}

/// Asserts that a program that can't print its error still ends with its exit code: its standard error is a
/// closed pipe, a full disk, and missing.
///
/// # Panics
/// When it does not.
pub fn ends_with_its_code_when_it_cannot_complain(command: &mut Command, code: i32) {
    assert_eq!(ended(command.stderr(closed_pipe())).status.code(), Some(code), "{command:?}, to a closed pipe");
    if let Some(full) = full_disk() {
        assert_eq!(ended(command.stderr(full)).status.code(), Some(code), "{command:?}, to a full disk");
    }
    if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 2>&-", "sh"]).arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            shell.current_dir(folder);
        }
        assert_eq!(ended(&mut shell).status.code(), Some(code), "{command:?}, to nothing");
    }
}

fn ended(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
}

/// A pipe whose reader is gone.
fn closed_pipe() -> Stdio {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A device that accepts nothing, like a full disk.
fn full_disk() -> Option<Stdio> {
    Some(std::fs::OpenOptions::new().write(true).open("/dev/full").ok()?.into())
}
