//! Measures this chapter's engines: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use any_price::measure::args::Args;
use any_price::measure::run::{engines, run};

fn main() -> ExitCode {
    program::run(|args: Args| run(&args, engines(), "any-price.json", "cargo run --release"))
}
