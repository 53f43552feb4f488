//! A reader's own records: dropped, shown beside the reference as the build shows them, refused with a message, kept
//! over a reload, and removed.

use super::looks::{is_asked, looks};
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use crate::fixture::Mini;
use results::language::Language;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

fn open(browser: &mut Browser, site: &Site, lang: Language, page: &str) {
    browser.open(&site.url(&format!("{}/{page}.html", lang.tag())));
}

fn text(browser: &mut Browser, what: &str) -> String {
    let text = browser.ask(&format!("document.querySelector('{what}').innerText.replaceAll('\\u00a0', ' ')"));
    text.as_str().unwrap_or_else(|| panic!("{what} has no text")).to_owned()
}

/// Drops files on the place, and returns its message.
fn drop_on(browser: &mut Browser, files: &[(&str, &str)]) -> String {
    let files = json!(files);
    browser.ask(&format!(
        "(() => {{
            const place = document.querySelector('.yours-place');
            const dataTransfer = new DataTransfer();
            for (const [name, text] of {files}) dataTransfer.items.add(new File([text], name));
            place.querySelector('[role=status]').replaceChildren();
            place.dispatchEvent(new DragEvent('drop', {{ dataTransfer, cancelable: true }}));
        }})()"
    ));
    told(browser)
}

/// The message of the place, once there is one.
fn told(browser: &mut Browser) -> String {
    browser.until("document.querySelector('.yours-place [role=status]').innerText !== ''");
    text(browser, ".yours-place [role=status]")
}

/// A record of the book, as another machine could have made it: its name is different, and group commit is twice as
/// fast.
fn own_ladder(site: &Site) -> String {
    let text = fs::read_to_string(site.project.reference().join("ladder.json")).unwrap();
    let mut record: Value = serde_json::from_str(&text).unwrap();
    record["machine"]["cpu"] = json!("Reader's <b>CPU</b> <img src=x onerror=alert(1)> & {file}");
    for of in ["median", "min", "max"] {
        let one = &mut record["chapters"][2]["orders_per_s"][of];
        *one = json!(one.as_f64().unwrap() * 2.0);
    }
    record.to_string()
}

/// What a page shows, without what surrounds it.
const SHOWN: &str = "document.querySelector('main').innerText.replace(/\\s+/g, ' ')";

/// Removes what exists only where a record is dropped: its place, and charts, which the build takes from files.
const BARE: &str = "document.querySelectorAll('.yours-place, figure.chart').forEach(one => one.remove())";

/// Which charts of the page are drawn a second time.
const DRAWN: &str = "[...document.querySelectorAll('figure[data-chart]')]
    .filter(one => one.nextElementSibling.matches('figure.dropped')).map(one => one.dataset.chart)";

