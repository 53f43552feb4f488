//! `flame --svg FILE.svg PROGRAM ARGUMENTS`: samples a program's stacks while it runs, and draws them as a flame graph.
//!
//! With `--venue` the program is a load, and what is sampled is the venue that it starts.
//!
//! It is a package of its own so that the ladder, which a reader waits for, is not built with what only this draws with.
#![forbid(unsafe_code)]

mod draw;
mod sample;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use program::{Verdict, print};
use results::error::MeasureError;

/// Samples a program while it runs, and draws where its cores were busy; without a program, sees whether it may
#[derive(Debug, Parser)]
struct Args {
    /// The picture's title
    #[arg(long, value_name = "WORDS", default_value = "")]
    title: String,
    /// The picture
    #[arg(long, value_name = "FILE.svg", requires = "program")]
    svg: Option<PathBuf>,
    /// Linux's perf, which takes the samples
    #[arg(long, value_name = "PROGRAM", default_value = "perf")]
    profiler: PathBuf,
    /// The program is a load, and its venue is sampled in its place
    #[arg(long)]
    venue: bool,
    /// The program, and its arguments
    #[arg(requires = "svg", trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

fn main() -> ExitCode {
    program::run(|args: Args| run(&args))
}

fn run(args: &Args) -> Result<Verdict, MeasureError> {
    let Some(svg) = &args.svg else {
        sample::check(&args.profiler)?;
        return Ok(Verdict::Yes);
    };
    let folder = svg.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stacks = match args.venue {
        false => sample::of_program(&args.profiler, &args.program, folder)?,
        true => sample::of_venue(&args.profiler, &args.program, folder)?,
    };
    let folded = draw::fold(&stacks)?;
    draw::draw(&folded.text, &args.title, svg)?;
    let kernel = match folded.is_with_kernel {
        true => "the program's own functions and, in orange, the kernel's",
        false => {
            "the program's own functions alone: this system shows the kernel's to root, or to all with \
             `sysctl kernel.perf_event_paranoid=1`"
        }
    };
    print(format_args!("{} samples of {kernel}\nflame graph  {}\n", folded.samples, svg.display()))?;
    Ok(Verdict::Yes)
}
