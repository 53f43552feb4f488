//! `cargo run --profile book -p book -- build | serve | check | stamp | diff | preprocess`: the one tool of the book.
#![forbid(unsafe_code)]

use book::check;
use book::diff;
use book::expand::Expand;
use book::online::{self, Address, Online};
use book::problem::Failure;
use book::project::Project;
use book::serve;
use book::site;
use book::stamp;
use clap::{Parser, Subcommand};
use mdbook_preprocessor::{Preprocessor, parse_input};
use program::{Verdict, print, tell};
use results::language::Language;
use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
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
    /// Build both languages into book/dist, or elsewhere; with --site-url, as a folder to put online.
    Build {
        /// The address at which the folder will be served, e.g. https://example.org/cents: adds what search engines,
        /// link previews, missing pages and offline reading need.
        #[arg(long, value_name = "URL")]
        site_url: Option<Address>,
        /// The repository's address, e.g. https://github.com/you/cents: each page then links its source file.
        #[arg(long, value_name = "URL")]
        repository: Option<Address>,
        /// The folder to build instead of book/dist: a new or an empty one, or one that holds the book.
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Build, show on 127.0.0.1, and rebuild when a source changes.
    Serve {
        /// The port; 0 chooses a free one.
        #[arg(long, default_value_t = 3000)]
        port: u16,
    },
    /// Build, then list everything that is missing, stale, broken or typed by hand.
    Check,
    /// After a review of the Chinese: mark its sections as translating today's English.
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
        /// The language of the sentences.
        #[arg(long, default_value = "en")]
        lang: Language,
    },
    /// mdBook's preprocessor protocol, for plain `mdbook build`.
    #[command(hide = true)]
    Preprocess {
        /// `supports RENDERER`, or nothing to read a book from standard input.
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    program::run(|arguments: Arguments| run(arguments.command))
}

fn run(command: Command) -> Result<Verdict, Failure> {
    let project = Project::find(&std::env::current_dir().map_err(|e| Failure::disk(Path::new("."), e))?)?;
    match command {
        Command::Build { site_url, repository, output } => {
            let dist = output.as_deref().map_or_else(|| Ok(project.dist()), site::folder)?;
            site::build(&project, &dist)?;
            online::publish(&project, &dist, &Online { site: site_url, repository })?;
            let shown = output.unwrap_or_else(|| PathBuf::from("book/dist"));
            print(format_args!("{}\n", shown.join("index.html").display()))?;
        }
        Command::Serve { port } => serve::serve(&project, port)?,
        Command::Check => return run_check(&project),
        Command::Stamp { pages } => {
            let told = stamp::stamp(&project, &pages)?;
            for line in &told {
                print(format_args!("{line}\n"))?;
            }
            print(format_args!("{} stamped\n", told.len()))?;
        }
        Command::Diff { before, after, lang } => {
            let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let chapters = project.chapters()?;
            let (before, after) = (chapters.find(&before)?, chapters.find(&after)?);
            let text = diff::terminal(&project, lang, before, after, colour).map_err(Failure::Usage)?;
            print(format_args!("{text}"))?;
        }
        Command::Preprocess { arguments } => return preprocess(&project, &arguments),
    }
    Ok(Verdict::Yes)
}

fn run_check(project: &Project) -> Result<Verdict, Failure> {
    let report = check::check(project, &project.dist())?;
    report.problems.iter().for_each(|problem| tell(format_args!("{problem}")));
    print(format_args!("{report}\n"))?;
    Ok(report.problems.is_empty().into())
}

fn preprocess(project: &Project, arguments: &[String]) -> Result<Verdict, Failure> {
    if let [word, renderer] = arguments {
        return Ok((word == "supports" && renderer == "html").into());
    }
    let (context, book) = parse_input(io::stdin()).map_err(|e| {
        Failure::Usage(format!("standard input holds no mdBook book: {e:#}; mdBook calls this, you want `build`"))
    })?;
    let problems = Rc::new(RefCell::new(vec![]));
    let expand = Expand::new(project, Rc::clone(&problems))?;
    let book = expand.run(&context, book).map_err(|e| Failure::Render(format!("{e:#}")))?;
    let problems = problems.take();
    if !problems.is_empty() {
        return Err(Failure::Problems(problems));
    }
    let text = serde_json::to_string(&book).map_err(|e| Failure::Render(e.to_string()))?;
    print(format_args!("{text}"))?;
    Ok(Verdict::Yes)
}
