//! The record for people.

use comfy_table::Table;
use load::cells::{figures_right, table};
use results::language::Language;

use crate::record::{Cost, Naive, OnceRecord, Returning};

/// All tables.
pub fn text(record: &OnceRecord, language: Language) -> String {
    let zh = language == Language::Chinese;
    let say = |en: &'static str, zh_words: &'static str| if zh { zh_words } else { en };
    let inside = &record.inside;
    let mut one = table(&["", say("measured", "实测")]);
    for (name, figure) in [
        (say("look-up of a number", "查一个编号"), format!("{:.0} ns", inside.look_ns.median)),
        (say("a new number, all of it", "新编号，全程"), format!("{:.0} ns", inside.new_ns.median)),
        (say("a repeat", "重复的请求"), format!("{:.0} ns", inside.repeat_ns.median)),
        (say("memory for a lane", "每条通道的内存"), format!("{:.0} B", inside.lane_bytes)),
        (say("memory for a kept outcome", "每个保留结果的内存"), format!("{:.0} B", inside.outcome_bytes)),
        (say("notices into the ring", "通知写入环"), format!("{:.1} M/s", inside.added_per_s.median / 1e6)),
        (
            say("notices out of it, one reader", "一个读者从环中取出"),
            format!("{:.1} M/s", inside.taken_per_s.median / 1e6),
        ),
    ] {
        one.add_row([name.to_owned(), figure]);
    }
    let mut costs = table(&[
        say("orders a second", "每秒订单数"),
        "0x0a",
        say("0x0b, no numbers", "0x0b，无编号"),
        say("0x0b, numbers", "0x0b，有编号"),
        say("to 0x0a", "与 0x0a 之比"),
        say("to no numbers", "与无编号之比"),
        say("server, µs", "服务器，µs"),
        say("repeats a second", "每秒重复请求数"),
    ]);
    for Cost {
        name, before_per_s, without_per_s, with_per_s, ratio, ratio_of_numbers, server_ns, repeats_per_s, ..
    } in &record.costs
    {
        let server: Vec<_> = server_ns.iter().map(|spread| format!("{:.2}", spread.median / 1e3)).collect();
        costs.add_row([
            name.clone(),
            format!("{:.0}", before_per_s.median),
            format!("{:.0}", without_per_s.median),
            format!("{:.0}", with_per_s.median),
            format!("{:.3}", ratio.median),
            format!("{:.3}", ratio_of_numbers.median),
            server.join(" "),
            format!("{:.0}", repeats_per_s.median),
        ]);
    }
    let many = many(record, say);
    let mut back =
        table(&[say("notices missed", "错过的通知"), say("from the ring", "从环中"), say("from the log", "从日志中")]);
    for Returning { notices, ring_ms, log_ms } in &record.returning {
        back.add_row([notices.to_string(), format!("{:.1} ms", ring_ms.median), format!("{:.1} ms", log_ms.median)]);
    }
    let mut naive = table(&[
        say("way", "做法"),
        say("asked", "请求数"),
        say("twice", "做了两次"),
        say("lost", "丢失"),
        say("a second", "每秒"),
    ]);
    for Naive { name, asked, twice, lost, per_s } in &record.naive {
        let per_s = per_s.map_or(String::new(), |per_s| format!("{per_s:.0}"));
        naive.add_row([name.clone(), asked.to_string(), twice.to_string(), lost.to_string(), per_s]);
    }
    [one, costs, many, back, naive].map(|table| format!("{}\n", figures_right(table))).join("\n")
}

/// What happens with many clients at once.
fn many(record: &OnceRecord, say: impl Fn(&'static str, &'static str) -> &'static str) -> Table {
    let mut many = table(&["", say("measured", "实测")]);
    for (name, figure) in [
        (say("orders a second, honest clients alone", "每秒订单数，只有守规矩的客户端"), &record.storm.alone_per_s),
        (say("the same beside a storm of repeats", "同上，旁边有重发风暴"), &record.storm.beside_per_s),
        (say("repeats a second in the storm", "风暴中每秒的重发"), &record.storm.repeats_per_s),
        (say("notices a second, many readers over WebSocket", "每秒通知数，许多读者经 WebSocket"), &record.many.per_s),
    ] {
        many.add_row([name.to_owned(), format!("{:.0}", figure.median)]);
    }
    many
}
