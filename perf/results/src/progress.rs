//! Progress: a bar on a terminal, plain lines elsewhere, both on the error output.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use program::tell;

/// A bar with this many steps on a terminal; elsewhere it is hidden, and [`say`] prints lines.
pub fn progress_bar(length: u64) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({elapsed}, {eta} left)");
    let bar = ProgressBar::new(length);
    bar.enable_steady_tick(Duration::from_millis(250));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// Shows what is being done: beside the bar, or as a plain line.
pub fn say(bar: &ProgressBar, message: &str) {
    if bar.is_hidden() {
        tell(format_args!("{message}"));
    } else {
        bar.set_message(message.to_string());
    }
}
