//! What the page's script draws from a reader's record (`book/theme/charts`) is what the measuring tool draws from it
//! (`results::charts`): the same shapes in the same places, the same texts, in both languages; and a record that
//! gives no picture gives none in either.
//!
//! Needs node. Without it the test prints what was skipped; with `CI` set that is a failure.

mod made_up;

use crate::node;
use book::project::Project;
use catalogue::Catalogue;
use program::rounds::Rounds;
use regex::Regex;
use results::charts::{VERBS, given, scenes};
use results::language::Language;
use results::record::{HistoryOfFigures, Record};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Two positions are equal if they are this close: the tool measures text with single-precision numbers.
const NEAR: f64 = 0.01;

fn book() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn project() -> Project {
    Project::at(book().join(".."))
}

fn chapters() -> Catalogue {
    project().chapters().unwrap()
}

/// The scripts that draw, in the order in which a page loads them.
fn scripts() -> Vec<String> {
    let named = Regex::new(r#""book/theme/(charts/[^"]*)""#).unwrap();
    let toml = project().read("book.toml").unwrap();
    let all = named.captures_iter(&toml).map(|found| found[1].to_owned());
    all.filter(|script| script != "charts/show.js").collect()
}

/// Asks the scripts in a theme's folder, and returns one answer for each question. What is passed in both languages
/// is asked first.
fn answers(theme: &Path, questions: &[Value]) -> Result<Vec<Value>, String> {
    let folder = TempDir::new().unwrap();
    let asked = folder.path().join("questions");
    let given = Language::ALL
        .map(|language| json!({"ask": "given", "language": language.tag(), "value": given(&chapters(), language)}));
    let lines: String = given.iter().chain(questions).map(|question| format!("{question}\n")).collect();
    fs::write(&asked, lines).unwrap();
    let output = Command::new("node")
        .arg(book().join("tests/whole/charts/draw.js"))
        .arg(theme)
        .args(scripts())
        .stdin(fs::File::open(&asked).unwrap())
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let answers = String::from_utf8(output.stdout).unwrap();
    Ok(answers.lines().skip(given.len()).map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn ours() -> PathBuf {
    book().join("theme")
}

fn reference(verb: &str) -> Value {
    let file = project().reference().join(format!("{verb}.json"));
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Where two drawings differ, as a path with both values; `None` if they are equal.
fn unlike(ours: &Value, theirs: &Value, path: &str) -> Option<String> {
    let said = || Some(format!("{path}: the tool draws {ours}, the script {theirs}"));
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            let near = (a.as_f64()? - b.as_f64()?).abs() <= NEAR;
            if near { None } else { said() }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(at, (a, b))| unlike(a, b, &format!("{path}[{at}]")))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, a)| unlike(a, b.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}")))
        }
        _ if ours == theirs => None,
        _ => said(),
    }
}

/// Every chart of every record, reference and made up: the question for the script, what the tool draws, and its
/// name.
struct Expected {
    asked: Vec<Value>,
    drawn: Vec<Value>,
    told: Vec<String>,
}

static EXPECTED: LazyLock<Expected> = LazyLock::new(|| {
    let mut expected = Expected { asked: vec![], drawn: vec![], told: vec![] };
    for verb in VERBS {
        for (what, record) in made_up::records(verb, &reference(verb)) {
            for language in Language::ALL {
                let scenes: BTreeMap<_, _> = scenes(verb, &record.to_string(), &chapters(), language)
                    .map(|scenes| scenes.into_iter().collect())
                    .unwrap_or_default();
                expected.asked.push(draw(verb, &record, language));
                expected.drawn.push(json!(scenes));
                expected.told.push(format!("{what}, {}", language.tag()));
            }
        }
    }
    expected
});

/// Asks for all charts of a record.
fn draw(verb: &str, record: &Value, language: Language) -> Value {
    json!({"ask": "draw", "records": {verb: record}, "language": language.tag()})
}

/// The charts that the script claims to draw.
fn names() -> Vec<String> {
    serde_json::from_value(answers(&ours(), &[json!({"ask": "names"})]).unwrap().remove(0)).unwrap()
}

