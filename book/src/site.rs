//! Builds both languages through mdBook's own crates, in this process, into one site.
//!
//! `book.toml` at the root describes the English book, so that plain `mdbook build` works too; Chinese differs
//! in its page tree, its title and its language. mdBook logs its problems and carries on: here every warning
//! stops the build.

use crate::expand::Expand;
use crate::online;
use crate::problem::{Failure, Problem};
use crate::project::Project;
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use results::language::Language;
use serde::Deserialize;
use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::fs;
use std::io::ErrorKind;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The contents of `[preprocessor.book]`, besides mdBook's own keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Settings {
    zh_title: Option<String>,
    zh_description: Option<String>,
}

/// The folder to build into: new or empty, or one that a build made, because its contents are removed.
pub fn folder(output: &Path) -> Result<PathBuf, Failure> {
    let folder = std::path::absolute(output).map_err(|e| Failure::disk(output, e))?;
    let is_book = Language::ALL.iter().all(|lang| folder.join(lang.tag()).join("toc.html").is_file());
    let is_free = match fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(e) if e.kind() == ErrorKind::NotFound => true,
        Err(e) => return Err(Failure::disk(output, e)),
    };
    if is_book || is_free {
        return Ok(folder);
    }
    let shown = output.display();
    Err(Failure::Usage(format!("{shown} contains something other than the book; name a new or an empty folder")))
}

/// Builds the site into `dist`; if a page could not be expanded, the rest is built all the same.
pub fn build(project: &Project, dist: &Path) -> Result<(), Failure> {
    let mut problems = vec![];
    for file in online::FILES.map(|file| dist.join(file)).into_iter().filter(|file| file.exists()) {
        fs::remove_file(&file).map_err(|e| Failure::disk(&file, e))?;
    }
    // The languages in parallel: they are independent, and the user is waiting.
    let rendered = thread::scope(|threads| {
        let languages = Language::ALL.map(|lang| threads.spawn(move || render(project, lang, &dist.join(lang.tag()))));
        languages.map(|language| language.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    for language in rendered {
        problems.extend(language?);
    }
    let start = project.path("book/theme/start.html");
    let text = fs::read(&start).map_err(|e| Failure::disk(&start, e))?;
    let index = dist.join("index.html");
    fs::write(&index, text).map_err(|e| Failure::disk(&index, e))?;
    if problems.is_empty() { Ok(()) } else { Err(Failure::Problems(problems)) }
}

/// Builds one language; mistakes in pages are returned, and an error of mdBook is an error.
fn render(project: &Project, lang: Language, dist: &Path) -> Result<Vec<Problem>, Failure> {
    fs::create_dir_all(dist).map_err(|e| Failure::disk(dist, e))?;
    let config = config(project, lang, dist)?;
    let warnings = Warnings::default();
    let problems = Rc::new(RefCell::new(vec![]));
    let subscriber = tracing_subscriber::registry().with(warnings.clone());
    let expand = Expand::new(project, Rc::clone(&problems))?;
    let built = tracing::subscriber::with_default(subscriber, || {
        let mut book = MDBook::load_with_config(project.root(), config)?;
        book.with_preprocessor(expand);
        book.build()
    });
    let mut problems = problems.take();
    // A page that cannot be expanded also upsets mdBook's later steps; their messages would only distract.
    if problems.is_empty() {
        built.map_err(|e| Failure::Render(format!("{e:#}")))?;
        let summary = project.source(lang).join("SUMMARY.md");
        problems
            .extend(warnings.take().into_iter().map(|said| Problem::new(&summary, 1, format!("mdBook says: {said}"))));
    }
    Ok(problems)
}

fn unusable(reason: &mdbook_driver::errors::Error) -> Failure {
    Failure::Usage(format!("book.toml can't be used; fix it: {}", format!("{reason:#}").trim_end()))
}

fn config(project: &Project, lang: Language, dist: &Path) -> Result<Config, Failure> {
    let mut config = Config::from_disk(project.path("book.toml")).map_err(|e| unusable(&e))?;
    config.book.src = project.source(lang);
    config.book.language = Some(lang.html_tag().to_owned());
    config.build.build_dir = dist.to_path_buf();
    if lang == Language::Chinese {
        let settings: Settings = config.get("preprocessor.book").map_err(|e| unusable(&e))?.unwrap_or_default();
        config.book.title = settings.zh_title.or(config.book.title);
        config.book.description = settings.zh_description.or(config.book.description);
    }
    Ok(config)
}

/// Collects what mdBook logs at WARN and above.
#[derive(Debug, Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() <= Level::WARN {
            let mut message = Message(String::new());
            event.record(&mut message);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.0);
        }
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}
