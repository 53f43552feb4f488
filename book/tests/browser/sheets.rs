//! The sheets for a course, printed: each session on a side of its own.

use crate::{Site, browser, decode};
use regex::bytes::Regex;
use results::language::Language;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The sessions of the teachers' page.
const SESSIONS: usize = 15;

#[test]
fn each_session_fills_one_side_and_no_side_is_empty() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    // An object of a PDF: a page, and not the list of pages.
    let side = Regex::new(r"/Type\s*/Page\b").unwrap();
    for lang in Language::ALL {
        browser.look(1280, false);
        browser.open(&site.url(&format!("{}/sheets.html", lang.tag())));
        let shown = "[document.querySelectorAll('.sheet').length, \
                     [...document.querySelectorAll('.sheet')].filter(one => one.querySelector('svg') && one.querySelector('.room')).length]";
        assert_eq!(browser.ask(shown), json!([SESSIONS, SESSIONS]));
        let printed = browser.call("Page.printToPDF", json!({ "preferCSSPageSize": true, "printBackground": true }));
        let pdf = decode(printed["data"].as_str().unwrap());
        if let Some(folder) = std::env::var_os("BOOK_PICTURES").map(PathBuf::from) {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("sheets-{}.pdf", lang.tag())), &pdf).unwrap();
        }
        assert_eq!(side.find_iter(&pdf).count(), SESSIONS, "{}", lang.tag());
    }
}