/// The first thing that the scripts of a theme draw differently from the tool.
fn first_difference(theme: &Path, languages: &[Language]) -> Option<String> {
    let Expected { asked, drawn, told } = &*EXPECTED;
    let spoken = |at: &usize| languages.iter().any(|language| asked[*at]["language"] == language.tag());
    let places: Vec<usize> = (0..asked.len()).filter(spoken).collect();
    // In portions: after the first difference nothing more is asked.
    places.chunks(places.len().div_ceil(8)).find_map(|places| {
        let questions: Vec<Value> = places.iter().map(|at| asked[*at].clone()).collect();
        let found = match answers(theme, &questions) {
            Ok(found) => found,
            Err(error) => return Some(error),
        };
        assert_eq!(found.len(), questions.len());
        places.iter().zip(&found).find_map(|(&at, found)| unlike(&drawn[at], found, &told[at]))
    })
}

#[test]
fn every_chart_is_drawn_as_the_measuring_tool_draws_it() {
    if !node::is_there() {
        return;
    }
    let pictures: usize = EXPECTED.drawn.iter().map(|drawn| drawn.as_object().unwrap().len()).sum();
    assert!(pictures > 500, "only {pictures} pictures were compared");
    assert_eq!(first_difference(&ours(), &Language::ALL), None);
}

/// But for the history of the figures: it comes from the commits, and no run of a reader writes one.
#[test]
fn every_chart_that_a_page_shows_or_a_record_has_is_known() {
    if !node::is_there() {
        return;
    }
    let names = names();
    let directive = Regex::new(r"\{\{chart ([\w-]+)").unwrap();
    for lang in Language::ALL {
        for page in project().pages(lang).unwrap() {
            for found in directive.captures_iter(&page.text).filter(|found| &found[1] != HistoryOfFigures::VERB) {
                assert!(names.contains(&found[1].to_owned()), "{}: no script draws {}", page.file.display(), &found[1]);
            }
        }
    }
    let of = |verb: &str| scenes(verb, &reference(verb).to_string(), &chapters(), Language::English).unwrap();
    let mut drawn: Vec<&str> = VERBS.iter().flat_map(|verb| of(verb)).map(|(name, _)| name).collect();
    let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
    drawn.sort_unstable();
    known.sort_unstable();
    assert_eq!(drawn, known);
}

/// Likely mistakes; the comparison would be worthless if it did not find them.
const PLANTED: [(&str, &str, &str, &str); 15] = [
    ("a scale", "scene.js", "Math.max(high * 1.25, low * 10)", "Math.max(high * 1.26, low * 10)"),
    ("a lower end", "scene.js", "Math.log10(least) - 0.2", "Math.log10(least)"),
    ("ticks on a short axis", "scene.js", "last - first < 2.5", "last - first < 2"),
    ("a round top", "scene.js", "[0.1, 0.2, 0.25, 0.5, 1, 2]", "[0.1, 0.2, 0.5, 1, 2]"),
    (
        "a label",
        "ladder.js",
        "`${names[place].join(' ')} ${rate(median)}`",
        "`${names[place].join(' ')} ${count(median)}`",
    ),
    (
        "a colour",
        "ladder.js",
        "return after.max < before.min ? colours.loss",
        "return after.max < before.max ? colours.loss",
    ),
    ("a missing whisker", "ladder.js", "if (to - from < 2) return;", "if (to - from < 20) return;"),
    ("a half that goes up", "figures.js", "isTie && Number(below.at(-1)) % 2 === 0", "false"),
    ("a unit too early", "figures.js", "ns < 999.5 * one", "ns < 1000 * one"),
    ("a text that is cut late", "figures.js", "width(some, size) * 1.15 <= room", "width(some, size) <= room"),
    ("a law with too few points", "points.js", ".size < 3", ".size < 2"),
    ("a label over a dot", "points.js", "!taken.some(other => overlap(other, bounds))", "true"),
    ("a time that counts for nothing", "lines.js", ">= record.rounds", "> record.rounds"),
    ("bars that are too thin", "bars.js", "(thin + 3) * most + 28", "(thin + 2) * most + 28"),
    ("a chart that is not known", "charts.js", "        scale: ['scale', scale, drawers.scale],\n", ""),
];

