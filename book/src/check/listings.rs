//! No listing is pasted: code of more than a few lines comes from a tested crate.

use crate::check::input::Input;
use crate::problem::Problem;
use crate::prose::has_mark;

/// A sketch of up to this many lines may be in the text.
const SKETCH_LINES: usize = 3;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for page in input.pages() {
        let lines: Vec<&str> = page.text.lines().collect();
        for fence in page.fences() {
            let rust = fence.info.split([',', ' ']).next().is_some_and(|kind| kind == "rust" || kind == "rs");
            let written = fence.body.iter().filter(|line| !line.trim().is_empty() && !line.contains("{{")).count();
            let above =
                fence.line.checked_sub(2).and_then(|i| lines.get(i)).is_some_and(|line| has_mark(line, "listing"));
            if rust && written > SKETCH_LINES && !above {
                let reason = format!(
                    "{written} lines of Rust are pasted; include them by anchor with {{{{code}}}}, or put `<!-- listing: why -->` above the block"
                );
                problems.push(Problem::new(&page.file, fence.line, reason));
            }
        }
    }
}
