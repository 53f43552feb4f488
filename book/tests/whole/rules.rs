//! The rules of a page's market (`book/theme/market.js`) are the reference model's: the same random commands
//! through both, and every event and every state is equal.
//!
//! Needs node. Without it the test prints what was skipped; with `CI` set that is a failure.

mod json;

use crate::node;
use contract::streams::{Met, Random};
use market::model::Model;
use market::{AccountId, CancelReason, Cents, Command, Event, MarketId, Reason};
use program::rounds::Rounds;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use tempfile::TempDir;

/// How many streams with few rounds and with all, and how many commands in each.
const STREAMS: (u64, u64) = (500, 2_000);
const LENGTH: usize = 40;

/// Random streams, and one that fills a market to the last cent. Every eighth has no prologue: there is no market
/// and no money.
fn streams(count: u64) -> impl Iterator<Item = Vec<Command>> {
    let random = (0..count).map(|seed| {
        let mut random = Random::new(seed);
        if seed % 8 == 7 { (0..LENGTH).map(|_| random.command()).collect() } else { random.stream(LENGTH) }
    });
    std::iter::once(full()).chain(random)
}

/// Sums at their limit, which hardly any random stream reaches.
fn full() -> Vec<Command> {
    let (market, account) = (MarketId(1), AccountId(1));
    let deposit = |amount| Command::Deposit { market, account, amount: Cents(amount), request: 0 };
    let withdraw = |amount| Command::Withdraw { market, account, amount: Cents(amount), request: 0 };
    let most = Cents::MARKET_MAX.0;
    let money = [deposit(most - 10), deposit(11), deposit(10), withdraw(4), deposit(5), deposit(4), withdraw(most)];
    [Command::Open { market }].into_iter().chain(money).collect()
}

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("theme/market.js")
}

/// Plays streams by the rules in `script` and by the model, and returns the first difference.
fn compare(script: &Path, count: u64, met: &mut Met) -> Result<usize, String> {
    let folder = TempDir::new().unwrap();
    let asked = folder.path().join("commands");
    let mut file = std::io::BufWriter::new(File::create(&asked).unwrap());
    for command in streams(count).flat_map(|stream| std::iter::once(None).chain(stream.into_iter().map(Some))) {
        writeln!(file, "{}", command.map_or(Value::Null, |command| json::command(&command))).unwrap();
    }
    file.into_inner().unwrap();
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whole/rules/answers.js");
    let mut node = Program::new("node")
        .args([&answers, script])
        .stdin(File::open(&asked).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(node.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut compared = 0;
    let mut difference = Ok(());
    'streams: for (number, stream) in streams(count).enumerate() {
        let mut model = Model::default();
        for (at, command) in stream.iter().enumerate() {
            let events = model.apply(command);
            events.iter().for_each(|event: &Event| met.note(event));
            let state = model.state().markets.get(&command.market()).map_or(Value::Null, json::state);
            let events: Vec<Value> = events.iter().map(json::event).collect();
            let expected = json!({ "events": events, "state": state, "laws": true });
            let found = lines.next().unwrap_or_default();
            if serde_json::from_str::<Value>(&found).ok().as_ref() != Some(&expected) {
                difference = Err(format!(
                    "stream {number}, command {}: {command:?}\nmodel:  {expected}\nscript: {found}",
                    at + 1
                ));
                break 'streams;
            }
            compared += 1;
        }
    }
    // Node has written everything, or the rest is no longer read.
    drop(lines);
    let _ = node.kill();
    let _ = node.wait();
    difference.map(|()| compared)
}

#[test]
fn the_pages_rules_are_the_models() {
    if !node::is_there() {
        return;
    }
    let mut met = Met::default();
    let streams = Rounds::asked().pick(STREAMS.0, STREAMS.1);
    let compared = compare(&rules(), streams, &mut met).unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!(compared, usize::try_from(streams).unwrap() * LENGTH + full().len());
    met.assert_all();
}

/// Likely mistakes; the comparison would be worthless if it did not find them.
const PLANTED: [(&str, &str, &str); 9] = [
    ("a trade at the taker's price", "const price = maker.price;", "const price = taker.price;"),
    ("the later order first", "|| one.order - other.order;", "|| other.order - one.order;"),
    ("an order that trades with its own account", "if (maker.account === account) return", "if (false) return"),
    ("fill-or-kill that counts its own orders", "order.account === account || !crosses", "!crosses"),
    ("a pot that is not fed", "if (kind === 'Mint') this.pot += PAYOUT * quantity;", ""),
    ("a difference that is kept", "holdings.cash += locked.cash - value;", "holdings.cash += 0;"),
    ("shares that are sold twice", "if (free[share] < needed.shares) reject('InsufficientShares');", ""),
    ("a closed market that takes orders", "market.closed && command.command !== 'withdraw'", "false"),
    ("an amount that is one too high", "this.funded + amount > MARKET_MAX", "this.funded + amount > MARKET_MAX + 1"),
];

/// The first sentence above a variant in the contract's source, without code marks.
fn contracts_words(variant: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chapters/0x00-market/src/event.rs");
    let source = fs::read_to_string(path).unwrap();
    let before = source.lines().take_while(|line| !line.trim().starts_with(&format!("{variant} = ")));
    let above = before.last().unwrap_or_else(|| panic!("the contract has no {variant}"));
    above.trim().trim_start_matches("/// ").replace(['[', ']', '`'], "")
}

#[test]
fn a_rejection_has_the_contracts_words() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sandboxes/words.toml");
    let words: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let english = |group: &str, key: &str| words[group][key]["en"].as_str().unwrap().to_owned();
    for reason in Reason::ALL.iter().map(|reason| format!("{reason:?}")) {
        assert_eq!(english("reason", &reason), contracts_words(&reason));
    }
    for reason in CancelReason::ALL.iter().map(|reason| format!("{reason:?}")) {
        assert_eq!(english("why", &reason), contracts_words(&reason));
    }
}

#[test]
fn a_planted_difference_is_found() {
    if !node::is_there() {
        return;
    }
    let right = fs::read_to_string(rules()).unwrap();
    let folder = TempDir::new().unwrap();
    for (what, from, to) in PLANTED {
        assert_eq!(right.matches(from).count(), 1, "{what}: the rules do not contain exactly one `{from}`");
        let script = folder.path().join("market.js");
        fs::write(&script, right.replace(from, to)).unwrap();
        let found = compare(&script, 100, &mut Met::default());
        assert!(found.is_err(), "{what}: not found");
    }
}
