//! What a message costs, by flow and by book.

use super::bars::{Group, waits};
use super::palette;
use super::scene::Scene;
use super::source::source_plain;
use super::words::words;
use crate::language::Language;
use crate::record::{AnyPriceRecord, BookRecord, FlowRecord};
use crate::units::count_text;

/// Nanoseconds a message: a group for each flow, a bar for each book. Books are known by their first flow.
pub(crate) fn messages(record: &AnyPriceRecord, language: Language) -> Scene {
    let words = words(language);
    let group = |flow: &FlowRecord| Group {
        name: flow.name.clone(),
        remark: format!("{} {}", count_text(flow.orders as f64, language), words.any_price_orders),
        ns: flow.engines.iter().map(|engine| engine.ns.median).collect(),
    };
    let groups: Vec<_> = record.flows.iter().map(group).collect();
    let books = record.flows.first().map_or(&[][..], |flow| &flow.engines);
    // A library keeps its own name.
    let named = |book: &'_ BookRecord| match book.name.as_str() {
        "ladder" => words.any_price_books[0].to_owned(),
        "tree" => words.any_price_books[1].to_owned(),
        "vectors" => words.any_price_books[2].to_owned(),
        name => name.to_owned(),
    };
    let names: Vec<String> = books.iter().map(named).collect();
    let bars: Vec<_> = names.iter().map(String::as_str).zip(palette::BOOKS).collect();
    let titles = [words.any_price_title, words.any_price_subtitle];
    waits(&source_plain(&record.machine, &record.commit, language), titles, &bars, &groups, language)
}
