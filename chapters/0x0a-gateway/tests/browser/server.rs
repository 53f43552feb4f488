//! The program as people start it, on a port of its own, and what its operator asks.

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
    /// The operator's key; shown at the first start of a folder only.
    pub operator: String,
}

impl Server {
    /// Starts it over a folder, on any port that is free.
    pub fn start(folder: &TempDir) -> Server {
        Server::start_with(folder.path(), &[])
    }

    /// Starts it where another one was.
    pub fn start_at(folder: &Path, address: &str) -> Server {
        Server::start_with(folder, &["--listen", address])
    }

    /// Starts it with more arguments.
    pub fn start_with(folder: &Path, more: &[&str]) -> Server {
        let program = Program::start(folder, more);
        let (address, operator) = (program.address, program.operator.clone().unwrap_or_default());
        Server { program, address, operator }
    }

    /// Ends it as a power cut would.
    pub fn kill(self) -> SocketAddr {
        self.program.kill();
        self.address
    }

    /// Lets it sleep, or go on.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.program.id().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -{name}");
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What the operator asks, over a connection of its own; gives the answer's body.
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

    /// Opens a market and gives its number.
    pub fn open_market(&self, en: &str, zh: &str) -> u64 {
        self.operate("/v1/markets", &json!({"question": {"en": en, "zh": zh}}))["market"].as_u64().unwrap()
    }
}
