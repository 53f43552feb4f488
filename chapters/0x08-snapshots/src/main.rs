//! `cargo run --release` in this folder runs the chapter's engine over a flow and says how fast it was.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    ch08::main()
}
