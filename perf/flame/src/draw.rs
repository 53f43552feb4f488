//! The picture: each function as wide as the part of the samples in which it was on the stack, above the function that called it.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};
use inferno::flamegraph;
use inferno::flamegraph::Palette;
use inferno::flamegraph::color::MultiPalette;
use results::error::MeasureError;

/// What ends the name of a kernel's function.
const KERNEL: &str = "_[k]";

/// Stacks, each once, with how often it was seen.
#[derive(Debug)]
pub struct Folded {
    /// A line for each: its functions from the thread's name on, and the count.
    pub text: String,
    /// How many samples there are.
    pub samples: u64,
    /// Whether the kernel's functions are among them.
    pub is_with_kernel: bool,
}

/// Counts equal stacks.
///
/// # Errors
/// [`MeasureError::Unusable`] where there are none, or the profiler's output can't be read.
pub fn fold(stacks: &[u8]) -> Result<Folded, MeasureError> {
    let mut options = Options::default();
    options.annotate_kernel = true;
    let mut text = Vec::new();
    let folded = Folder::from(options).collapse(stacks, &mut text);
    folded.map_err(|error| MeasureError::Unusable(format!("the profiler's stacks can't be read: {error}")))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let counts = text.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    let samples = counts.sum();
    if samples == 0 {
        let words = "the profiler took no sample: was the program done at once? Give it more to do";
        return Err(MeasureError::Unusable(words.into()));
    }
    let is_with_kernel = text.contains(KERNEL);
    Ok(Folded { text, samples, is_with_kernel })
}

/// Draws them into a file.
///
/// # Errors
/// [`MeasureError::Disk`] when it can't be written.
pub fn draw(folded: &str, title: &str, svg: &Path) -> Result<(), MeasureError> {
    let failed = |error: std::io::Error| MeasureError::disk("write", svg, &error);
    let mut options = flamegraph::Options::default();
    title.clone_into(&mut options.title);
    // It paints by the form of a name: orange for the kernel's, yellow for those with a path, red for the rest.
    options.colors = Palette::Multi(MultiPalette::Perl);
    options.deterministic = true;
    let file = File::create(svg).map_err(failed)?;
    flamegraph::from_lines(&mut options, folded.lines(), BufWriter::new(file)).map_err(failed)
}
