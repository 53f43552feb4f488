//! Captures the version of the compiler that builds this crate, because the machine that runs it
//! later may have another compiler, or none.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler)
        .arg("-V")
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    let version = match version.trim() {
        "" => "unknown",
        version => version,
    };
    println!("cargo::rustc-env=BUILT_BY={version}");
}
