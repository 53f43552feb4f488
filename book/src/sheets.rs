//! `{{sheets}}`: a side of paper for each session of the teachers' page, with a picture, the question, the guess and the
//! exercise, as Markdown. All of it is taken from other pages: the sessions from the tables in `teachers.md`, the question, the
//! guesses and the picture from the page that a session shows. `book/theme/book.css` puts each on a side of its own.

use crate::chart;
use crate::directive::{BRACES, Directive};
use crate::guess::question;
use crate::html::escape;
use crate::number;
use crate::page::Page;
use crate::pattern::regex;
use crate::player;
use crate::sources::Sources;
use regex::Regex;
use results::language::Language;
use std::sync::LazyLock;

/// The page that has the sessions.
const SESSIONS: &str = "teachers.md";

static ROW: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\| (\d+)\. ([^|]+?) \| ([^|]+) \|(?:.*\|)? ([^|]+?) \|$"));
static PAGE: LazyLock<Regex> = LazyLock::new(|| regex(r"\]\(([a-z0-9-]+\.md)"));
static PICTURE: LazyLock<Regex> = LazyLock::new(|| regex(r"\{\{(drawing|player) ([\w-]+)(?:\s*\|\s*([^}]*))?\}\}"));
static FIGURE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<figure.*?</figure>"));

/// `{{sheets}}`.
///
/// # Errors
/// When a session's page is missing, or has no question or no picture.
pub fn sheets(s: &Sources, lang: Language) -> Result<String, String> {
    let pages = s.project.pages(lang).map_err(|e| e.to_string())?;
    let named = |name: &str| pages.iter().find(|page| page.name() == name).ok_or_else(|| format!("there is no {name}"));
    let mut out = String::from("<div class=\"sheets\">\n\n");
    for row in ROW.captures_iter(&named(SESSIONS)?.text) {
        let (number, title, shows, task) = (&row[1], &row[2], &row[3], &row[4]);
        let shown = PAGE.captures(shows).ok_or_else(|| format!("session {number} shows no page"))?;
        let page = named(&shown[1])?;
        out += &sheet(s, lang, page, [number, title, task]).map_err(|e| format!("session {number}: {e}"))?;
    }
    Ok(out + "</div>\n\n")
}

fn sheet(s: &Sources, lang: Language, page: &Page, [number, title, task]: [&str; 3]) -> Result<String, String> {
    let session = lang.pick(format!("Session {number}"), format!("第 {number} 次课"));
    let [guess, why, exercise] =
        lang.pick(["Our guess", "And why?", "The exercise"], ["我们的猜测", "理由是什么？", "练习"]);
    let (question, asked, picture) = (opening(page)?, asked(s, lang, page)?, picture(s, lang, page)?);
    Ok(format!(
        "<section class=\"sheet\">\n\n<p class=\"session\">{session}</p>\n\n## {title} {{#session-{number}}}\n\n\
         **{question}**\n\n{picture}\n\n### {guess} {{#guess-{number}}}\n\n{asked}\n\n{rooms}\n\n{why}\n\n\
         <div class=\"room why\"></div>\n\n### {exercise} {{#exercise-{number}}}\n\n{task}\n\n</section>\n\n",
        rooms = rooms(s, lang, page)?
    ))
}

/// What a page's section `guess` asks, without its places to write and with its numbers.
fn asked(s: &Sources, lang: Language, page: &Page) -> Result<String, String> {
    let section = page.sections().into_iter().find(|section| section.id.as_deref() == Some("guess"));
    let body = section.ok_or_else(|| format!("{} has no section `guess`", page.name()))?.body;
    let is_said = |line: &&str| !line.trim_start().starts_with(['{', '<']);
    let said = body.lines().filter(is_said).collect::<Vec<_>>().join("\n");
    let mut problem = None;
    let text = BRACES.replace_all(said.trim(), |found: &regex::Captures<'_>| {
        let shown = match Directive::parse(&found[2], found.get(3).map_or("", |rest| rest.as_str())) {
            Ok(Directive::Num { of, format }) => number::number(s, lang, &of, format, true),
            Ok(Directive::Ratio { above, below, format }) => number::ratio(s, lang, (&above, &below), format, true),
            _ => Err(format!("`{}` of a guess can't stand on a sheet", &found[0])),
        };
        shown.unwrap_or_else(|reason| {
            problem = Some(reason);
            String::new()
        })
    });
    let text = text.into_owned();
    problem.map_or(Ok(text), Err)
}

/// A line to write on for each guess of a page, with what there is to choose from.
fn rooms(s: &Sources, lang: Language, page: &Page) -> Result<String, String> {
    let guesses = question::read(&s.project)?;
    let of_page = guesses.iter().filter(|guess| format!("{}.md", guess.page) == page.name());
    let room = |guess: &question::Guess| {
        let lists = guess.lists(lang).map(|list| list.join(" · "));
        let lists = lists.iter().filter(|list| !list.is_empty());
        let lists: String = lists.map(|list| format!("<p class=\"choices\">{}</p>", escape(list))).collect();
        format!("<li>{}{lists}<div class=\"room\"></div></li>", escape(guess.text(lang)))
    };
    Ok(format!("<ol>{}</ol>", of_page.map(room).collect::<String>()))
}

/// A page's opening question: the first paragraph under its title.
fn opening(page: &Page) -> Result<String, String> {
    let sections = page.sections();
    let body = sections.first().map(|section| section.body.trim().to_owned()).unwrap_or_default();
    let first = body.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let asks = first.trim_end().ends_with(['?', '？']);
    if asks { Ok(first) } else { Err(format!("{} opens with no question", page.name())) }
}

/// The first drawing of a page, or what its first player shows before it runs.
fn picture(s: &Sources, lang: Language, page: &Page) -> Result<String, String> {
    let found = PICTURE.captures_iter(&page.text).collect::<Vec<_>>();
    let drawing = found.iter().find(|found| &found[1] == "drawing").or(found.first());
    let found = drawing.ok_or_else(|| format!("{} has no picture", page.name()))?;
    let html = match &found[1] {
        "drawing" => chart::drawing(s, lang, &found[2], found.get(3).map(|alt| alt.as_str().trim()))?,
        _ => player::player(s, lang, &found[2])?,
    };
    let figure = FIGURE.find(&html).ok_or_else(|| format!("{} has a picture without a figure", page.name()))?;
    Ok(figure.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_row_with_a_number() {
        let table = "| session | show | task |\n|---|---|---|\n| 2. Where? | [it](it.md), here | `0x01 0x02` | `scripts/exercise 0x02` |\n| 8. A start | [b](b-c.md#d): x | do |\n";
        let rows: Vec<_> = ROW.captures_iter(table).map(|row| [1, 2, 3, 4].map(|at| row[at].to_owned())).collect();
        assert_eq!(rows[0], ["2", "Where?", "[it](it.md), here", "`scripts/exercise 0x02`"]);
        assert_eq!(rows[1], ["8", "A start", "[b](b-c.md#d): x", "do"]);
        assert_eq!(&PAGE.captures(&rows[1][2]).unwrap()[1], "b-c.md");
    }

    #[test]
    fn a_page_that_opens_with_no_question_is_refused() {
        let page = |text: &str| Page::new("book/en/x.md", Language::English, text);
        assert_eq!(opening(&page("# A {#a}\n\nWhy is\nit?\n\nSo.\n")), Ok("Why is it?".into()));
        assert!(opening(&page("# A {#a}\n\nIt is.\n")).is_err_and(|reason| reason.contains("no question")));
    }
}
