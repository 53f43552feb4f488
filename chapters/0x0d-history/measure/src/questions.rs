//! Questions about many trades: to DuckDB and Polars, on the files of columns and on the same trades in their own format, and to
//! the chapter's own candles.
//!
//! Each engine is a process of its own, which runs `questions.py`. The rounds of all of them take turns. Before any time counts,
//! all are asked everything once, and their answers have to be the same.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use history::candle::Candle;
use history::key::{self, Table};
use history::rows::MarketTrade;
use history::store::{COLUMNS, FOLDER, Store};
use history::width::Width;
use market::{MarketId, UnixMs};
use results::record::Spread;
use serde::Deserialize;
use serde_json::json;

use crate::ask::timed;
use crate::past::Past;
use crate::record::{FormRecord, QuestionRecord, QuestionsRecord};
use crate::rows;
use crate::stores::Failed;

/// What is asked.
pub const QUESTIONS: [&str; 10] =
    ["all", "two", "sorted", "unsorted", "volume", "join", "second", "minute", "hour", "day"];

/// The engines that are asked, and about which form.
pub const ASKED: [(&str, &str); 4] = [("duckdb", "files"), ("duckdb", "own"), ("polars", "files"), ("polars", "own")];

/// An engine that takes longer is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(1_200);

/// So many commands of a venue lead to ten trades.
const COMMANDS_FOR_TEN: usize = 42;

/// The answer to a question: rows of whole numbers.
type Rows = Vec<Vec<i64>>;

/// A Python that has both engines, if there is one.
pub fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HISTORY_PYTHON").map(PathBuf::from);
    let has_both = |python: &PathBuf| {
        let looked = Command::new(python).args(["-c", "import duckdb, polars"]).stderr(Stdio::null()).status();
        looked.is_ok_and(|status| status.success())
    };
    named.into_iter().chain(["python3".into()]).find(has_both)
}

/// Which of the trades questions are about.
struct Bounds {
    trades: f64,
    markets: Vec<MarketId>,
    /// Markets from this one on have a tenth of the trades, and how many these are.
    tenth_market: (u32, f64),
    /// Accounts from this one on have taken a tenth of them.
    tenth_account: (u32, f64),
    /// Markets from this one on have a quarter.
    quarter_market: (u32, f64),
}

impl Bounds {
    fn of(store: &Store) -> Result<Bounds, Failed> {
        let (mut markets, mut accounts) = (BTreeMap::new(), BTreeMap::new());
        for row in store.range::<MarketTrade>(&[Table::Public as u8], &[Table::Public as u8 + 1]) {
            let (key, trade) = row?;
            let market = key.get(1..5).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes);
            *markets.entry(market).or_insert(0.0) += 1.0;
            *accounts.entry(trade.taker_account.0).or_insert(0.0) += 1.0;
        }
        let trades = markets.values().sum();
        let from = |of: &BTreeMap<u32, f64>, part: f64| {
            let mut count = 0.0;
            for (&number, more) in of.iter().rev() {
                count += more;
                if count >= trades * part {
                    return (number, count);
                }
            }
            (0, trades)
        };
        Ok(Bounds {
            trades,
            tenth_market: from(&markets, 0.1),
            tenth_account: from(&accounts, 0.1),
            quarter_market: from(&markets, 0.25),
            markets: markets.into_keys().map(MarketId).collect(),
        })
    }
}

/// An engine in a process of its own. It ends when this is dropped.
struct Engine {
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<String>,
}

#[derive(Deserialize)]
struct Ready {
    version: String,
    own_bytes: f64,
}

#[derive(Deserialize)]
struct Answer {
    ns: u64,
    found: Rows,
}

