//! Sandboxes, recordings and guesses: each sandbox is on a page in both languages, and their Chinese follows the
//! pages' typography and terms.

use crate::check::input::Input;
use crate::check::typography;
use crate::directive::{BRACES, Directive};
use crate::glossary;
use crate::guess;
use crate::player;
use crate::problem::Problem;
use crate::sandbox;
use crate::yours;
use results::language::Language;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for file in sandbox::files(input.project) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        for lang in Language::ALL.into_iter().filter(|&lang| !shown(input, lang, &name)) {
            let reason = format!("no page in book/{} has {{{{sandbox {name}}}}}", lang.tag());
            problems.push(Problem::new(&file, 1, reason));
        }
    }
    let chinese = sandbox::chinese(input.project).and_then(|mut chinese| {
        chinese.extend(player::chinese(input.project)?);
        chinese.extend(guess::chinese(input.project)?);
        chinese.extend(yours::chinese(input.project)?);
        Ok(chinese)
    });
    let chinese = match chinese {
        Ok(chinese) => chinese,
        Err(reason) => return problems.push(Problem::new("book", 1, reason)),
    };
    let terms = glossary::terms(input.project).unwrap_or_default();
    for (file, text) in chinese {
        if let Some(fault) = typography::fault(&text) {
            problems.push(Problem::new(&file, 1, fault.to_string()));
        }
        for term in &terms {
            for avoided in term.avoid.iter().filter(|avoided| text.contains(*avoided)) {
                problems.push(Problem::new(&file, 1, format!("`{avoided}`: this book says `{}`", term.zh)));
            }
        }
    }
}

fn shown(input: &Input<'_>, lang: Language, sandbox: &str) -> bool {
    let mut pages = input.pages().filter(|page| page.lang == lang);
    pages.any(|page| {
        let mut words = BRACES.captures_iter(&page.text).filter(|found| found.get(1).is_none());
        words.any(|found| {
            let (word, rest) = (found.get(2).map_or("", |m| m.as_str()), found.get(3).map_or("", |m| m.as_str()));
            matches!(Directive::parse(word, rest), Ok(Directive::Sandbox { name }) if name == sandbox)
        })
    })
}
