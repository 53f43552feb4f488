//! The record for people.

use comfy_table::{CellAlignment, Table, presets};
use program::{Unprinted, print};
use results::language::Language;
use results::record::{PauseRecord, RecoverRecord, Spread, StartRecord};
use results::units::{duration_text, grouped};

/// Prints everything that was measured.
///
/// # Errors
/// When standard output is closed.
pub fn print_all(record: &RecoverRecord) -> Result<(), Unprinted> {
    let state = &record.state;
    let per_second = |ns: f64| state.bytes as f64 / ns * 1e3;
    print(format_args!(
        "{}: {} markets, {} accounts, {} resting orders: a snapshot of {}\nloaded in {}, {:.0} MB/s; written and \
         synced in {}, {:.0} MB/s\n\n",
        record.chapter,
        grouped(state.markets as f64),
        grouped(state.accounts as f64),
        grouped(state.resting as f64),
        megabytes(state.bytes as f64),
        time(&state.load_ns),
        per_second(state.load_ns.median),
        time(&state.write_ns),
        per_second(state.write_ns.median),
    ))?;
    print(format_args!("Until the first command is acknowledged\n{}\n", starts(&record.starts)))?;
    match record.meet_commands {
        Some(commands) => print(format_args!("Both take equally long at about {} commands.\n", grouped(commands)))?,
        None => print(format_args!("They do not cross between the shortest log and the longest.\n"))?,
    }
    let offer = record.offer;
    print(format_args!(
        "\nLatency at {} orders/s for {} s, a snapshot every {} commands; medians of {} rounds\n{}\n",
        grouped(offer.rate as f64),
        offer.seconds,
        grouped(offer.every as f64),
        record.rounds,
        pauses(&record.pauses)
    ))
}

fn starts(starts: &[StartRecord]) -> Table {
    let header = ["commands", "log", "replay alone", "memory", "snapshot", "with it", "memory", "with it, cold"];
    let rows = starts.iter().map(|start| {
        [
            grouped(start.commands as f64),
            megabytes(start.log_bytes as f64),
            time(&start.replay.start_ns),
            memory(start.replay.memory_bytes.as_ref()),
            megabytes(start.snapshot_bytes as f64),
            time(&start.snapshot.start_ns),
            memory(start.snapshot.memory_bytes.as_ref()),
            start.cold.as_ref().map_or("-".into(), |cold| time(&cold.start_ns)),
        ]
        .to_vec()
    });
    table(&header, rows)
}

fn pauses(ways: &[PauseRecord]) -> Table {
    let header =
        ["snapshots", "achieved/s", "p50", "p99", "p99.9", "longest", "memory", "processor", "for snapshots", "made"];
    let rows = ways.iter().map(|way| {
        let mut row = vec![way.name.clone(), grouped(way.achieved_per_s.median)];
        row.extend(way.latencies().map(median));
        row.push(memory(way.memory_bytes.as_ref()));
        row.extend([&way.processor_ns, &way.snapshot_ns].map(|ns| ns.as_ref().map_or("-".into(), median)));
        row.push(way.snapshots.as_ref().map_or("-".into(), |made| grouped(made.median)));
        row
    });
    table(&header, rows)
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(header.to_vec());
    rows.for_each(|row| _ = table.add_row(row));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn median(spread: &Spread) -> String {
    duration_text(spread.median, Language::English)
}

/// The median, and the rounds from the fastest to the slowest.
fn time(spread: &Spread) -> String {
    let text = |ns| duration_text(ns, Language::English);
    format!("{} ({} to {})", text(spread.median), text(spread.min), text(spread.max))
}

fn memory(bytes: Option<&Spread>) -> String {
    bytes.map_or("-".into(), |bytes| megabytes(bytes.median))
}

fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}
