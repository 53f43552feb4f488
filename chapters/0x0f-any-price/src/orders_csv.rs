//! Flows of your own, as CSV.
//!
//! The first line is the header; it names six columns, and every line has all six. Columns that a command does not use
//! stay empty.
//!
//! ```text
//! command,id,side,price,quantity,time_in_force
//! limit,7,bid,99950,10,gtc
//! market,8,ask,,5,
//! replace,7,,99960,4,
//! cancel,7,,,,
//! ```
//!
//! | column | what it holds | used by |
//! |---|---|---|
//! | `command` | `limit`, `market`, `cancel`, `replace` | all |
//! | `id` | the order's id, 0 to 18446744073709551615 | all |
//! | `side` | `bid`, `ask` | `limit`, `market` |
//! | `price` | ticks, -9223372036854775808 to 9223372036854775807 | `limit`, `replace` |
//! | `quantity` | lots, 0 to 4294967295; a book rejects 0 | `limit`, `market`, `replace` |
//! | `time_in_force` | `gtc`, `ioc`, `fok`, `post-only` | `limit` |

use std::path::Path;
use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::contract::{Command, Side, TimeInForce};

const HEADER: [&str; 6] = ["command", "id", "side", "price", "quantity", "time_in_force"];

/// Why a file is not a valid flow, with the line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotAFlow(String);

/// Reads all commands of a file.
///
/// # Errors
/// [`NotAFlow`] with the file, the line and the reason, before any command is executed.
pub fn read(path: &Path) -> Result<Vec<Command>, NotAFlow> {
    let text = std::fs::read(path).map_err(|error| {
        NotAFlow(format!("cannot read {}: {error}; check the path and the permissions", path.display()))
    })?;
    parse(&text).map_err(|reason| NotAFlow(format!("{}, {reason}", path.display())))
}

/// Reads all commands of a text.
///
/// # Errors
/// The line and the reason.
pub fn parse(text: &[u8]) -> Result<Vec<Command>, String> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text);
    let header = reader.headers().map_err(|error| format!("line 1: {error}"))?;
    if header.iter().ne(HEADER) {
        return Err(format!("line 1: the header has to be {}", HEADER.join(",")));
    }
    let mut commands = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            format!("line {line}: {error}; every line has {} columns", HEADER.len())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        commands.push(command(&record).map_err(|reason| format!("line {line}: {reason}"))?);
    }
    if commands.is_empty() {
        return Err("line 2: there is no command after the header".into());
    }
    Ok(commands)
}

fn command(record: &StringRecord) -> Result<Command, String> {
    let field = |at: usize| record.get(at).unwrap_or_default();
    let id = number(HEADER[1], field(1))?;
    let side = || one_of(HEADER[2], field(2), &[("bid", Side::Bid), ("ask", Side::Ask)]);
    let (price, quantity) = (|| number(HEADER[3], field(3)), || number(HEADER[4], field(4)));
    let (command, used): (_, &[usize]) = match field(0) {
        "limit" => {
            let all = [
                ("gtc", TimeInForce::Gtc),
                ("ioc", TimeInForce::Ioc),
                ("fok", TimeInForce::Fok),
                ("post-only", TimeInForce::PostOnly),
            ];
            let time_in_force = one_of(HEADER[5], field(5), &all)?;
            let (side, price, quantity) = (side()?, price()?, quantity()?);
            (Command::Limit { id, side, price, quantity, time_in_force }, &[2, 3, 4, 5])
        }
        "market" => (Command::Market { id, side: side()?, quantity: quantity()? }, &[2, 4]),
        "cancel" => (Command::Cancel { id }, &[]),
        "replace" => (Command::Replace { id, price: price()?, quantity: quantity()? }, &[3, 4]),
        other => return Err(format!("`command` is {other:?}; there are limit, market, cancel and replace")),
    };
    match (2..HEADER.len()).find(|at| !used.contains(at) && !field(*at).is_empty()) {
        Some(at) => {
            Err(format!("`{}` is {:?}, and `{}` does not use it; leave it empty", HEADER[at], field(at), field(0)))
        }
        None => Ok(command),
    }
}

fn number<T: FromStr<Err: std::fmt::Display>>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("`{name}` is {text:?}: {error}"))
}

fn one_of<T: Copy>(name: &str, text: &str, known: &[(&str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        format!("`{name}` is {text:?}; there are {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &str) -> Result<Vec<Command>, String> {
        parse(format!("{}\n{rows}", HEADER.join(",")).as_bytes())
    }

    #[test]
    fn every_command_is_read() {
        let read = rows(
            "limit, 7,bid,-9223372036854775808,10,post-only\r\n\nmarket,8,ask,,5,\nreplace,7,,9,4,\ncancel,18446744073709551615,,,,",
        );
        let (id, side, price, quantity) = (7, Side::Bid, i64::MIN, 10);
        let expected = [
            Command::Limit { id, side, price, quantity, time_in_force: TimeInForce::PostOnly },
            Command::Market { id: 8, side: Side::Ask, quantity: 5 },
            Command::Replace { id: 7, price: 9, quantity: 4 },
            Command::Cancel { id: u64::MAX },
        ];
        assert_eq!(read.expect("sound"), expected);
    }

    #[test]
    fn invalid_commands_are_reported_with_their_line() {
        for (row, words) in [
            ("limti,7,bid,1,1,gtc", "`command` is \"limti\""),
            ("limit,x,bid,1,1,gtc", "`id` is \"x\""),
            ("limit,7,buy,1,1,gtc", "`side` is \"buy\"; there are bid, ask"),
            ("limit,7,bid,9223372036854775808,1,gtc", "`price` is"),
            ("limit,7,bid,1,-1,gtc", "`quantity` is \"-1\""),
            ("limit,7,bid,1,1,day", "gtc, ioc, fok, post-only"),
            ("cancel,7,,1,,", "`price` is \"1\", and `cancel` does not use it"),
            ("cancel,7", "every line has 6 columns"),
        ] {
            let said = rows(&format!("cancel,1,,,,\n{row}")).expect_err(row);
            assert!(said.starts_with("line 3: ") && said.contains(words), "{said}");
        }
        assert_eq!(rows("\n").expect_err("no command"), "line 2: there is no command after the header");
        assert!(parse(b"id,side\n").expect_err("no header").contains("the header has to be command,id"));
    }
}