#[test]
fn what_is_dropped_stands_where_the_build_puts_ones_own() {
    let Some(mut browser) = browser("en") else { return };
    let (with, without) = (Mini::new(), Mini::new());
    let edit = |name: &str, edits: &[(&str, &str)]| {
        let text = fs::read_to_string(with.path(&format!("output/reference/{name}.json"))).unwrap();
        let text = edits.iter().fold(text, |text, (from, to)| text.replace(from, to));
        fs::write(with.path(&format!("output/{name}.json")), &text).unwrap();
        text
    };
    // Another machine, other figures, a stage pass that was not run, and a chapter that does not
    // exist.
    let stages = "\"stages_ns\": {\"log_append\": 40";
    let edits = [
        ("CPU 3000", "CPU 9000"),
        ("8431.0", "9321.0"),
        ("8600.0", "9600.0"),
        ("118000", "11800"),
        (stages, "\"old\": {\"log_append\": 40"),
    ];
    let ladder = edit("ladder", &edits);
    let numbers = edit("numbers", &[("\"median_ns\": 1.4", "\"median_ns\": 2.26"), ("0123456789", "9876543210")]);
    let built = Site::build(with.project(), with.project().dist());
    let bare = Site::build(without.project(), without.project().dist());
    browser.look(1280, false);
    for lang in Language::ALL {
        open(&mut browser, &bare, lang, "one");
        drop_on(&mut browser, &[("ladder.json", &ladder), ("a run of mine.json", &numbers)]);
        browser.ask(BARE);
        let dropped = browser.ask(SHOWN);
        browser.ask("localStorage.clear()");
        open(&mut browser, &built, lang, "one");
        browser.ask(BARE);
        assert_eq!(dropped, browser.ask(SHOWN));
        let dropped = dropped.as_str().unwrap();
        assert!(dropped.contains("CPU 9000") && dropped.contains(lang.pick("yours 9,300", "你的 9,300")), "{dropped}");
        assert!(dropped.contains("2.3\u{a0}ns") || dropped.contains("2.3 ns"), "{dropped}");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn a_record_is_dropped_kept_and_taken_away() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let ladder = own_ladder(site);
    browser.look(1280, false);
    for lang in Language::ALL {
        open(&mut browser, site, lang, "group-commit");
        let before = browser.ask(SHOWN);
        open(&mut browser, site, lang, "measuring");
        assert_eq!(
            text(&mut browser, ".yours-place .soft + [role=status] + .soft"),
            lang.pick("No record of yours is here.", "这里还没有你的记录。")
        );
        let said = drop_on(&mut browser, &[("mine.json", &ladder)]);
        assert!(said.starts_with(lang.pick("ladder.json is taken", "收下了 ladder.json")), "{said}");
        let list = text(&mut browser, ".yours-place ul");
        assert!(list.contains("<img src=x onerror=alert(1)> & {file}"), "{list}");
        assert!(text(&mut browser, "[data-own=\"ladder:machine\"]").contains("Reader's <b>CPU</b>"));
        open(&mut browser, site, lang, "group-commit");
        let with = browser.ask(SHOWN);
        assert_ne!(before, with);
        assert_eq!(browser.ask("document.querySelectorAll('main img, main td b, main caption b').length"), 0);
        assert_eq!(browser.ask("document.querySelectorAll('table[data-own^=ladder] .yours').length > 10"), true);
        assert_eq!(browser.ask("document.querySelectorAll('data.num .own').length > 5"), true);
        open(&mut browser, site, lang, "measuring");
        a_chart_is_drawn(&mut browser, lang);
        // By keyboard: to the button, and pressed; the focus moves on.
        browser.ask("document.querySelector('.yours-place button').focus()");
        for kind in ["keyDown", "keyUp"] {
            browser.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}),
            );
        }
        let said = told(&mut browser);
        assert!(said.starts_with(lang.pick("ladder.json is taken away", "ladder.json 已拿走")), "{said}");
        assert_eq!(browser.ask("document.activeElement.id"), "own-records");
        assert_eq!(browser.ask("document.querySelectorAll('.yours, .own, .origin-own').length"), 0);
        assert_eq!(browser.ask("document.querySelectorAll('.dropped, figure[data-chart] figcaption').length"), 0);
        open(&mut browser, site, lang, "group-commit");
        assert_eq!(before, browser.ask(SHOWN), "as it was");
    }
    let is_here = |url: &str| url.starts_with("file://") || url.starts_with("data:") || url == "about:blank";
    let elsewhere = browser.requests.iter().filter(|url| !is_here(url));
    assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// The page's chart is drawn from the reader's record under ours, both are labelled, and what a record contains is