impl Engine {
    fn start(
        python: &Path,
        name: &str,
        columns: &Path,
        scratch: &Path,
        bounds: &Bounds,
    ) -> Result<(Engine, Ready), Failed> {
        let bounds = json!({
            "tenth_market": bounds.tenth_market.0,
            "tenth_account": bounds.tenth_account.0,
            "quarter_market": bounds.quarter_market.0,
        });
        let mut command = Command::new(python);
        command.arg("-c").arg(include_str!("questions.py")).arg(name).arg(columns).arg(scratch).arg(bounds.to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (questions, out) = (child.stdin.take(), child.stdout.take().ok_or("no output")?);
        let (lines, answers) = channel();
        std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| lines.send(line))
        });
        let mut engine = Engine { child, questions, answers };
        let ready = serde_json::from_str(&engine.line()?)?;
        Ok((engine, ready))
    }

    fn line(&mut self) -> Result<String, Failed> {
        Ok(self
            .answers
            .recv_timeout(STUCK)
            .map_err(|_| "an engine gave no answer: its output says why, or it is stuck")?)
    }

    fn ask(&mut self, question: &str, form: &str) -> Result<Answer, Failed> {
        let questions = self.questions.as_mut().ok_or("no input")?;
        writeln!(questions, "{question} {form}")?;
        questions.flush()?;
        Ok(serde_json::from_str(&self.line()?)?)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The end of its input ends it; it has nothing to lose if that takes too long.
        drop(self.questions.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same candles out of the chapter's own rows.
fn own_candles(store: &Store, bounds: &Bounds, width: Width) -> Result<Rows, Failed> {
    let mut sums = vec![0; 7];
    for &market in bounds.markets.iter().filter(|market| market.0 >= bounds.quarter_market.0) {
        let at = |start| key::candle(market, width, UnixMs(start));
        for row in store.range::<Candle>(&at(0), &at(u64::MAX)) {
            let Candle { open, high, low, close, shares, trades } = row?.1;
            let prices = [open, high, low, close].map(|price| i64::from(price.cents()));
            let all = [1].into_iter().chain(prices).chain([shares as i64, trades as i64]);
            sums.iter_mut().zip(all).for_each(|(sum, more)| *sum += more);
        }
    }
    Ok(vec![sums])
}

fn width(question: &str) -> Option<Width> {
    Width::ALL.into_iter().find(|width| width.word() == question)
}

/// Asks all questions about so many trades, or about a few more or less.
pub fn ask_all(python: &Path, folder: &Path, trades: usize, rounds: u32) -> Result<QuestionsRecord, Failed> {
    rows::log_by(folder, trades * COMMANDS_FOR_TEN / 10, Some(rows::a_second_each()))?;
    rows::derive(folder)?;
    let past = Past::open(folder)?;
    let (_, bytes) = past.columns(folder)?;
    let (store, columns) = (past.store(), folder.join(FOLDER).join(COLUMNS));
    let bounds = Bounds::of(store)?;
    let (mut engines, mut forms) = (Vec::new(), vec![("files".to_owned(), bytes as f64)]);
    let mut versions = Vec::new();
    for name in ["duckdb", "polars"] {
        let scratch = folder.join(name);
        std::fs::create_dir_all(&scratch)?;
        let (engine, ready) = Engine::start(python, name, &columns, &scratch, &bounds)?;
        forms.push((name.to_owned(), ready.own_bytes));
        versions.push(format!("{name} {}", ready.version));
        engines.push((name, engine));
    }
    let mut ask = |who: &str, question: &str, form: &str| {
        let engine = engines.iter_mut().find(|(name, _)| *name == who).ok_or("no such engine")?;
        engine.1.ask(question, form)
    };
    for question in QUESTIONS {
        let mut expected = width(question).map(|width| own_candles(store, &bounds, width)).transpose()?;
        for (who, form) in ASKED {
            let found = ask(who, question, form)?.found;
            if expected.get_or_insert_with(|| found.clone()) != &found {
                return Err(format!("{who} on {form} has another answer to {question:?} than the others").into());
            }
        }
    }
    let names = QUESTIONS.iter().flat_map(|question| {
        let own = width(question).map(|_| format!("{question}-rows"));
        ASKED.iter().map(move |(who, form)| format!("{question}-{who}-{form}")).chain(own)
    });
    let mut times: Vec<(String, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
    for _ in 0..rounds {
        for (name, times) in &mut times {
            let ns = match name.split('-').collect::<Vec<_>>()[..] {
                [question, who, form] => ask(who, question, form)?.ns,
                [question, _] => {
                    let width = width(question).ok_or("no such width")?;
                    timed(|| own_candles(store, &bounds, width))?
                }
                _ => return Err("no such question".into()),
            };
            times.push(ns as f64 / 1e6);
        }
    }
    let question = |(name, ms): (String, Vec<f64>)| Some(QuestionRecord { name, ms: Spread::of(&ms)? });
    Ok(QuestionsRecord {
        engines: versions.join(", "),
        trades: bounds.trades,
        sorted_trades: bounds.tenth_market.1,
        unsorted_trades: bounds.tenth_account.1,
        candle_trades: bounds.quarter_market.1,
        forms: forms.into_iter().map(|(name, bytes)| FormRecord { name, bytes: bytes / bounds.trades }).collect(),
        times: times.into_iter().filter_map(question).collect(),
    })
}
