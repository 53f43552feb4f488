//! What several subcommands say of themselves: how to repeat them, and where their output goes.

use std::path::{Path, PathBuf};

use results::chapters::repository;

/// The command that repeats this run, without the machine's folders.
pub fn command_line() -> String {
    let args: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -- {}", args.join(" ")).trim_end_matches([' ', '-']).to_string()
}

/// The folder for output: the one asked for, or the repository's own.
pub fn output_folder(asked: Option<&Path>) -> PathBuf {
    asked.map_or_else(|| repository().join("output"), Path::to_path_buf)
}