#[test]
fn a_planted_difference_is_found() {
    if !node::is_there() {
        return;
    }
    let folder = TempDir::new().unwrap();
    for script in scripts().iter().map(String::as_str).chain(["records.js"]) {
        fs::create_dir_all(folder.path().join("charts")).unwrap();
        fs::copy(ours().join(script), folder.path().join(script)).unwrap();
    }
    for (what, file, from, to) in PLANTED {
        let (right, script) = (ours().join("charts").join(file), folder.path().join("charts").join(file));
        let text = fs::read_to_string(&right).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{what}: {file} does not contain exactly one `{from}`");
        fs::write(&script, text.replace(from, to)).unwrap();
        assert!(first_difference(folder.path(), &[Language::English]).is_some(), "{what}: not found");
        fs::copy(&right, &script).unwrap();
    }
    assert_eq!(first_difference(folder.path(), &[Language::English]), None);
}

/// The elements of a picture, each with its attributes in order and its text; numbers as they are
/// displayed.
fn elements(svg: &str) -> Vec<String> {
    let element = Regex::new(r"(?s)<(rect|polyline|circle|text) ([^>]*?)/?>([^<]*)").unwrap();
    let attribute = Regex::new(r#"([\w-]+)="([^"]*)""#).unwrap();
    let found = element.captures_iter(svg).map(|found| {
        let attributes = attribute.captures_iter(&found[2]).map(|one| (one[1].to_owned(), seen(&one[2])));
        let mut attributes: BTreeMap<String, String> = attributes.collect();
        if &found[1] == "circle" {
            // Of an edge that a dot does not have.
            attributes.remove("stroke-width");
        }
        let plain =
            found[3].trim().replace("&lt;", "<").replace("&gt;", ">").replace("&apos;", "'").replace("&amp;", "&");
        format!("{} {attributes:?} {plain}", &found[1])
    });
    found.collect()
}

fn seen(value: &str) -> String {
    value.parse::<f64>().map_or(value.trim().to_owned(), |number| format!("{number:.3}"))
}

#[test]
fn the_reference_records_give_the_pictures_of_the_book() {
    if !node::is_there() {
        return;
    }
    let mut named = vec![];
    let mut asked = vec![];
    for verb in VERBS {
        let record = reference(verb);
        for language in Language::ALL {
            for (name, _) in scenes(verb, &record.to_string(), &chapters(), language).unwrap() {
                asked.push(json!({"ask": "svg", "name": name, "records": {verb: record}, "language": language.tag()}));
                named.push((name, language));
            }
        }
    }
    let drawn = answers(&ours(), &asked).unwrap();
    assert_eq!(drawn.len(), named.len());
    for ((name, language), drawn) in named.iter().zip(&drawn) {
        let file = project().reference().join(format!("charts/{name}.{}.svg", language.tag()));
        let ours = fs::read_to_string(file).unwrap();
        assert!(ours.contains(&format!("viewBox=\"{}\"", drawn["viewBox"].as_str().unwrap())), "{name}");
        let (ours, theirs) = (elements(&ours), drawn_elements(drawn));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{name}, {}", language.tag());
        }
        assert_eq!(ours.len(), theirs.len(), "{name}, {}", language.tag());
    }
}

/// The elements that a script drew, written like those of a picture.
fn drawn_elements(drawn: &Value) -> Vec<String> {
    let written = drawn["elements"].as_array().unwrap().iter().map(|element| {
        let attributes = element[1].as_object().unwrap().iter();
        let attributes =
            attributes.map(|(key, value)| (key.clone(), seen(value.as_str().unwrap_or(&value.to_string()))));
        let attributes: BTreeMap<String, String> = attributes.collect();
        format!("{} {attributes:?} {}", element[0].as_str().unwrap(), element[2].as_str().unwrap_or_default())
    });
    written.collect()
}

#[test]
fn a_spoiled_record_is_a_picture_or_none() {
    if !node::is_there() {
        return;
    }
    let one_in = Rounds::asked().pick(3, 1);
    let asked = VERBS.map(|verb| {
        json!({"ask": "spoil", "kind": verb, "text": reference(verb).to_string(), "language": "en", "oneIn": one_in})
    });
    for (verb, told) in VERBS.iter().zip(answers(&ours(), &asked).unwrap_or_else(|error| panic!("{error}"))) {
        let count = |of: &str| told[of].as_u64().unwrap();
        assert!(count("refused") > 0 && count("nothing") > 0 && count("drawn") > 0, "{verb}: {told}");
    }
    // Far more rows than fit into a picture.
    let mut ladder = reference("ladder");
    let chapter = ladder["chapters"][0].clone();
    ladder["chapters"] = json!(vec![chapter; 10_000]);
    assert_eq!(answers(&ours(), &[draw("ladder", &ladder, Language::English)]).unwrap(), [json!({})]);
}
