//! What `-- path` found, for people.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use results::language::Language;
use results::record::venue::LateRecord;
use serde::{Deserialize, Serialize};

use crate::http::{PathReport, Request, Times};
use crate::notices::Notice;
use crate::stage::{MEANINGS, Moment, NAMES};
use crate::waterfall::waterfall;
use crate::way::{self, Ways};

/// What a run found.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Found {
    /// As the clients saw it: from the moment when each order was due.
    pub client: LateRecord,
    /// As the venue saw it.
    pub path: PathReport,
    /// The orders that both know, with the moments of both.
    pub ways: Ways,
    /// From the moment when an order was due until the account whose order it met had read its notice. None where no account
    /// reads them.
    pub notices: Option<Times>,
}

/// The tables and pictures.
pub fn text(found: &Found, slowest: usize, language: Language) -> String {
    let zh = language == Language::Chinese;
    let say = |en: &'static str, zh_words: &'static str| if zh { zh_words } else { en };
    let PathReport { stages, whole, sync, commands_each, .. } = &found.path;
    let mut text = format!("{}\n", breakdown(&found.path, zh));
    let mean: f64 = stages.iter().map(|stage| stage.mean_ns).sum();
    let p99: u64 = stages.iter().map(|stage| stage.p99_ns).sum();
    let _ = writeln!(
        text,
        "{}: {:.1} µs, {:.1} µs\n{}: {:.1} µs, {:.1} µs",
        say("means: the stages' sum, and the whole's", "平均值：各阶段之和，与整体的"),
        mean / 1e3,
        whole.mean_ns / 1e3,
        say("p99: the stages' sum, and the whole's", "p99：各阶段之和，与整体的"),
        p99 as f64 / 1e3,
        whole.p99_ns as f64 / 1e3
    );
    let _ = writeln!(
        text,
        "{}: {}, p50 {:.1} µs, p99 {:.1} µs, {:.1} {}",
        say("syncs", "同步"),
        sync.count,
        sync.p50_ns as f64 / 1e3,
        sync.p99_ns as f64 / 1e3,
        commands_each,
        say("commands each", "条命令每次")
    );
    let client = &found.client;
    let _ = writeln!(
        text,
        "{}: {:.0}/s, p50 {:.3} ms, p99 {:.3} ms\n",
        say("as the clients saw it, from when each was due", "从客户端看，自应发送之时起"),
        client.achieved_per_s,
        client.p50_ms,
        client.p99_ms
    );
    if let Some(times) = &found.notices {
        text.push_str(&other_side(times, zh));
    }
    if !found.ways.sampled.is_empty() {
        text.push_str(&clients(&found.ways, zh));
    }
    let ways = found.ways.by_number();
    let way = |request: &Request| ways.get(&(request.shard, request.sequence));
    // From the moment when it was due, where the load knows it.
    let took = |request: &Request| way(request).map_or(request.whole_ns(), |way| way.whole_ns());
    let mut all: Vec<&Request> = found.path.slowest.iter().chain(&found.path.sampled).collect();
    all.sort_by_key(|request| (std::cmp::Reverse(took(request)), request.sequence));
    all.dedup_by_key(|request| (request.shard, request.sequence));
    // The market and the deposits are no orders of the load.
    let orders = all.iter().filter(|request| ways.is_empty() || way(request).is_some());
    for (place, request) in orders.take(slowest).enumerate() {
        let (at, names): (&[u64], &[&str]) = match way(request) {
            Some(way) => (&way.at_ns, &way::NAMES),
            None => (&request.at_ns, &NAMES),
        };
        let longest = names.iter().zip(at.windows(2)).max_by_key(|(_, moments)| moments[1] - moments[0]);
        let stage = longest.map_or("", |(name, _)| name);
        let _ = writeln!(text, "{} {}, {}", say("slowest", "最慢"), place + 1, waited(request, stage, &all, zh));
        text.push_str(&waterfall(at, names));
        found.path.told.iter().filter(|notice| is_of(notice, request)).for_each(|notice| {
            text.push_str(&told(notice, zh));
        });
        text.push('\n');
    }
    text
}

