//! What the page's script makes of a reader's record (`book/theme/records.js`) is what the build makes of it: the
//! same numbers in every format, the same figure for everything that a page shows; and a file that is not a record is
//! refused.
//!
//! Needs node. Without it the test prints what was skipped; with `CI` set that is a failure.

use crate::node;
use book::expand;
use book::format::Format;
use book::project::Project;
use book::sources::Sources;
use program::rounds::Rounds;
use regex::Regex;
use results::language::Language;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn book() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Asks the script, and returns one answer for each question.
fn answers(script: &Path, questions: &[Value]) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let asked = folder.path().join("questions");
    fs::write(&asked, questions.iter().map(|question| format!("{question}\n")).collect::<String>()).unwrap();
    let output = Command::new("node")
        .args([&book().join("tests/whole/records/answers.js"), script, &book().join("../output/reference")])
        .stdin(fs::File::open(&asked).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ours() -> PathBuf {
    book().join("theme/records.js")
}

/// Numbers of every size, and those where rounding and units change.
fn numbers() -> Vec<f64> {
    let mut numbers =
        vec![0.0, 0.25, 0.5, 1.5, 2.5, 12.5, 1245.0, 9.995, 99.95, 999.5, 999_999.0, 24e9, 3e21, -0.25, -2.5];
    for power in -7..=15 {
        let ten = 10f64.powi(power);
        numbers.extend([ten, ten.next_down(), ten.next_up(), 5.0 * ten, 9.95 * ten, 9.995 * ten, 1.25 * ten]);
    }
    // A generator by Marsaglia; its numbers spread evenly over twenty powers of ten.
    let mut state: u64 = 99;
    numbers.extend((0..3_000).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        10f64.powf((state >> 11) as f64 / (1_u64 << 53) as f64 * 20.0 - 6.0)
    }));
    let below: Vec<f64> = numbers.iter().skip(1).step_by(10).map(|x| -x).collect();
    numbers.extend(below);
    numbers
}

/// The first number that the script shows differently from the build.
fn first_difference(script: &Path) -> Option<String> {
    let formats =
        ["si1", "si2", "si3", "ns1", "ns2", "ns3", "us2", "ms3", "s3", "x1", "x2", "pct2", "bytes2", "gib", "int"];
    let mut asked = vec![];
    let mut expected = vec![];
    for (at, x) in numbers().into_iter().enumerate() {
        for format in formats.iter().skip(at % 2).step_by(2) {
            for lang in Language::ALL {
                asked.push(json!({"ask": "number", "x": x, "format": format, "zh": lang == Language::Chinese}));
                expected.push(Format::parse(format).unwrap().number(x, lang));
            }
        }
    }
    let found = answers(script, &asked);
    assert_eq!(found.len(), asked.len());
    let differs = (0..asked.len()).find(|&at| found[at] != expected[at].as_str());
    differs.map(|at| format!("{}: the build shows {}, the script {}", asked[at], expected[at], found[at]))
}

#[test]
fn every_number_is_shown_as_the_build_shows_it() {
    if node::is_there() {
        assert_eq!(first_difference(&ours()), None);
    }
}

/// Likely mistakes; the comparison would be worthless if it did not find them.
const PLANTED: [(&str, &str, &str); 6] = [
    (
        "a unit before rounding",
        "const rounded = Math.abs(round(x, digits));\n        const [size",
        "const rounded = Math.abs(x);\n        const [size",
    ),
    ("zeros that stay", "shown.replace(/\\.?0+$/, '')", "shown"),
    ("a half that goes up", "below % 2 === 0 ? below : below + 1", "below + 1"),
    ("a half that goes towards zero", "Math.sign(y) * Math.round(Math.abs(y))", "Math.round(y)"),
    ("no commas", "replace(/\\B(?=(\\d{3})+$)/g, ',')", "replace(/x/, ',')"),
    ("one language's units", "zh ? [[1e8, '亿'], [1e4, '万']] :", ""),
];

#[test]
fn a_planted_difference_is_found() {
    if !node::is_there() {
        return;
    }
    let right = fs::read_to_string(ours()).unwrap();
    let folder = TempDir::new().unwrap();
    for (what, from, to) in PLANTED {
        assert_eq!(right.matches(from).count(), 1, "{what}: the script does not contain exactly one `{from}`");
        let script = folder.path().join("records.js");
        fs::write(&script, right.replace(from, to)).unwrap();
        assert!(first_difference(&script).is_some(), "{what}: not found");
    }
}

