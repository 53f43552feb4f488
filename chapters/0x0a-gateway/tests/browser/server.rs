//! The program as users start it, on its own port, and requests of its operator.

use std::net::SocketAddr;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

#[cfg(unix)]
use crate::support::client::Client;
#[cfg(unix)]
use crate::support::feed;
use crate::support::server::Server as Program;

pub struct Server {
    program: Program,
    pub address: SocketAddr,
    /// The operator's key; shown only at the first start of a folder.
    pub operator: String,
}

impl Server {
    /// Starts it on a folder, on any free port.
    pub fn start(folder: &TempDir) -> Server {
        Server::start_with(folder.path(), &[])
    }

    /// Starts it on the address of an earlier one.
    pub fn start_at(folder: &Path, address: &str) -> Server {
        Server::start_with(folder, &["--listen", address])
    }

    /// Starts it with more arguments.
    pub fn start_with(folder: &Path, more: &[&str]) -> Server {
        let program = Program::start(folder, more);
        let (address, operator) = (program.address, program.operator.clone().unwrap_or_default());
        Server { program, address, operator }
    }

    /// Kills it as a power cut would.
    pub fn kill(self) -> SocketAddr {
        self.program.kill();
        self.address
    }

    /// Sends a signal, to suspend or resume it.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.program.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -{name}");
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a request of the operator over a new connection; returns the answer's body.
    pub fn operate(&self, path: &str, body: &Value) -> Value {
        let answer = self.program.client().with_key(&self.operator).post(path, body).unwrap();
        assert!(answer.status < 300, "{path}: {answer:?}");
        answer.json()
    }

    /// Two accounts whose orders can end the feed.
    #[cfg(unix)]
    pub fn two_accounts(&self) -> [Client; 2] {
        feed::two_accounts(&self.program, &self.operator)
    }

    /// Opens a market and returns its number.
    pub fn open_market(&self, en: &str, zh: &str) -> u64 {
        self.operate("/v1/markets", &json!({"question": {"en": en, "zh": zh}}))["market"].as_u64().unwrap()
    }
}
