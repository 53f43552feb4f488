//! What a run writes: `figures.txt` for programs, `summary.txt` for people, which is also printed.

use std::fmt::Write as _;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use crate::args::{Args, Input};
use crate::chapter::Chapter;
use crate::error::RunError;
use crate::measure::Throughput;
use crate::offer::Latency;
use crate::output::OutputFolder;
use market::log::VERSION;
use market::{Stage, StageTimes};
use program::figures::grouped;
use program::repository::commit;

/// The figures of one run.
pub struct Report {
    chapter: &'static str,
    about: Vec<(&'static str, String)>,
    sync_ms: Option<f64>,
    /// The pass without instrumentation.
    pub throughput: Option<Throughput>,
    /// The pass with it.
    pub breakdown: Option<Throughput>,
    /// The pass at a fixed rate.
    pub latency: Option<Latency>,
}

impl Report {
    /// An empty report of a chapter over a flow.
    pub fn new<C: Chapter>(args: &Args<C::Flags>, flow: &Input) -> Report {
        let about = vec![
            ("chapter", C::NAME.to_string()),
            ("flow", flow.name.clone()),
            ("seed", flow.seed.map_or("none".into(), |seed| seed.to_string())),
            ("machine", machine()),
            ("commit", commit(Path::new("."))),
            ("command", format!("{} {}", C::NAME, std::env::args().skip(1).collect::<Vec<_>>().join(" "))),
            ("log version", VERSION.to_string()),
            ("shards", args.options("".into(), 0).shards.to_string()),
        ];
        Report { chapter: C::NAME, about, sync_ms: args.sync_ms, throughput: None, breakdown: None, latency: None }
    }

    /// Half of the measured throughput: a load that the engine should carry with ease.
    pub fn half_rate(&self) -> u64 {
        self.throughput.as_ref().map_or(1_000, |pass| (pass.orders_per_s() / 2.0).max(1.0) as u64)
    }

    /// Writes the files and prints the summary.
    pub fn publish(&self, baseline: bool, quiet: bool, output: &OutputFolder) -> Result<(), RunError> {
        let (perf, summary) = (self.perf(), self.summary());
        output.write("figures.txt", &perf)?;
        output.write("summary.txt", &summary)?;
        if baseline {
            output.write("baseline.txt", &perf)?;
        }
        if !quiet {
            program::print(format_args!("{summary}"))?;
        }
        Ok(())
    }

