//! `cargo run --release -p book -- build | serve | check | stamp | diff | preprocess`: the one tool of the book.
#![forbid(unsafe_code)]

use book::check;
use book::diff;
use book::expand::Expand;
use book::lang::Lang;
use book::problem::Failure;
use book::project::Project;
use book::serve;
use book::site;
use book::stamp;
use clap::{Parser, Subcommand};
use mdbook_preprocessor::{Preprocessor, parse_input};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

/// The book of Ninety-Nine Cents: both languages, bound to the code and to measured numbers.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build both languages into book/dist.
    Build,
    /// Build, show on 127.0.0.1, and build again when a source changes.
    Serve {
        /// The port; 0 takes a free one.
        #[arg(long, default_value_t = 3000)]
        port: u16,
    },
    /// Build, then list everything that is missing, stale, broken or typed by hand.
    Check,
    /// After a review of the Chinese: mark its sections as rendering today's English.
    Stamp {
        /// Pages to stamp, e.g. `preface`; all if none is named.
        pages: Vec<String>,
    },
    /// Print the diff between two neighbouring chapters.
    Diff {
        /// The chapter before, e.g. 0x03.
        before: String,
        /// The chapter after, e.g. 0x04.
        after: String,
        /// The language of the sentences: en or zh.
        #[arg(long, default_value = "en", value_parser = ["en", "zh"])]
        lang: String,
    },
    /// mdBook's preprocessor protocol, for plain `mdbook build`.
    #[command(hide = true)]
    Preprocess {
        /// `supports RENDERER`, or nothing to read a book from standard input.
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command) -> Result<u8, Failure> {
    let project = Project::find(&std::env::current_dir().map_err(|e| Failure::disk(Path::new("."), e))?)?;
    match command {
        Command::Build => {
            site::build(&project, &project.dist())?;
            println!("book/dist/index.html");
            Ok(0)
        }
        Command::Serve { port } => serve::serve(&project, port).map(|()| 0),
        Command::Check => run_check(&project),
        Command::Stamp { pages } => {
            let told = stamp::stamp(&project, &pages)?;
            told.iter().for_each(|line| println!("{line}"));
            println!("{} stamped", told.len());
            Ok(0)
        }
        Command::Diff { before, after, lang } => {
            let lang = if lang == "zh" { Lang::Zh } else { Lang::En };
            let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let chapters = project.chapters()?;
            let (before, after) = (chapters.find(&before)?, chapters.find(&after)?);
            let text = diff::terminal(&project, lang, before, after, colour).map_err(Failure::Usage)?;
            // A pager that was closed early is no failure.
            let _ = io::stdout().write_all(text.as_bytes());
            Ok(0)
        }
        Command::Preprocess { arguments } => preprocess(&project, &arguments),
    }
}

fn run_check(project: &Project) -> Result<u8, Failure> {
    let report = check::check(project, &project.dist())?;
    report.problems.iter().for_each(|problem| eprintln!("{problem}"));
    println!("{report}");
    Ok(u8::from(!report.problems.is_empty()))
}

fn preprocess(project: &Project, arguments: &[String]) -> Result<u8, Failure> {
    if let [word, renderer] = arguments {
        return Ok(u8::from(!(word == "supports" && renderer == "html")));
    }
    let (context, book) = parse_input(io::stdin()).map_err(|e| Failure::Usage(format!("{e:#}")))?;
    let problems = Rc::new(RefCell::new(vec![]));
    let expand = Expand::new(project, Rc::clone(&problems))?;
    let book = expand.run(&context, book).map_err(|e| Failure::Render(format!("{e:#}")))?;
    let problems = problems.take();
    if !problems.is_empty() {
        return Err(Failure::Problems(problems));
    }
    serde_json::to_writer(io::stdout(), &book).map_err(|e| Failure::Render(e.to_string()))?;
    Ok(0)
}
