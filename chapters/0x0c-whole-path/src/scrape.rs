//! Everything that a scrape shows, with its name, its unit and its meaning.
//!
//! Labels are the names of stages, reasons and statuses, which are lists in the source. None is taken from a request, so a client
//! can't make the monitoring grow.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gateway::problem::Why;
use gateway::venue::Venue;
use market::Reason;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::{Registry, Unit};

use crate::commands::Commands;
use crate::machine::Machine;
use crate::shared::Shared;
use crate::stage::NAMES;
use crate::writer::Writer;

/// Everything that is shown, except what only the venue knows.
pub struct Shown {
    /// Requests, syncs, responses.
    pub shared: Arc<Shared>,
    /// What commands led to.
    pub commands: Arc<Commands>,
    /// The machine under it.
    pub machine: Machine,
}

impl Shown {
    /// A registry of what is true now.
    pub fn now(self: &Arc<Shown>, venue: &Venue) -> Registry {
        let mut registry = self.machine.now(venue.metrics());
        let stale = venue.books.stale_since_ms().map_or(0, |since| venue.now_ms().saturating_sub(since));
        let (under_way, limits) = (venue.engine_door.under_way() as f64, &venue.door.limits);
        registry.register_collector(Box::new(Scrape {
            shown: Arc::clone(self),
            under_way,
            stale: stale as f64 / 1e3,
            markets: venue.projection().markets().count() as f64,
            connections: limits.connections().into(),
            streams: limits.streams().into(),
            refused: limits.refused().collect(),
        }));
        registry
    }
}

/// One scrape.
struct Scrape {
    shown: Arc<Shown>,
    under_way: f64,
    stale: f64,
    markets: f64,
    connections: f64,
    streams: f64,
    refused: Vec<(&'static str, u64)>,
}

impl fmt::Debug for Scrape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scrape of the venue")
    }
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut writer = Writer(&mut encoder);
        self.of_requests(&mut writer)?;
        self.of_the_log(&mut writer)?;
        self.of_commands(&mut writer)?;
        self.of_clients(&mut writer)?;
        self.of_markets(&mut writer)
    }
}

impl Scrape {
    fn of_requests(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let collected = self.shown.shared.collector.read();
        let stages: Vec<_> = NAMES.iter().copied().zip(&collected.stages).collect();
        writer.times("venue_stage_duration", "Time of a sampled request in each stage.", "stage", &stages)?;
        let whole = [("whole", &collected.whole)];
        writer.times(
            "venue_request_duration",
            "Time from reading a sampled request to writing its answer.",
            "path",
            &whole,
        )?;
        let notices = [("socket", &self.shown.shared.told.read().whole)];
        let what = "Time from the disk until a sampled notice is written to its account's socket.";
        writer.times("venue_notice_duration", what, "to", &notices)?;
        writer.counter("venue_slow_requests", "Requests that took longer than the bound.", collected.slow)?;
        let responses: Vec<_> =
            self.shown.shared.responses.all().map(|(status, count)| (status.to_string(), count)).collect();
        let responses: Vec<_> = responses.iter().map(|(status, count)| (status.as_str(), *count)).collect();
        writer.counters("venue_http_responses", "Responses over HTTP.", "status", &responses)?;
        writer.gauge("venue_commands_in_flight", "Commands that entered and are not answered.", None, self.under_way)
    }

    fn of_the_log(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let syncs = self.shown.shared.syncs.read();
        writer.times("venue_log_sync_duration", "Time of a sync of the log.", "log", &[("log", &syncs.times)])?;
        writer.counter("venue_log_commands", "Commands that were written to the log and synced.", syncs.commands)?;
        let snapshots = self.shown.shared.snapshots.load(Ordering::Relaxed);
        writer.counter("venue_snapshots", "Snapshots that were written.", snapshots)
    }

    fn of_commands(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let commands = &self.shown.commands;
        writer.counter("venue_commands", "Durable commands.", read(&commands.commands))?;
        writer.counter("venue_orders_accepted", "Orders that were accepted.", read(&commands.accepted))?;
        writer.counter("venue_orders_cancelled", "Orders that were cancelled.", read(&commands.cancelled))?;
        writer.counter("venue_trades", "Trades.", read(&commands.trades))?;
        writer.counter("venue_shares_traded", "Shares that were traded.", read(&commands.shares))?;
        let rejected: Vec<_> = Reason::ALL.iter().zip(&commands.rejected).collect();
        let rejected: Vec<_> =
            rejected.into_iter().map(|(reason, count)| (Why::Rejected(*reason).words().0, read(count))).collect();
        writer.counters("venue_commands_rejected", "Commands that the engine rejected.", "reason", &rejected)
    }

    fn of_clients(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        writer.gauge("venue_connections", "Connections that are open.", None, self.connections)?;
        writer.gauge("venue_streams", "WebSocket connections of accounts that are open.", None, self.streams)?;
        let notices = self.shown.shared.notices.load(Ordering::Relaxed);
        writer.counter("venue_notices", "Notices with a cursor that were handed to accounts' sockets.", notices)?;
        let help = "Requests and connections that were refused because they exceeded a limit.";
        writer.counters("venue_refusals", help, "reason", &self.refused)
    }

    fn of_markets(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        writer.gauge("venue_markets", "Markets, open and resolved.", None, self.markets)?;
        let (seconds, help) = (Some(Unit::Seconds), "For how long the public books have been stale.");
        writer.gauge("venue_books_stale", help, seconds, self.stale)
    }
}
