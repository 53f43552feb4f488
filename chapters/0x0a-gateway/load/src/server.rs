//! The venue under measurement: this program again, in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use market_data::engines::Rung;
use results::error::MeasureError;
use tempfile::TempDir;

use crate::profile::Spent;

/// What its process holds; none if the system does not report it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Held {
    /// Memory, in bytes.
    pub resident_bytes: Option<u64>,
    /// Open files, connections among them.
    pub descriptors: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
}

/// A load generator is one client that does the work of many, so it has no limits.
pub const UNLIMITED: &[&str] = &["--orders-per-second", "0", "--connections-per-account", "0"];

/// A running venue, which ends when this value is dropped.
pub struct Server {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// The operator's key; empty after the first start on a folder.
    pub operator: String,
    /// Its data, which goes with it; none where its folder stays.
    folder: Option<TempDir>,
}

impl Server {
    /// Starts a venue with this engine and its log in a new folder inside `folder`.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(rung: Rung, folder: &Path) -> Result<Server, MeasureError> {
        Server::start_with(rung, folder, UNLIMITED)
    }

    /// The same with HTTP/2: the server then has to detect the protocol of each connection.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_with_http2(rung: Rung, folder: &Path) -> Result<Server, MeasureError> {
        Server::start_with(rung, folder, &[UNLIMITED, &["--http2"]].concat())
    }

    /// The same with the default limits, except for what `more` says.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_with(rung: Rung, folder: &Path, more: &[&str]) -> Result<Server, MeasureError> {
        Server::start_program(&own()?, rung, folder, more)
    }

    /// The same with the program of a later chapter.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_program(program: &Path, rung: Rung, folder: &Path, more: &[&str]) -> Result<Server, MeasureError> {
        let data_dir = tempfile::tempdir_in(folder);
        let data_dir = data_dir.map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
        Server::start_at(program, rung, data_dir, more)
    }

    /// A venue without limits in this folder, which may already contain names.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_in(rung: Rung, data_dir: TempDir) -> Result<Server, MeasureError> {
        Server::start_at(&own()?, rung, data_dir, UNLIMITED)
    }

    fn start_at(program: &Path, rung: Rung, data_dir: TempDir, more: &[&str]) -> Result<Server, MeasureError> {
        let engine = rung.to_possible_value();
        let mut command = Command::new(program);
        command.args(["--no-demo", "--echo", "--play-money", "0"]).args(more).arg("--engine");
        command.arg(engine.as_ref().map_or("0x08", |value| value.get_name())).arg("--data-dir").arg(data_dir.path());
        let mut server = Server::of(command)?;
        server.folder = Some(data_dir);
        Ok(server)
    }

    /// Starts a venue with this command line, and returns when it listens.
    ///
    /// # Errors
    /// If it does not start.
    pub fn of(mut command: Command) -> Result<Server, MeasureError> {
        let failed = |error: std::io::Error| MeasureError::Unusable(format!("the venue did not start: {error}"));
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
        let lines = process.stdout.take().map(BufReader::new);
        let (mut address, mut operator) = (None, String::new());
        for line in lines.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
            if let Some(key) = line.strip_prefix("operator's key, shown once: ") {
                operator = key.to_owned();
            }
            if let Some(url) = line.strip_prefix("open http://") {
                address = url.trim_end_matches('/').parse().ok();
                break;
            }
        }
        let Some(address) = address else {
            let _ = process.kill();
            let _ = process.wait();
            return Err(MeasureError::Unusable(
                "the venue ended before it was listening; start it by hand to see why".into(),
            ));
        };
        Ok(Server { process, address, operator, folder: None })
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Processor time of its process so far; none if the system does not report it.
    pub fn processor_time(&self) -> Option<Duration> {
        // Fields 14 and 15 after the name in parentheses, in hundredths of a second.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(10 * ticks))
    }

    /// What its threads have used so far; none if the system does not report it.
    pub fn spent(&self) -> Option<Spent> {
        Spent::of(self.process.id())
    }

    /// What its process holds now.
    pub fn held(&self) -> Held {
        let process = format!("/proc/{}", self.process.id());
        let status = std::fs::read_to_string(format!("{process}/status")).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let files = std::fs::read_dir(format!("{process}/fd")).ok();
        Held {
            resident_bytes: number("VmRSS").map(|kib| 1024 * kib),
            descriptors: files.map(|files| files.count() as u64),
            threads: number("Threads"),
        }
    }
}

/// This program.
fn own() -> Result<PathBuf, MeasureError> {
    std::env::current_exe().map_err(|error| MeasureError::Unusable(format!("where is this program? {error}")))
}

impl Drop for Server {
    fn drop(&mut self) {
        // None of its data is kept, so it need not drain.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
