//! A page that says how long it takes can be read in one sitting.

use crate::check::input::Input;
use crate::directive::{BRACES, Directive};
use crate::minutes::minutes;
use crate::page::Page;
use crate::problem::{Failure, Problem};
use crate::sources::Sources;

/// The longest that a page may take, in minutes, without what it says one can leave out.
const MOST: usize = 20;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) -> Result<(), Failure> {
    let sources = Sources::new(input.project)?;
    for page in input.pages() {
        problems.extend(fault(&sources, page));
    }
    Ok(())
}

/// What is wrong with the times that a page says. One that can't be counted is reported where it is expanded.
fn fault(sources: &Sources, page: &Page) -> Option<Problem> {
    let said = BRACES.captures_iter(&page.text).filter_map(|found| {
        match (found.get(1), Directive::parse(found.get(2)?.as_str(), found.get(3)?.as_str())) {
            (None, Ok(Directive::Minutes { without })) => {
                Some((found.get(0)?.start(), minutes(sources, &page.file, &without).ok()?))
            }
            _ => None,
        }
    });
    let (place, least) = said.min_by_key(|(_, minutes)| *minutes)?;
    let reason = format!(
        "the page takes {least} minutes, more than {MOST}: fold what a reader skips, or name the sections that can be left out"
    );
    (least > MOST).then(|| Problem::new(&page.file, page.line_of(place), reason))
}
