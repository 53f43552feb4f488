//! The record for people.

use comfy_table::{CellAlignment, Table, presets};
use results::language::Language;

use crate::questions::{ASKED, QUESTIONS};
use crate::record::{HistoryRecord, QuestionsRecord, ReadRecord, StoreRecord};

/// All tables.
pub fn text(record: &HistoryRecord, language: Language) -> String {
    let zh = language == Language::Chinese;
    let say = |en: &'static str, zh_words: &'static str| if zh { zh_words } else { en };
    let mut derived = table(&[say("derived a second", "每秒推导"), say("commands", "命令"), say("rows", "行")]);
    let per_s = [&record.commands_per_s, &record.rows_per_s].map(|spread| format!("{:.0}", spread.median));
    derived.add_row([say("the follower", "跟随者").to_owned(), per_s[0].clone(), per_s[1].clone()]);
    let mut columns = table(&[say("written a second", "每秒写出"), say("trades", "成交")]);
    columns.add_row([say("columns", "列").to_owned(), format!("{:.0}", record.column_trades_per_s.median)]);
    let mut stores = table(&[
        say("the same rows", "同样的行"),
        say("rows a second", "每秒行数"),
        say("MB on disk", "盘上 MB"),
        say("bytes written for each", "每字节写出"),
    ]);
    for StoreRecord { name, rows_per_s, bytes, amplification } in &record.stores {
        let amplification = amplification.map_or(String::new(), |factor| format!("{factor:.1}"));
        stores.add_row([
            name.clone(),
            format!("{:.0}", rows_per_s.median),
            format!("{:.1}", bytes / 1e6),
            amplification,
        ]);
    }
    let mut reads = table(&["µs", "p50", "p99"]);
    for ReadRecord { name, p50_ns, p99_ns } in record.reads.iter().chain(&record.pages) {
        let us = |ns: f64| format!("{:.1}", ns / 1e3);
        reads.add_row([name.clone(), us(p50_ns.median), us(p99_ns.median)]);
    }
    let mut forms = table(&[say("a trade", "一笔成交"), say("bytes", "字节")]);
    for form in &record.forms {
        forms.add_row([form.name.clone(), format!("{:.0}", form.bytes)]);
    }
    let questions = record.questions.as_ref().map(|asked| questions(asked, say("trades, ms", "笔成交，毫秒")));
    let all = [derived, columns, stores, reads, forms].into_iter().chain(questions);
    all.map(|table| format!("{}\n", right(table))).collect()
}

/// A row for each question, and a column for each engine with a form.
fn questions(asked: &QuestionsRecord, of: &str) -> Table {
    let columns: Vec<_> = ASKED.iter().map(|(who, form)| format!("{who}-{form}")).chain(["rows".into()]).collect();
    let head = [format!("{:.0} {of}", asked.trades)].into_iter().chain(columns.iter().cloned());
    let mut found = table(&[]);
    found.set_header(head);
    for question in QUESTIONS {
        let time = |column: &String| {
            let name = format!("{question}-{column}");
            let time = asked.times.iter().find(|time| time.name == name);
            time.map_or(String::new(), |time| format!("{:.1}", time.ms.median))
        };
        found.add_row([question.to_owned()].into_iter().chain(columns.iter().map(time)));
    }
    found
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head.iter().copied());
    table
}

fn right(mut table: Table) -> Table {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
