//! `{{guess ID}}`: a place to write a guess before its answer is read, and `{{guesses}}`, the page that gathers them.
//!
//! `book/guesses/guesses.toml` defines what is asked on which page and which directive answers it; the answer comes
//! from the same record as the number on the page. Without its script, `book/theme/guess.js`, a guess does not
//! appear, and the page is only its text.

mod answer;
pub mod question;

use crate::guess::question::{FILE, Guess, read};
use crate::html::escape;
use crate::project::Project;
use crate::sources::Sources;
use crate::words::Words;
use results::language::Language;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The words that all guesses share.
const WORDS: &str = "book/guesses/words.toml";

/// `{{guess ID}}`.
pub fn guess(s: &Sources, lang: Language, id: &str) -> Result<String, String> {
    let guesses = read(&s.project)?;
    let guess = guesses.iter().find(|guess| guess.id == id).ok_or_else(|| format!("{FILE} has no guess `{id}`"))?;
    let words = Words::read(&s.project, Path::new(WORDS), lang)?;
    let data = json!({ "guess": data(s, lang, guess)?, "words": words.groups });
    let label = escape(lang.pick(&guess.en, &guess.zh));
    let data = escape(&data.to_string());
    Ok(format!(
        "<section class=\"guess\" id=\"guess-{id}\" aria-label=\"{label}\" data-guess=\"{data}\" hidden></section>\n\n"
    ))
}

/// `{{guesses}}`: without its script, a list of the questions and their pages.
pub fn guesses(s: &Sources, lang: Language) -> Result<String, String> {
    let words = Words::read(&s.project, Path::new(WORDS), lang)?;
    let pages = s.project.pages(lang).map_err(|e| e.to_string())?;
    let title = |name: &str| {
        let page = pages.iter().find(|page| page.name() == format!("{name}.md"));
        page.and_then(|page| page.sections().first().map(|section| section.title.clone()))
    };
    let (mut all, mut list) = (Vec::new(), String::new());
    for guess in read(&s.project)? {
        let title = title(&guess.page)
            .ok_or_else(|| format!("there is no page `{}`, which is to ask `{}`", guess.page, guess.id))?;
        let (page, question) = (&guess.page, lang.pick(&guess.en, &guess.zh));
        let mut data = data(s, lang, &guess)?;
        data["title"] = Value::String(title.clone());
        list += &format!("<li><a href=\"{page}.html#guess\">{}</a> {}</li>", escape(&title), escape(question));
        all.push(data);
    }
    let data = escape(&json!({ "guesses": all, "words": words.groups }).to_string());
    Ok(format!(
        "<section class=\"guesses\" aria-label=\"{}\" data-guesses=\"{data}\"><p>{}</p><ul>{list}</ul></section>\n\n",
        escape(words.get("book", "label")?),
        escape(words.get("book", "none")?)
    ))
}

/// What the script needs for one guess, including its answer.
fn data(s: &Sources, lang: Language, guess: &Guess) -> Result<Value, String> {
    let wrong = |reason: String| format!("{FILE}: `{}`: {reason}", guess.id);
    let mut data = json!({
        "id": guess.id,
        "page": guess.page,
        "kind": format!("{:?}", guess.kind).to_lowercase(),
        "question": lang.pick(&guess.en, &guess.zh),
        "options": guess.options.iter().map(|option| lang.pick(&option.en, &option.zh)).collect::<Vec<_>>(),
        "items": answer::items(s, lang, guess).map_err(wrong)?,
    });
    if let Some(measured) = answer::measured(s, lang, guess).map_err(wrong)? {
        data["measured"] = measured;
    }
    if guess.answer.starts_with('#') {
        data["see"] = Value::String(guess.answer.clone());
    }
    Ok(data)
}

/// The Chinese of all guesses and of the words that they share, each with its file.
pub fn chinese(project: &Project) -> Result<Vec<(PathBuf, String)>, String> {
    let guesses = read(project)?;
    if guesses.is_empty() {
        return Ok(Vec::new());
    }
    let told = guesses.into_iter().flat_map(|guess| {
        let options = guess.options.into_iter().map(|option| option.zh);
        options.chain(guess.items.into_iter().map(|item| item.zh)).chain([guess.zh])
    });
    let mut found: Vec<_> = told.map(|text| (PathBuf::from(FILE), text)).collect();
    let words = Words::read(project, Path::new(WORDS), Language::Chinese)?;
    // The script assembles units, so they are not sentences.
    let sentences = words.groups.iter().filter(|(group, _)| !matches!(group.as_str(), "unit" | "shown"));
    found.extend(sentences.flat_map(|(_, words)| words.values()).map(|text| (PathBuf::from(WORDS), text.clone())));
    Ok(found)
}