/// shown as text.
fn a_chart_is_drawn(browser: &mut Browser, lang: Language) {
    let (reference, own) = lang.pick(("Reference machine", "Your own run"), ("参考机器", "你自己的运行"));
    assert_eq!(browser.ask(DRAWN), json!(["latency"]));
    assert_eq!(text(browser, "figure[data-chart] figcaption"), reference);
    assert_eq!(text(browser, "figure.dropped figcaption"), own);
    let label = |browser: &mut Browser, what: &str| {
        browser.ask(&format!("document.querySelector('{what} svg').getAttribute('aria-label')"))
    };
    let (ours, theirs) = (label(browser, "figure[data-chart]"), label(browser, "figure.dropped"));
    // The record differs from ours in something that this chart does not show, and so does the text for screen
    // readers.
    let words =
        |label: &Value, who: &str| label.as_str().unwrap().strip_prefix(&format!("{who}: ")).unwrap().to_owned();
    assert_eq!(words(&ours, reference), words(&theirs, own));
    assert!(theirs.as_str().unwrap().contains("p99.9"), "{theirs}");
    let source = "[...document.querySelectorAll('figure.dropped text')].some(one => one.textContent.includes('<b>CPU</b> <img'))";
    assert_eq!(browser.ask(source), true);
    assert_eq!(browser.ask("document.querySelectorAll('figure.dropped :is(img, b, script, a)').length"), 0);
}

#[test]
fn a_record_that_is_no_picture_draws_none() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let ladder: Value = serde_json::from_str(&own_ladder(site)).unwrap();
    let spoiled = |spoil: &dyn Fn(&mut Value)| {
        let mut record = ladder.clone();
        spoil(&mut record);
        record.to_string()
    };
    let chapter = json!({"chapter": "0x01", "orders_per_s": {"median": 1, "min": 1, "max": 1}});
    let many = spoiled(&|record| record["chapters"] = json!(vec![chapter.clone(); 10_000]));
    let text = spoiled(&|record| record["machine"]["filesystem"] = json!({"toString": 1}));
    let turned = spoiled(&|record| record["chapters"][1]["orders_per_s"]["max"] = json!(0.5));
    let below = spoiled(&|record| record["chapters"][1]["orders_per_s"]["min"] = json!(-1));
    let no_number = ladder.to_string().replace("\"orders_per_s\":{", "\"orders_per_s\":{\"rate\":NaN,");
    browser.look(390, true);
    for (what, record, is_taken) in [
        ("10,000 chapters", &many, true),
        ("a box where a text belongs", &text, true),
        ("a fastest round below the slowest", &turned, true),
        ("a negative number", &below, false),
        ("no number", &no_number, false),
    ] {
        open(&mut browser, site, Language::English, "measuring");
        let said = drop_on(&mut browser, &[("ladder.json", record)]);
        assert_eq!(said.contains("is taken"), is_taken, "{what}: {said}");
        for page in ["measuring", "sharding"] {
            open(&mut browser, site, Language::English, page);
            assert_eq!(browser.ask(DRAWN), json!([]), "{what}");
            assert_eq!(browser.ask("document.querySelectorAll('.dropped, figure[data-chart] figcaption').length"), 0);
        }
        browser.ask("localStorage.clear()");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn a_file_that_is_not_a_record_is_refused_with_a_message() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let ladder = own_ladder(site);
    let large = format!("{{\"x\": \"{}\"}}", "x".repeat(1_000_000));
    browser.look(390, false);
    for lang in Language::ALL {
        open(&mut browser, site, lang, "measuring");
        for (file, text, words) in [
            (
                "summary.txt",
                "0x01  5,000",
                ["summary.txt was refused: it is not JSON.", "没有收下 summary.txt：它不是 JSON。"],
            ),
            (
                "race.json",
                "{\"base\": 1}",
                [
                    "race.json was refused: by what is in it, it is none of the records",
                    "没有收下 race.json：从内容看，本书没有用到这种记录。",
                ],
            ),
            (
                "ladder.json",
                &ladder.replace("\"orders_per_s\"", "\"throughput\""),
                [
                    "it looks like ladder.json, but what stands at chapters[0].orders_per_s",
                    "看上去是 ladder.json，但 chapters[0].orders_per_s",
                ],
            ),
            ("all.json", &large, ["larger than any record", "记录没有这么大的"]),
            ("<b>{kinds}</b>.json", "", ["<b>{kinds}</b>.json was refused", "没有收下 <b>{kinds}</b>.json"]),
        ] {
            let said = drop_on(&mut browser, &[(file, text)]);
            assert!(said.contains(lang.pick(words[0], words[1])), "{said}");
            assert_eq!(browser.ask("document.querySelectorAll('.yours-place li, .yours, .own').length"), 0, "{file}");
        }
        assert_eq!(faults(&mut browser, ".yours-place", lang.tag()), Vec::<String>::new());
    }
    // What is stored may be anything, and may be written by another page of this origin.
    let spoiled = ladder.replace("\"cpu\"", "\"gpu\"");
    for kept in ["[]", "nonsense", "{\"chapters\": [], \"flow\": 1}", &spoiled] {
        browser.ask(&format!("localStorage.setItem('book-record-ladder', {})", json!(kept)));
        open(&mut browser, site, Language::English, "measuring");
        assert_eq!(browser.ask("document.querySelectorAll('.yours-place li, .yours, .own').length"), 0, "{kept}");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn a_browser_without_storage_says_so_and_files_are_picked() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, true);
    let refuse = "Storage.prototype.setItem = () => { throw new Error('full'); }";
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": refuse}));
    open(&mut browser, site, Language::English, "measuring");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("output.json");
    fs::write(&file, own_ladder(site)).unwrap();
    let document = browser.call("DOM.getDocument", json!({}));
    let field =
        browser.call("DOM.querySelector", json!({"nodeId": document["root"]["nodeId"], "selector": "#own-records"}));
    browser.call("DOM.setFileInputFiles", json!({"files": [file], "nodeId": field["nodeId"]}));
    assert!(told(&mut browser).starts_with("ladder.json is taken"));
    assert!(text(&mut browser, ".yours-place li").contains("This browser keeps nothing"));
    assert_eq!(browser.ask("document.querySelectorAll('.own').length > 0"), true);
    open(&mut browser, site, Language::English, "measuring");
    assert_eq!(browser.ask("document.querySelectorAll('.own, .yours-place li').length"), 0);
    // Without its script the page describes the other way.
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, site, Language::Chinese, "measuring");
    assert_eq!(text(&mut browser, ".yours-place"), "页面能运行脚本时，这里是放记录的地方。");
    assert_eq!(browser.ask("document.querySelectorAll('.dropped').length"), 0);
}

