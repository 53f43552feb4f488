//! What every machine shows, even one that serves no venue yet: its disk, its process, and the metrics of its layers.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use gateway::layer::Metric;
use program::room::{Room, room};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use crate::process::Process;
use crate::writer::Writer;

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How it was compiled: figures of a debug build say little about a release build.
const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// When the program was started, since 1970.
    pub started: Duration,
    /// The data directory.
    pub folder: PathBuf,
}

impl Machine {
    /// A registry of what is true of it now, with these metrics of its layers.
    pub fn now(&self, of_layers: Vec<Metric>) -> Registry {
        let (started, room, process) = (self.started, room(&self.folder), Process::now());
        let mut registry = Registry::default();
        registry.register_collector(Box::new(OfMachine { started, room, process, of_layers }));
        registry
    }
}

/// A machine at one scrape.
#[derive(Debug)]
struct OfMachine {
    started: Duration,
    room: Option<Room>,
    process: Option<Process>,
    of_layers: Vec<Metric>,
}

impl Collector for OfMachine {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut writer = Writer(&mut encoder);
        self.of_the_disk(&mut writer)?;
        self.of_the_program(&mut writer)?;
        self.of_layers.iter().try_for_each(|metric| writer.of_shards(metric))
    }
}

impl OfMachine {
    fn of_the_disk(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let Some(room) = self.room else { return Ok(()) };
        let (bytes, help) = (Some(Unit::Bytes), "What can still be written to the disk under the data directory.");
        writer.gauge("venue_disk_free", help, bytes.clone(), room.free as f64)?;
        writer.gauge("venue_disk_size", "The disk under the data directory.", bytes, room.size as f64)
    }

    fn of_the_program(&self, writer: &mut Writer<'_, '_>) -> fmt::Result {
        let help = "Which program this is.";
        let mut build = writer.0.encode_descriptor("venue_build", help, None, MetricType::Info)?;
        build.encode_info(&[("version", VERSION), ("profile", PROFILE)])?;
        let (seconds, help) = (Some(Unit::Seconds), "When the program was started, since 1970.");
        writer.gauge("process_start_time", help, seconds, self.started.as_secs_f64())?;
        let Some(process) = self.process else { return Ok(()) };
        writer.seconds("process_cpu", "Processor time of the program.", process.cpu_seconds)?;
        let (bytes, help) = (Some(Unit::Bytes), "Memory that the program holds.");
        writer.gauge("process_resident_memory", help, bytes, process.resident_bytes)?;
        writer.gauge("process_open_fds", "Files that the program has open.", None, process.open_files)
    }
}