    /// `key=value` lines. Times of stages are nanoseconds an order; latencies are nanoseconds.
    fn perf(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.about {
            let _ = writeln!(text, "# {key}: {value}");
        }
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key}={value}");
        };
        if let Some(pass) = &self.throughput {
            let seconds = pass.time.as_secs_f64();
            line("orders", pass.orders.to_string());
            line("orders_asked", pass.orders_asked.to_string());
            line("trades", pass.trades.to_string());
            line("rejected", pass.rejected.to_string());
            line("syncs", pass.syncs.to_string());
            line("exec_time_ms", format!("{:.3}", seconds * 1e3));
            line("throughput_ops", format!("{:.1}", pass.orders_per_s()));
            line("throughput_tps", format!("{:.1}", pass.trades as f64 / seconds));
            if let Some(ns) = pass.processor_ns_per_order() {
                line("processor_order_ns", format!("{ns:.2}"));
            }
            for (thread, ns) in pass.threads_ns_per_order() {
                line(&format!("processor_order_ns.{thread}"), format!("{ns:.2}"));
            }
            line("recovered_commands", pass.recovery.as_ref().map_or(0, |recovery| recovery.commands).to_string());
            line("open_time_ms", format!("{:.3}", pass.open_time.as_secs_f64() * 1e3));
        }
        if let Some((pass, stages)) = self.stages() {
            for stage in Stage::ALL {
                line(&format!("{}_ns", stage.key()), format!("{:.2}", per_order(stages, stage, pass.orders)));
            }
        }
        if let Some(latency) = &self.latency {
            line("latency_offered_ops", latency.offered_per_s.to_string());
            line("latency_achieved_ops", format!("{:.1}", latency.achieved_per_s));
            for (name, nanoseconds) in percentiles(latency) {
                line(&format!("latency_{name}_ns"), nanoseconds.to_string());
            }
        }
        text
    }

    fn stages(&self) -> Option<(&Throughput, &StageTimes)> {
        let pass = self.breakdown.as_ref()?;
        Some((pass, pass.stages.as_ref()?))
    }

    /// The figures for people.
    fn summary(&self) -> String {
        let mut text = format!("{}\n", self.chapter);
        if let Some(ms) = self.sync_ms {
            let _ = writeln!(text, "each sync was made to take {ms} ms at least");
        }
        if let Some(pass) = &self.throughput {
            self.throughput_lines(pass, &mut text);
        }
        if let Some((pass, stages)) = self.stages() {
            let _ = writeln!(
                text,
                "\nWhere the time goes (a second run, with a clock read at every stage: {} orders/s)\n{}",
                grouped(pass.orders_per_s()),
                stage_table(stages, pass.orders)
            );
        }
        if let Some(latency) = &self.latency {
            latency_lines(latency, &mut text);
        }
        text
    }

    fn throughput_lines(&self, pass: &Throughput, text: &mut String) {
        if let Some(recovery) = &pass.recovery {
            let commands = grouped(recovery.commands as f64);
            let time = duration(pass.open_time.as_nanos() as f64);
            let _ = write!(text, "recovered  {commands} commands in {time}");
            // Commands in a snapshot were not replayed, so they say nothing about the speed of
            // replaying.
            if recovery.replayed == recovery.commands {
                let rate = recovery.replayed as f64 / pass.open_time.as_secs_f64();
                let _ = write!(text, ", {} a second", grouped(rate));
            }
            let _ = writeln!(text);
            for remark in &recovery.remarks {
                let _ = writeln!(text, "           {remark}");
            }
        }
        let _ = writeln!(
            text,
            "throughput {} orders/s, each durable before its acknowledgement",
            grouped(pass.orders_per_s())
        );
        let _ = writeln!(
            text,
            "           {} orders, {} trades, {} rejected, in {}",
            grouped(pass.orders as f64),
            grouped(pass.trades as f64),
            grouped(pass.rejected as f64),
            duration(pass.time.as_nanos() as f64)
        );
        if let Some(ns) = pass.processor_ns_per_order() {
            let _ = writeln!(text, "           {} of processor time an order, all threads together", duration(ns));
        }
        let threads = pass.threads_ns_per_order();
        if !threads.is_empty() {
            let each = threads.iter().map(|&(thread, ns)| format!("{thread} {}", duration(ns)));
            let _ = writeln!(text, "           of it {}", each.collect::<Vec<_>>().join(", "));
        }
        if pass.orders < pass.orders_asked {
            let asked = grouped(pass.orders_asked as f64);
            let _ =
                writeln!(text, "           stopped at the time limit, before all {asked}; --max-seconds changes it");
        }
        for remark in &pass.remarks {
            let _ = writeln!(text, "           {remark}");
        }
    }
}

fn latency_lines(latency: &Latency, text: &mut String) {
    let offered = grouped(latency.offered_per_s as f64);
    let _ = writeln!(text, "\nLatency to the durable acknowledgement, {offered} orders/s offered");
    if !latency.held() {
        let achieved = grouped(latency.achieved_per_s);
        let _ =
            writeln!(text, "  the engine could not hold this rate: it reached {achieved} orders/s, and orders queued");
    }
    let shown = ["min", "avg", "p50", "p99", "p999", "max"];
    for (name, nanoseconds) in percentiles(latency).into_iter().filter(|(name, _)| shown.contains(name)) {
        let _ = writeln!(text, "  {name:<5} {:>10}", duration(nanoseconds as f64));
    }
}

fn stage_table(stages: &StageTimes, orders: u64) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["stage", "ms", "%", "ns/order", "alone, orders/s"]);
    let total = stages.total().as_secs_f64().max(f64::MIN_POSITIVE);
    for stage in Stage::ALL {
        let seconds = stages.of(stage).as_secs_f64();
        let ns = per_order(stages, stage, orders);
        let alone = if ns > 0.0 { grouped(1e9 / ns) } else { "-".into() };
        table.add_row([
            stage.key().replace('_', " "),
            format!("{:.1}", seconds * 1e3),
            format!("{:.1}", 100.0 * seconds / total),
            format!("{ns:.1}"),
            alone,
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn per_order(stages: &StageTimes, stage: Stage, orders: u64) -> f64 {
    stages.of(stage).as_nanos() as f64 / orders.max(1) as f64
}

/// The percentiles that people read; programs get the rest of the curve too.
fn percentiles(latency: &Latency) -> [(&'static str, u64); 10] {
    let of = &latency.histogram;
    let at = |quantile| of.value_at_quantile(quantile);
    [
        ("min", of.min()),
        ("avg", of.mean() as u64),
        ("p10", at(0.1)),
        ("p50", at(0.5)),
        ("p90", at(0.9)),
        ("p99", at(0.99)),
        ("p999", at(0.999)),
        ("p9999", at(0.9999)),
        ("p99999", at(0.99999)),
        ("max", of.max()),
    ]
}

/// Nanoseconds in the unit that fits.
fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} cores, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(950.0), "950 ns");
        assert_eq!(duration(1_200_000.0), "1.20 ms");
    }
}
