//! The example in C, compiled with the system's compiler and run against the shared library.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SAYS: &str = "\
rested 101: 10 at 1000000
rested 102: 10 at 9223372036854775807
reduced 102 to 8
cancelled 102: 8, reason 2
rested 102: 8 at 1000007
filled 101 by 103: 10 at 1000000
filled 102 by 103: 4 at 1000007
rejected 102, reason 2
rested 104: 3 at -9223372036854775808
best ask 1000007 with 4
cancelled 102: 4, reason 1
rejected 102, reason 3
filled 104 by 105: 3 at -9223372036854775808
cancelled 105: 2, reason 4
bids left: 0, an invalid side: 0
13 events
";

/// The folder of this test, where cargo also puts the library.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test is a program");
    test.parent().expect("a program is in a folder").to_path_buf()
}

#[test]
fn the_example_in_c_runs() {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let has_compiler = Command::new(&compiler).arg("--version").output().is_ok_and(|ended| ended.status.success());
    if !cfg!(unix) || !has_compiler {
        assert!(env::var_os("CI").is_none(), "CI has to have a C compiler");
        eprintln!("skipped: there is no C compiler called {compiler}");
        return;
    }
    let (here, libraries) = (Path::new(env!("CARGO_MANIFEST_DIR")), library_folder());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("example");
    let mut compile = Command::new(&compiler);
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(here.join("include"));
    compile.arg(here.join("example.c")).arg("-o").arg(&program);
    compile.arg("-L").arg(&libraries).arg("-lany_price_c").arg(format!("-Wl,-rpath,{}", libraries.display()));
    let compiled = compile.output().expect("the compiler starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ended = Command::new(&program).output().expect("the example starts");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), SAYS);
    assert!(ended.status.success());
}
