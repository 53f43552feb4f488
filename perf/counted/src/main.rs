//! The program that the guard runs: it does one piece of work a given number of times, so that valgrind can count its
//! instructions. `cargo run --release -- guard` builds and runs it; it has no other use.
//!
//! ```text
//! counted list               the compiler, then a line for each work: its name, its unit, how often to count it
//! counted run NAME TIMES     does the work of that name
//! counted slowed NAME TIMES  the same, with every 20th time done twice: 5 % more
//! counted ratios             how many times as fast one chapter is as another, by the clock
//! ```
//!
//! Each work prepares for the maximum number of times, whatever TIMES is. So the difference between two runs is the
//! work itself, and nothing before or after it.
#![forbid(unsafe_code)]

mod disk;
mod engines;
mod layers;
mod ratios;
mod work;

use std::process::ExitCode;

use program::{Unprinted, Verdict, print, tell};
use work::{TIMES_MAX, Work};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["list"] => program::end(list()),
        ["ratios"] => program::end(ratios::print_all()),
        [way @ ("run" | "slowed"), name, times] => run(name, times, way == "slowed"),
        _ => {
            tell(format_args!("usage: counted list | ratios | run NAME TIMES | slowed NAME TIMES"));
            ExitCode::from(2)
        }
    }
}

fn list() -> Result<Verdict, Unprinted> {
    print(format_args!("{}\n", results::machine::COMPILER))?;
    for work in works() {
        print(format_args!("{}\t{}\t{}\n", work.name, work.unit, work.rounds))?;
    }
    Ok(Verdict::Yes)
}

fn works() -> impl Iterator<Item = &'static Work> {
    engines::WORKS.iter().chain(layers::WORKS)
}

fn run(name: &str, times: &str, slowed: bool) -> ExitCode {
    let wanted = times.parse().ok().filter(|times| *times <= TIMES_MAX);
    let (Some(work), Some(times)) = (works().find(|work| work.name == name), wanted) else {
        tell(format_args!(
            "error: there is no work {name:?}, or {times:?} is not a number up to {TIMES_MAX}: see `counted list`"
        ));
        return ExitCode::from(2);
    };
    let again = |n: usize| 1 + usize::from(slowed && n.is_multiple_of(20));
    // The whole list is made even if only part of it is used, so that making it is no part of the
    // difference.
    let numbers: Vec<usize> = (0..TIMES_MAX).flat_map(|n| std::iter::repeat_n(n, again(n))).collect();
    let end = numbers.partition_point(|&n| n < times);
    (work.run)(&numbers[..end]);
    ExitCode::SUCCESS
}
