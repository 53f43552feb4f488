//! From a profiler's output to the picture, with a script in the profiler's place: its samples are the same every time.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// What `perf script` prints, two samples of a journal and one of a matching thread.
const STACKS: &str = "\
journal 7/9 1.000100: cpu-clock:
	ffffffff81000010 do_fsync+0x10 ([kernel.kallsyms])
	          500010 ch06::journal::sync+0x10 (/bin/ch06)
	          500020 std::thread::spawn+0x20 (/bin/ch06)

journal 7/9 1.001100: cpu-clock:
	ffffffff81000010 do_fsync+0x10 ([kernel.kallsyms])
	          500010 ch06::journal::sync+0x10 (/bin/ch06)
	          500020 std::thread::spawn+0x20 (/bin/ch06)

matching 7/8 1.001200: cpu-clock:
	          500030 ch06::book::fill+0x8 (/bin/ch06)
	          500020 std::thread::spawn+0x20 (/bin/ch06)

";

/// A program of the shell.
fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("the folder is writable");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("it is ours");
}

/// A profiler that starts the program as `perf record` does, or notes the process that it is to sample, and prints these
/// stacks as `perf script` does.
fn profiler(folder: &Path, stacks: &str) -> String {
    std::fs::write(folder.join("stacks"), stacks).expect("the folder is writable");
    let path = folder.join("profiler");
    script(
        &path,
        "case \"$*\" in script*period*) exit 4;; script*--fields*) exec cat \"$(dirname \"$0\")/stacks\";; esac\n\
         while [ \"$1\" != -- ]; do\n\
         [ \"$1\" != --pid ] || { echo \"$2\" > \"$(dirname \"$0\")/process\"; exit; }\n\
         shift; done; shift; exec \"$@\"",
    );
    path.display().to_string()
}

fn flame(profiler: &str, svg: &Path, program: &[&str]) -> (Option<i32>, String) {
    let mut flame = Command::new(env!("CARGO_BIN_EXE_flame"));
    flame.args(["--title", "a title", "--profiler", profiler, "--svg"]).arg(svg);
    ended(flame.arg("--").args(program))
}

fn ended(flame: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = flame.output().expect("it starts");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn functions_are_drawn_with_their_share_and_the_kernels_are_marked() {
    let folder = folder();
    let svg = folder.path().join("a.svg");
    let (code, words) = flame(&profiler(folder.path(), STACKS), &svg, &["true"]);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.starts_with("3 samples of the program's own functions and, in orange, the kernel's"), "{words}");
    let picture = std::fs::read_to_string(&svg).expect("it was written");
    for part in ["a title", "ch06::book::fill (1 samples, 33.33%)", "do_fsync (2 samples, 66.67%)", "all (3 samples"] {
        assert!(picture.contains(part), "no {part} in {picture}");
    }
    let color = |name: &str| -> Vec<u32> {
        let (_, rest) = picture.split_once(&format!("<title>{name} (")).expect("it is drawn");
        let (_, rest) = rest.split_once("fill=\"rgb(").expect("it has a color");
        rest.split(')')
            .next()
            .into_iter()
            .flat_map(|rgb| rgb.split(','))
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    let (kernel, own) = (color("do_fsync"), color("ch06::journal::sync"));
    assert!(kernel[0] > kernel[1] && own[0] == own[1], "orange is not yellow: {kernel:?} {own:?}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 3, "the samples do not stay");
}

#[test]
fn it_says_where_the_kernel_is_not_seen() {
    let folder = folder();
    let own: String = STACKS.lines().filter(|line| !line.contains("kernel")).map(|line| format!("{line}\n")).collect();
    let (code, words) = flame(&profiler(folder.path(), &own), &folder.path().join("a.svg"), &["true"]);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("own functions alone") && words.contains("perf_event_paranoid"), "{words}");
}

#[test]
fn failures_are_reported() {
    let folder = folder();
    let svg = folder.path().join("a.svg");
    let sound = profiler(folder.path(), STACKS);
    let none = folder.path().join("none").join("a.svg");
    let refusing = folder.path().join("refusing");
    script(&refusing, "echo perf_event_paranoid setting is 4: >&2; exit 255");
    let refusing = refusing.display().to_string();
    for (profiler, svg, program, expected, part) in [
        ("no-such-profiler", &svg, "true", 2, "linux-perf"),
        (&*sound, &svg, "false", 2, "stopped (exit status: 1)"),
        (&*sound, &none, "true", 3, "none"),
        (&*refusing, &svg, "true", 2, "the system does not let"),
    ] {
        let (code, words) = flame(profiler, svg, &[program]);
        assert_eq!(code, Some(expected), "{words}");
        assert!(words.contains(part), "{words}");
    }
    let empty = self::profiler(folder.path(), "");
    let (code, words) = flame(&empty, &svg, &["true"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("no sample") && !svg.exists(), "{words}");
}

#[test]
fn of_a_load_its_venue_is_sampled() {
    let folder = folder();
    let (svg, load) = (folder.path().join("a.svg"), folder.path().join("load"));
    let profiler = profiler(folder.path(), STACKS);
    script(&load, "[ \"$3\" = --tell-process ] || exit 5\necho \"$1\"\necho a table\nexit \"$2\"");
    // A load that was the limit itself ends with 1; its venue was busy all the same.
    for (process, end, expected) in [("99", "0", 0), ("99", "1", 0), ("99", "3", 2), ("", "0", 2)] {
        let _ = std::fs::remove_file(folder.path().join("process"));
        let line = if process.is_empty() { String::new() } else { format!("venue process {process}") };
        let mut flame = Command::new(env!("CARGO_BIN_EXE_flame"));
        flame.args(["--profiler", &profiler, "--venue", "--svg"]).arg(&svg).arg("--").arg(&load);
        let (code, words) = ended(flame.args([&*line, end]));
        assert_eq!(code, Some(expected), "{line} {end}: {words}");
        let sampled = std::fs::read_to_string(folder.path().join("process")).unwrap_or_default();
        assert_eq!(sampled.trim(), process, "{words}");
        assert_eq!(words.contains("a table\n3 samples"), expected == 0, "{words}");
        assert_eq!(words.contains("put no load on a venue"), expected == 2, "{words}");
    }
}

#[test]
fn without_a_program_it_sees_whether_it_may_sample() {
    let folder = folder();
    let check = |profiler: &str| ended(Command::new(env!("CARGO_BIN_EXE_flame")).args(["--profiler", profiler]));
    assert_eq!(check(&profiler(folder.path(), "")), (Some(0), String::new()));
    let (code, words) = check("no-such-profiler");
    assert!(code == Some(2) && words.contains("apt-get install linux-perf"), "{words}");
}
