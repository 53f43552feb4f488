//! What several subcommands print about themselves: how to repeat them.

/// The command that repeats this run, without this machine's folders.
pub fn command_line() -> String {
    let args: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -- {}", args.join(" ")).trim_end_matches([' ', '-']).to_string()
}