#[test]
fn ones_own_is_sound_on_every_kind_of_page() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let reference = |name: &str| fs::read_to_string(site.project.reference().join(format!("{name}.json"))).unwrap();
    let names = "numbers scale sweep disks lab feed recover venue soak races any-price any-price-peers".split(' ');
    let texts: Vec<(String, String)> = names.map(|name| (format!("{name}.json"), reference(name))).collect();
    let mut files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let ladder = own_ladder(site);
    files.push(("ladder.json", &ladder));
    let plain = ["perf-metrics", "lab", "group-commit", "latency-numbers"];
    let charted = ["measuring", "sharding", "market-data", "snapshots", "gateway", "pinned-ring"];
    browser.look(1280, false);
    open(&mut browser, site, Language::English, "measuring");
    let said = drop_on(&mut browser, &files);
    assert_eq!(said.matches("is taken").count(), files.len(), "{said}");
    let mut found = vec![];
    for &(lang, width, dark) in looks() {
        browser.look(width, dark);
        for (_, page) in (0..).zip(plain.iter().chain(&charted)).filter(|(number, _)| is_asked(lang, *number)) {
            open(&mut browser, site, lang, page);
            assert_eq!(browser.ask("document.querySelectorAll('.own').length > 0"), true, "{page}");
            let charts = "[...document.querySelectorAll('figure[data-chart]')].map(one => one.dataset.chart)";
            assert_eq!(browser.ask(DRAWN), browser.ask(charts), "{page}");
            assert_eq!(browser.ask(&format!("{charts}.length > 0")), charted.contains(page), "{page}");
            found.extend(faults(
                &mut browser,
                ".own, figure[data-chart], .yours",
                &format!("{} {page} {width} {dark}", lang.tag()),
            ));
            keep_picture(&mut browser, &format!("{}-own-{page}", lang.tag()), width, dark);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(browser.errors, Vec::<String>::new());
}
