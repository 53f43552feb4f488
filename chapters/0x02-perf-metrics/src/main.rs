//! `cargo run --release` in this folder runs the chapter's engine over a flow and reports how fast it
//! was.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    ch02::main()
}