/// What the pages of a language show, each with its figures' text: one, or a median with the minimum and the
/// maximum.
fn shown(lang: Language) -> Vec<(String, String)> {
    let project = Project::at(book().join(".."));
    let sources = Sources::new(&project).unwrap();
    let figures = Regex::new(r#"<(?:data class="num"|td)[^>]* data-own="([^"]*)">(.*?)</(?:data|td)>"#).unwrap();
    let own = Regex::new(r#"(?: <span class="own">|<span class="yours">).*"#).unwrap();
    let plain =
        |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    let mut found = vec![];
    for page in project.pages(lang).unwrap() {
        let mut problems = vec![];
        let html = expand::page(&sources, &page.file, lang, &page.text, &mut problems);
        assert_eq!(problems, []);
        found.extend(
            figures.captures_iter(&html).map(|figure| (plain(&figure[1]), plain(&own.replace(&figure[2], "")))),
        );
    }
    found
}

#[test]
fn every_figure_of_every_page_is_found_in_its_record() {
    if !node::is_there() {
        return;
    }
    for lang in Language::ALL {
        let all = shown(lang);
        assert!(all.len() > 500, "the pages show only {} figures", all.len());
        let to = lang.pick(" to ", " 至 ");
        let mut asked = vec![];
        let mut expected = vec![];
        for (words, text) in &all {
            let text = text.replace("<span class=\"spread\">", ";").replace(to, ";").replace("</span>", "");
            asked.extend(
                words
                    .split(';')
                    .filter(|one| !one.is_empty())
                    .map(|one| json!({"ask": "show", "words": one, "zh": lang == Language::Chinese})),
            );
            expected.extend(text.split(';').filter(|_| !words.is_empty()).map(str::to_owned));
        }
        let found = answers(&ours(), &asked);
        assert_eq!((asked.len(), found.len()), (expected.len(), expected.len()));
        for ((asked, expected), found) in asked.iter().zip(&expected).zip(&found) {
            assert_eq!(found.as_str().unwrap_or("–"), expected, "{asked}");
        }
    }
}

#[test]
fn what_is_no_record_is_refused_and_a_spoiled_one_shows_text_or_nothing() {
    if !node::is_there() {
        return;
    }
    let kinds: Vec<String> = serde_json::from_value(answers(&ours(), &[json!({"ask": "kinds"})]).remove(0)).unwrap();
    let engines = [
        "ladder", "numbers", "scale", "sweep", "disks", "lab", "feed", "recover", "venue", "once", "path", "history",
        "replicas", "soak", "races",
    ];
    assert_eq!(kinds, [&engines[..], &["any-price-peers", "any-price"]].concat());
    let ladder = fs::read_to_string(book().join("../output/reference/ladder.json")).unwrap();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let at = |from: &str, to: &str| {
        assert!(ladder.contains(from), "the record has no {from}");
        ladder.replacen(from, to, 1)
    };
    let version = |at: &str| json!({"refused": "version", "kind": "ladder", "at": at});
    let long = format!("\"commit\": \"{}\", \"old", "x".repeat(1_001));
    for (text, told) in [
        (String::new(), json!({"refused": "json"})),
        ("chapters".into(), json!({"refused": "json"})),
        ("7".into(), json!({"refused": "kind"})),
        ("null".into(), json!({"refused": "kind"})),
        ("[]".into(), json!({"refused": "kind"})),
        ("{\"chapters\": []}".into(), json!({"refused": "kind"})),
        ("{\"__proto__\": {\"numbers\": 1}}".into(), json!({"refused": "kind"})),
        ("{\"chapters\": [], \"flow\": {}}".into(), version("machine")),
        (at("\"cpu\"", "\"processor\""), version("machine.cpu")),
        (at("\"orders_per_s\"", "\"throughput\""), version("chapters[0].orders_per_s")),
        (at("\"median\": ", "\"median\": -"), version("chapters[0].orders_per_s.median")),
        (at("\"rounds\": ", "\"rounds\": 1e999, \"more\": "), version("rounds")),
        (at("\"commit", &long), version("commit")),
        (
            at("\"rounds\": ", &format!("\"rounds\": {deep}, \"more\": ")),
            version(&format!("rounds{}", "[0]".repeat(11))),
        ),
    ] {
        let found = answers(&ours(), &[json!({"ask": "read", "text": text})]).remove(0);
        assert_eq!(found, told, "{}", &text[..text.len().min(200)]);
    }
    let english = shown(Language::English);
    let words: BTreeSet<&str> = english.iter().flat_map(|(words, _)| words.split(';')).collect();
    for kind in kinds.iter().filter(|kind| *kind != "lab") {
        let asked = json!({"ask": "spoil", "kind": kind, "words": words, "oneIn": Rounds::asked().pick(5, 1)});
        let found = answers(&ours(), &[asked]).remove(0);
        assert_eq!(found, json!({"taken": true, "refused": true}), "{kind}");
    }
}
