//! Places for guesses in a small book, broken on purpose.

use crate::fixture::Mini;
use std::fs;
use std::path::Path;

const FILE: &str = "book/guesses/guesses.toml";
const ANSWER: &str = "num ladder:chapters[0x01].orders_per_s.median";

/// A guess of the mini book's first page.
fn toml(id: &str, rest: &str) -> String {
    format!("[[guess]]\nid = \"{id}\"\npage = \"one\"\nen = \"How many?\"\nzh = \"多少？\"\n{rest}\n")
}

/// A book with a guess in both languages, `directive` in its section and `guesses` in its file.
fn book(directive: &str, guesses: &str) -> Mini {
    let mini = Mini::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("guesses/words.toml");
    fs::create_dir_all(mini.path("book/guesses")).unwrap();
    fs::copy(own, mini.path("book/guesses/words.toml")).unwrap();
    fs::write(mini.path(FILE), guesses).unwrap();
    for (lang, heading, title, question) in
        [("en", "## Numbers", "Guess", "How many?"), ("zh", "## 数字", "猜", "多少？")]
    {
        let section =
            format!("## {title} {{#guess}}\n\n{question}\n\n{directive}\n\n<!-- answer: {ANSWER} -->\n\n{heading}");
        mini.edit(&format!("book/{lang}/one.md"), heading, &section);
    }
    mini.stamped();
    mini
}

fn count(kind: &str) -> String {
    toml("orders", &format!("kind = \"{kind}\"\nanswer = \"{ANSWER}\""))
}

#[test]
fn a_guess_carries_its_answer_out_of_the_record() {
    let mini = book("{{guess orders}}", &count("count"));
    assert_eq!(mini.problems(), []);
    let page = mini.built("en/one.html");
    let record = fs::read_to_string(mini.path("output/reference/ladder.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let median = record["chapters"][0]["orders_per_s"]["median"].as_f64().unwrap();
    assert!(page.contains(&format!("&quot;value&quot;:{median:?}")), "{median} is not in the page");
}

#[test]
fn a_guess_and_its_answer_belong_together() {
    let bites = |directive: &str, guesses: &str, file: &str, reason: &str| {
        book(directive, guesses).bites(file, reason);
    };
    bites("", &count("count"), FILE, "book/en/one.md has no {{guess orders}}");
    bites("{{guess other}}", &count("count"), "book/zh/one.md", "has no guess `other`");
    let elsewhere = count("count").replace("0x01", "0x02");
    bites("{{guess orders}}", &elsewhere, "book/en/one.md", "write `<!-- answer: num ladder:chapters[0x02]");
    bites("{{guess orders}}", &elsewhere, "book/en/one.md", "is to be guessed, but no guess");
    let nowhere = count("count").replace("orders_per_s", "orders_a_year");
    bites("{{guess orders}}", &nowhere, "book/en/one.md", "orders_a_year");
    bites("{{guess orders}}", &count("hunch"), "book/en/one.md", "unknown variant `hunch`");
    let table = count("count").replace(ANSWER, "table ladder");
    bites("{{guess orders}}", &table, "book/en/one.md", "gives no number: write `num …` or `ratio …`");
    let mini = book("{{guess orders}}", &count("count"));
    mini.edit("book/en/one.md", "{{guess orders}}\n", "").edit(
        "book/en/one.md",
        "## Numbers {#numbers}\n",
        "## Numbers {#numbers}\n\n{{guess orders}}\n",
    );
    mini.bites("book/en/one.md", "is outside of the section `guess`");
}

#[test]
fn a_choice_knows_what_is_right() {
    let choice = |options: &str, items: &str| {
        toml("orders", &format!("kind = \"choice\"\nanswer = \"{ANSWER}\"\noptions = [{options}]\nitems = [{items}]"))
    };
    let two = |a: &str, b: &str| format!("{{ en = \"a\", zh = \"一\"{a} }}, {{ en = \"b\", zh = \"二\"{b} }}");
    let item = |rest: &str| format!("{{ en = \"it\", zh = \"它\"{rest} }}");
    let right = |guesses: &str| {
        let mini = book("{{guess orders}}", guesses);
        assert_eq!(mini.problems(), []);
        let page = mini.built("en/one.html");
        page.split_once("&quot;right&quot;:").unwrap().1.chars().next().unwrap()
    };
    let value = format!(", value = \"{ANSWER}\"");
    assert_eq!(right(&choice(&two(", below = 1.0", ""), &item(&value))), '1');
    assert_eq!(right(&choice(&two(", below = 1e12", ""), &item(&value))), '0');
    assert_eq!(right(&choice(&two("", ""), &item(", right = 1"))), '1');
    let larger = ", value = \"num ladder:chapters[0x02].orders_per_s.median\"";
    assert_eq!(right(&choice(&two(&value, larger), &item(""))), '1');
    for (options, item, reason) in [
        (two("", ""), item(""), "has no answer"),
        (two("", ""), item(", right = 2"), "there is no option 2"),
        (two(", below = 1.0", ", below = 2.0"), item(&value), "no option holds"),
    ] {
        book("{{guess orders}}", &choice(&options, &item)).bites("book/en/one.md", reason);
    }
}
