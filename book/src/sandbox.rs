//! `{{sandbox rain}}`: a market that answers, in the page.
//!
//! `book/sandboxes/rain.toml` defines the traders, the example, and the questions. The page's contents are made here,
//! by the reference model: a still picture of one moment, and every question with its answer. A reader without
//! scripts sees that, and it is what is printed. `book/theme/sandbox.js` replaces it with a market to play with; it
//! uses the same words and commands, which the element carries.

mod commands;
mod still;
mod tell;

use crate::html::escape;
use crate::project::{Project, sorted};
use crate::sandbox::commands::command;
use crate::sandbox::tell::Teller;
use crate::sentences::Sentence;
use crate::sources::Sources;
use crate::words::Words;
use market::model::Model;
use market::state::MarketState;
use market::{AccountId, Cents, Command, Event, MarketId};
use results::language::Language;
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "book/sandboxes";

/// The words that all sandboxes share.
const WORDS: &str = "words.toml";

/// The one market of a sandbox.
const MARKET: MarketId = MarketId(1);

/// A sandbox as its file describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sandbox {
    /// What each account deposits first, in cents.
    cash: u64,
    /// The accounts' names; they are numbered from 1.
    accounts: Vec<Sentence>,
    /// The commands of the page's example.
    story: Vec<String>,
    /// After how many of them the still picture is taken.
    still: usize,
    /// The questions.
    situation: Vec<Situation>,
}

/// What happens if?
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Situation {
    /// The question's id in the page, after the sandbox's name.
    id: String,
    /// The question in English.
    en: String,
    /// The question in Chinese.
    zh: String,
    /// The commands before it; the last is the one in question.
    commands: Vec<String>,
}

/// `{{sandbox NAME}}`.
pub fn sandbox(s: &Sources, lang: Language, name: &str) -> Result<String, String> {
    let file = file(name);
    let sandbox = read(&s.project, &file)?;
    let words = Words::read(&s.project, &Path::new(FOLDER).join(WORDS), lang)?;
    let names = sandbox.accounts.iter().map(|account| lang.pick(&account.en, &account.zh).clone()).collect();
    let teller = Teller { words: &words, names };
    section(&sandbox, name, lang, &teller).map_err(|reason| format!("{}: {reason}", file.display()))
}

/// The sandboxes' files, relative to the root, without the words.
pub fn files(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.path(FOLDER)).into_iter().flatten().flatten();
    let names = entries.map(|entry| Path::new(FOLDER).join(entry.file_name()));
    sorted(names.filter(|file| file.extension().is_some_and(|e| e == "toml") && !file.ends_with(WORDS)))
}

/// The Chinese of a sandbox and of the words that all share, each with its file.
pub fn chinese(project: &Project) -> Result<Vec<(PathBuf, String)>, String> {
    let mut found = Vec::new();
    for file in files(project) {
        let Sandbox { accounts, situation, .. } = read(project, &file)?;
        let names = accounts.into_iter().map(|account| account.zh);
        let told = names.chain(situation.into_iter().map(|situation| situation.zh));
        found.extend(told.map(|text| (file.clone(), text)));
    }
    if !found.is_empty() {
        let file = Path::new(FOLDER).join(WORDS);
        let words = Words::read(project, &file, Language::Chinese)?;
        found.extend(words.all().map(|text| (file.clone(), text.to_owned())));
    }
    Ok(found)
}

fn file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.toml"))
}

fn read(project: &Project, file: &Path) -> Result<Sandbox, String> {
    let text = fs::read_to_string(project.path(file)).map_err(|_| format!("there is no {}", file.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
}

/// The result of commands: the state after them, and the last one with its events.
struct Played {
    state: MarketState,
    last: Option<(Command, Vec<Event>)>,
}

/// Plays commands after the deposits.
fn play(sandbox: &Sandbox, commands: &[String]) -> Result<Played, String> {
    let mut model = Model::default();
    model.apply(&Command::Open { market: MARKET });
    for account in (1..).map(AccountId).take(sandbox.accounts.len()) {
        model.apply(&Command::Deposit { market: MARKET, account, amount: Cents(sandbox.cash), request: 0 });
    }
    let mut last = None;
    for text in commands {
        let command = command(MARKET, text)?;
        last = Some((command, model.apply(&command)));
    }
    let state = model.state().markets.remove(&MARKET).unwrap_or_default();
    Ok(Played { state, last })
}

/// One line of HTML, so that markdown leaves it as it is.
fn section(sandbox: &Sandbox, name: &str, lang: Language, teller: &Teller<'_>) -> Result<String, String> {
    let words = teller.words;
    let commands = sandbox.story.get(..sandbox.still).ok_or("`still` is beyond the end of `story`")?;
    // The whole example has to play, even where no picture is taken.
    play(sandbox, &sandbox.story)?;
    let Played { state, last } = play(sandbox, commands)?;
    let caption = match &last {
        Some((command, _)) => {
            let told = teller.command(command)?;
            words.say("ui", "after", &[("step", &sandbox.still.to_string()), ("command", &told)])?
        }
        None => words.say("ui", "deposits", &[("amount", &teller.cents(sandbox.cash)?)])?,
    };
    let mut out = format!(
        "<section class=\"sandbox\" id=\"{name}\" aria-label=\"{}\" data-sandbox=\"{}\">",
        escape(words.get("ui", "label")?),
        escape(&data(sandbox, lang, words).to_string()),
    );
    let _ = write!(
        out,
        "<div class=\"moment\"><p class=\"caption\">{}</p>{}{}</div>",
        escape(&caption),
        still::book(&state, teller)?,
        still::accounts(&state, teller)?
    );
    let _ = write!(
        out,
        "<div class=\"questions\"><p id=\"{name}-questions\">{}</p><ul aria-labelledby=\"{name}-questions\">",
        escape(words.get("ui", "questions")?)
    );
    for situation in &sandbox.situation {
        let question = escape(lang.pick(&situation.en, &situation.zh));
        let answer = escape(&answer(sandbox, situation, teller)?);
        let id = format!("{name}-{}", situation.id);
        let _ =
            write!(out, "<li id=\"{id}\"><a href=\"#{id}\">{question}</a> <span class=\"answer\">{answer}</span></li>");
    }
    out.push_str("</ul></div></section>\n\n");
    Ok(out)
}

/// The last command of a situation and its result.
fn answer(sandbox: &Sandbox, situation: &Situation, teller: &Teller<'_>) -> Result<String, String> {
    let last = play(sandbox, &situation.commands)?.last;
    let (command, events) = last.ok_or_else(|| format!("`{}` has no commands", situation.id))?;
    let sentences = std::iter::once(teller.command(&command)).chain(events.iter().map(|event| teller.event(event)));
    Ok(sentences.collect::<Result<Vec<_>, _>>()?.join(teller.words.get("ui", "joint")?))
}

/// What the script needs.
fn data(sandbox: &Sandbox, lang: Language, words: &Words) -> serde_json::Value {
    let situation = |one: &Situation| json!({ "id": one.id, "commands": one.commands });
    json!({
        "cash": sandbox.cash,
        "accounts": sandbox.accounts.iter().map(|account| lang.pick(&account.en, &account.zh)).collect::<Vec<_>>(),
        "story": sandbox.story,
        "still": sandbox.still,
        "situations": sandbox.situation.iter().map(situation).collect::<Vec<_>>(),
        "words": words.groups,
    })
}
