//! A chapter's venue in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gateway::measure::profile::Spent;
use results::chapters;
use results::error::MeasureError;
use results::programs::{self, Program};

/// Builds both venues.
///
/// # Errors
/// When the compiler refuses.
pub fn build() -> Result<(), MeasureError> {
    let chapters = chapters::catalogue()?;
    let both = ["0x0a", "0x0b"].map(|name| chapters.find(name).map(Program::from));
    programs::build(&both.into_iter().collect::<Result<Vec<_>, _>>()?)
}

/// A running venue, which ends with this value.
pub struct Server {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// The operator's key; empty behind the first start on a folder.
    pub operator: String,
}

impl Server {
    /// Starts the program of this package on a folder. It was [built](build), and stands beside this one.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(package: &str, data_dir: &Path, more: &[&str]) -> Result<Server, MeasureError> {
        let own = std::env::current_exe().map_err(|error| MeasureError::Unusable(format!("where am I? {error}")))?;
        let program = own.with_file_name(format!("{package}{}", std::env::consts::EXE_SUFFIX));
        let failed = |error: std::io::Error| MeasureError::Unusable(format!("{package} did not start: {error}"));
        let mut command = Command::new(program);
        command.args(["--no-demo", "--orders-per-second", "0", "--connections-per-account", "0"]);
        command.arg("--data-dir").arg(data_dir).args(more);
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
            return Err(MeasureError::Unusable(format!("{package} ended before it listened: start it to see why")));
        };
        Ok(Server { process, address, operator })
    }
}

impl Server {
    /// Processor time of its threads so far; none where the system does not tell.
    pub fn spent(&self) -> Option<Spent> {
        Spent::of(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
