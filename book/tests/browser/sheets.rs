//! The sheets for a course: each session of the teachers' page has one, with the question of its chapter, and each takes
//! one side of paper.

use crate::{Site, browser, decode};
use regex::Regex;
use results::language::Language;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The sessions of the course.
const SESSIONS: usize = 15;

/// A paper's name, and its width and height in inches.
const PAPERS: [(&str, f64, f64); 2] = [("a4", 8.27, 11.69), ("letter", 8.5, 11.0)];

/// The widest margin that a browser prints with unless it is told otherwise, in inches: Firefox's.
const MARGIN: f64 = 0.5;

/// How many pages a PDF has: its objects of the type `Page`. The list of them has the type `Pages`, and counts them as well.
fn sides(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let pages = Regex::new(r"/Type\s*/Page\b").unwrap().find_iter(&text).count();
    let counts = Regex::new(r"/Count (\d+)").unwrap().captures_iter(&text).map(|count| count[1].parse().unwrap()).max();
    assert_eq!(counts, Some(pages), "what the PDF says of itself, and the pages in it");
    pages
}

#[test]
fn each_sheet_takes_one_side_of_either_paper() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for lang in Language::ALL {
        browser.look(1280, false);
        browser.open(&site.url(&format!("{}/sheets.html", lang.tag())));
        assert_eq!(browser.ask("document.querySelectorAll('main > .sheet').length"), SESSIONS);
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let top = browser.ask("document.querySelector('.sheet h2').getBoundingClientRect().top");
        assert!(top.as_f64().unwrap() >= 0.0, "the first side is cut off at the top: {top}, {}", lang.tag());
        for (paper, width, height) in PAPERS {
            let options = json!({ "paperWidth": width, "paperHeight": height, "marginTop": MARGIN, "marginBottom": MARGIN,
                "marginLeft": MARGIN, "marginRight": MARGIN });
            let pdf = decode(browser.call("Page.printToPDF", options)["data"].as_str().unwrap());
            if let Some(folder) = std::env::var_os("BOOK_PICTURES").map(PathBuf::from) {
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(format!("sheets-{}-{paper}.pdf", lang.tag())), &pdf).unwrap();
            }
            // Each sheet begins a new side, so as many sides as sheets means that none takes two and nothing else is printed.
            assert_eq!(sides(&pdf), SESSIONS, "sides of {paper}, {}", lang.tag());
        }
    }
}

#[test]
fn every_session_has_a_sheet_with_the_question_of_its_chapter() {
    let session = Regex::new(r"(?m)^\| (\d+\. [^|]+?) \|").unwrap();
    let sheet =
        Regex::new(r"(?m)^## (\d+\. .+?) \{#session-\d+\}(?:\n<!-- en:\w+ -->)?\n\n\*\*\[(.+)\]\((.+)\)\*\*$").unwrap();
    let project = &Site::book().project;
    for lang in Language::ALL {
        let pages = project.pages(lang).unwrap();
        let text = |name: &str| &pages.iter().find(|page| page.name() == name).unwrap().text;
        let sessions: Vec<&str> =
            session.captures_iter(text("teachers.md")).map(|row| row.get(1).unwrap().as_str()).collect();
        let sheets: Vec<[&str; 3]> = sheet.captures_iter(text("sheets.md")).map(|found| found.extract().1).collect();
        assert_eq!(sheets.iter().map(|[title, ..]| *title).collect::<Vec<_>>(), sessions, "{}", lang.tag());
        assert_eq!(sheets.len(), SESSIONS, "{}", lang.tag());
        for [title, question, page] in sheets {
            let asks = text(page).split("\n\n").nth(1).unwrap();
            assert_eq!(question, asks, "{}: {title} asks what {page} asks at its beginning", lang.tag());
        }
    }
}
