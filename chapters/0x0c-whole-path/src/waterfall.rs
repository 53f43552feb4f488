//! A request's stages as a picture of text: one line a stage, each beginning where the one before ends.

use std::fmt::Write;

/// How wide the whole way is drawn.
const WIDTH: usize = 48;

/// Draws a request with these moments, which rise, and the names of the stages between them.
pub fn waterfall(at: &[u64], names: &[&str]) -> String {
    let [start, .., end] = at else { return String::new() };
    let whole = (end - start).max(1);
    let column = |moment: u64| ((moment - start) as f64 / whole as f64 * WIDTH as f64).round() as usize;
    let mut text = String::new();
    for (name, moments) in names.iter().zip(at.windows(2)) {
        let (from, to) = (column(moments[0]), column(moments[1]));
        // Each stage is visible, however short it is.
        let bar = if to > from { "█".repeat(to - from) } else { "▏".to_owned() };
        let took = (moments[1] - moments[0]) as f64 / 1e3;
        let _ = writeln!(text, "{name:>8} {}{bar:<rest$} {took:>9.1} µs", " ".repeat(from), rest = WIDTH + 1 - from);
    }
    let _ = writeln!(text, "{:>8} {:<width$} {:>9.1} µs", "whole", "", whole as f64 / 1e3, width = WIDTH + 1);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{MOMENTS, NAMES};

    #[test]
    fn stages_stand_one_behind_the_other() {
        let text =
            waterfall(&[1_000, 2_000, 2_000, 3_000, 13_000, 37_000, 38_000, 40_000, 41_000, 47_000, 49_000], &NAMES);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOMENTS);
        assert_eq!(lines[0], format!("   parse █{} {:>9} µs", " ".repeat(48), "1.0"));
        assert_eq!(lines[1], format!("    door  ▏{} {:>9} µs", " ".repeat(47), "0.0"));
        assert_eq!(
            lines[4],
            format!("    sync {}{}{} {:>9} µs", " ".repeat(12), "█".repeat(24), " ".repeat(13), "24.0")
        );
        assert_eq!(lines[10], format!("   whole {} {:>9} µs", " ".repeat(49), "48.0"));
    }
}