/// Until the accounts whose orders were met had read their notices.
fn other_side(times: &Times, zh: bool) -> String {
    let [p50, p99] = [times.p50_ns, times.p99_ns].map(|ns| ns as f64 / 1e6);
    let Times { count, .. } = times;
    match zh {
        false => {
            format!("until the other side had read its notice: {count} of them, p50 {p50:.3} ms, p99 {p99:.3} ms\n\n")
        }
        true => format!("到对方读到通知：{count} 条，p50 {p50:.3} ms，p99 {p99:.3} ms\n\n"),
    }
}

fn breakdown(path: &PathReport, zh: bool) -> Table {
    let what = MEANINGS.map(|(en, zh_words)| if zh { zh_words } else { en });
    let whole = if zh { "从读到写" } else { "from the request read to its answer written" };
    table(&path.stages, &what, &path.whole, whole, zh)
}

/// The client's part: of the last orders, as many as the venue has kept with their moments.
fn clients(ways: &Ways, zh: bool) -> String {
    let (parts, whole) = ways.parts();
    let what = way::MEANINGS.map(|(en, zh_words)| if zh { zh_words } else { en });
    let from = if zh { "从应该发送到收到答复" } else { "from when it was due to its answer received" };
    let title = match zh {
        false => format!("the client's part, of the last {} orders that both sides know:", whole.count),
        true => format!("客户端的部分，双方都知道的最后 {} 单：", whole.count),
    };
    format!("{title}\n{}\n\n", table(&parts, &what, &whole, from, zh))
}

/// Times, each with what happens there, and those of the whole.
fn table(rows: &[Times], what: &[&str], whole: &Times, whole_is: &str, zh: bool) -> Table {
    let head = if zh {
        ["阶段", "平均 µs", "p50", "p99", "p99.9", "做什么"]
    } else {
        ["stage", "mean µs", "p50", "p99", "p99.9", "what happens"]
    };
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head);
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    for (times, what) in rows.iter().zip(what).chain([(whole, &whole_is)]) {
        let [p50, p99, p999] = [times.p50_ns, times.p99_ns, times.p999_ns].map(|ns| us(ns as f64));
        table.add_row([times.name.clone(), us(times.mean_ns), p50, p99, p999, (*what).to_owned()]);
    }
    table.column_iter_mut().skip(1).take(4).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn is_of(notice: &Notice, request: &Request) -> bool {
    notice.shard == request.shard && notice.sequence == request.sequence
}

/// When an account that the order concerned had its notice.
fn told(notice: &Notice, zh: bool) -> String {
    let us = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1e3;
    let [tell, send] = [us(notice.synced_ns, notice.queued_ns), us(notice.queued_ns, notice.written_ns)];
    match zh {
        false => format!("  notice: queued {tell:.1} µs after the sync, written {send:.1} µs after that\n"),
        true => format!("    通知：落盘后 {tell:.1} µs 排进队列，再过 {send:.1} µs 写出\n"),
    }
}

// ANCHOR: waited
/// What a slow request waited for, most of all in this stage: whose sync it shared, or stood behind.
fn waited(request: &Request, stage: &str, all: &[&Request], zh: bool) -> String {
    let at = |request: &Request, moment: Moment| request.at_ns[moment as usize];
    let synced = at(request, Moment::Synced);
    let same = all.iter().filter(|other| other.shard == request.shard && at(other, Moment::Synced) == synced).count();
    // The one before it in the same log that was synced last when this one was taken.
    let before = all
        .iter()
        .filter(|other| other.shard == request.shard && at(other, Moment::Synced) < synced)
        .max_by_key(|other| at(other, Moment::Synced))
        .filter(|other| at(other, Moment::Synced) > at(request, Moment::Taken));
    let mut text = match zh {
        false => format!("command {}: most of it in {stage}; {same} sampled in its frame", request.sequence),
        true => format!("命令 {}：大部分在 {stage}；同帧抽样 {same} 条", request.sequence),
    };
    if let Some(before) = before {
        let waited = (at(before, Moment::Synced) - at(request, Moment::Taken)) as f64 / 1e3;
        let _ = match zh {
            false => write!(text, "; it waited {waited:.1} µs for the sync of command {}", before.sequence),
            true => write!(text, "；它等了 {waited:.1} µs，等的是命令 {} 的同步", before.sequence),
        };
    }
    text
}
// ANCHOR_END: waited
