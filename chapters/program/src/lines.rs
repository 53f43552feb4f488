//! What a program tells its operator while it runs: one line for each thing that happened, for people or as JSON.
//!
//! Each line goes to standard error in one write. It holds no key, no token and no name of an account: what is told to an operator
//! ends in files that others read. A line that clients can cause goes through [`tell_often`], so that they can't fill a disk.

use std::fmt::{Arguments, Display, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The form of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Form {
    /// For people
    Text,
    /// A JSON object on each line, for programs that collect them
    Json,
}

/// A figure of an event.
pub enum Figure<'f> {
    /// A count, or a time in the unit that its name says.
    Count(u64),
    /// Anything else.
    Text(&'f dyn Display),
}

/// Figures, each with its name in `snake_case`.
pub type Figures<'f> = &'f [(&'static str, Figure<'f>)];

static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Lines have this form from now on.
pub fn set_form(form: Form) {
    IS_JSON.store(form == Form::Json, Ordering::Relaxed);
}

/// Tells what happened: its name, which never changes, its figures, and the same in words. If the line can't be written, it is
/// dropped.
pub fn tell_event(event: &str, figures: Figures<'_>, words: Arguments<'_>) {
    let mut line = if IS_JSON.load(Ordering::Relaxed) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        json(now.as_millis(), event, figures, words)
    } else {
        words.to_string()
    };
    line.push('\n');
    let mut output = io::stderr().lock();
    let _ = output.write_all(line.as_bytes()).and_then(|()| output.flush());
}

/// How often an operator is told of what can happen often.
pub const EVERY: Duration = Duration::from_secs(1);

/// What was told last of each event that can happen often: when, and how many lines were left out since.
static OFTEN: Mutex<Vec<(&str, Instant, u64)>> = Mutex::new(Vec::new());

/// Tells what may happen often, at most once a second. The next line says how many were left out.
pub fn tell_often(event: &'static str, words: Arguments<'_>) {
    let due = is_due(&mut OFTEN.lock().unwrap_or_else(PoisonError::into_inner), event, Instant::now());
    if let Some(more) = due {
        let left_out = if more == 0 { String::new() } else { format!(" ({more} more like this before it)") };
        tell_event(event, &[("left_out", Figure::Count(more))], format_args!("{words}{left_out}"));
    }
}

/// How many lines were left out since the last one of this event; none if this one is to be left out too.
fn is_due(often: &mut Vec<(&'static str, Instant, u64)>, event: &'static str, now: Instant) -> Option<u64> {
    let Some((_, last, more)) = often.iter_mut().find(|(name, ..)| *name == event) else {
        often.push((event, now, 0));
        return Some(0);
    };
    if now.saturating_duration_since(*last) < EVERY {
        *more += 1;
        return None;
    }
    *last = now;
    Some(std::mem::take(more))
}

fn json(time_ms: u128, event: &str, figures: Figures<'_>, words: Arguments<'_>) -> String {
    let mut line = format!("{{\"time_ms\":{time_ms},\"event\":{},\"message\":{}", Quoted(&event), Quoted(&words));
    for (name, figure) in figures {
        // Writing into a string does not fail.
        let _ = match figure {
            Figure::Count(count) => write!(line, ",\"{name}\":{count}"),
            Figure::Text(text) => write!(line, ",\"{name}\":{}", Quoted(text)),
        };
    }
    line.push('}');
    line
}

/// A text as a string of JSON.
struct Quoted<'t>(&'t dyn Display);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for c in self.0.to_string().chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_a_string_of_json() {
        let figures = [("count", Figure::Count(7)), ("path", Figure::Text(&"C:\\data\u{7f}"))];
        let line = json(5, "started", &figures, format_args!("a \"b\"\n\u{1}下雨"));
        let expected =
            r#"{"time_ms":5,"event":"started","message":"a \"b\"\u000a\u0001下雨","count":7,"path":"C:\\data\u007f"}"#;
        assert_eq!(line, expected);
    }

    #[test]
    fn a_storm_is_one_line_and_its_count() {
        let (mut often, start) = (Vec::new(), Instant::now());
        let mut at = |ms, event| is_due(&mut often, event, start + Duration::from_millis(ms));
        assert_eq!((at(0, "a"), at(1, "a"), at(2, "b"), at(999, "a")), (Some(0), None, Some(0), None));
        assert_eq!((at(1_000, "a"), at(1_001, "a"), at(1_002, "b"), at(9_000, "a")), (Some(2), None, Some(0), Some(1)));
    }
}
