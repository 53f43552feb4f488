//! A venue with a market, a trader, and metrics.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::server::{PROGRAM, Server};

pub struct Site {
    pub server: Server,
    pub metrics: SocketAddr,
    /// Of the first life.
    pub operator: String,
    /// A trader's key.
    pub key: String,
    folder: tempfile::TempDir,
}

impl Site {
    /// A venue with these flags.
    pub fn start(flags: &[&str]) -> Site {
        Site::within(&[], flags)
    }

    /// The same, started by another program, which becomes the venue. `DATA` among its arguments is the data directory.
    pub fn within(around: &[&str], flags: &[&str]) -> Site {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let path = |word: &&str| if *word == "DATA" { data.clone() } else { PathBuf::from(word) };
        let words: Vec<PathBuf> = around.iter().map(path).chain([PROGRAM.into()]).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg("--no-demo").arg("--data-dir").arg(&data).args(flags);
        let server = Server::of(&mut command);
        let (metrics, operator) = (metrics(&server), server.operator.clone().unwrap());
        let mut client = server.client().with_key(&operator);
        client.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
        let made = client.post("/v1/accounts", &json!({})).unwrap().json();
        let key = made["key"].as_str().unwrap().to_owned();
        Site { server, metrics, operator, key, folder }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn trader(&self) -> Client {
        self.server.client().with_key(&self.key)
    }

    /// Kills the venue, and gives what starts it again on the same data, with its metrics at the same address.
    pub fn kill(self) -> impl FnOnce() -> Site {
        let Site { server, metrics: address, operator, key, folder } = self;
        server.kill();
        move || {
            let server = Server::start(&folder.path().join("data"), &["--metrics", &address.to_string()]);
            assert_eq!(metrics(&server), address);
            Site { server, metrics: address, operator, key, folder }
        }
    }
}

/// Where a venue says that its metrics are.
pub fn metrics(server: &Server) -> SocketAddr {
    let said = server.said();
    let found = said.iter().find_map(|line| line.strip_prefix("metrics http://")?.strip_suffix("/metrics"));
    found.expect("it says where").parse().unwrap()
}

pub fn order(price: u64) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": price, "quantity": 1 })
}

/// Whether this machine lets a program have a file system of its own.
pub fn mounts_are_allowed(folder: &Path) -> bool {
    let mut shell = Command::new("unshare");
    shell.args(["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none"]).arg(folder).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// Whether strace is installed, and may trace.
pub fn strace_works() -> bool {
    let traced = Command::new("strace").args(["-D", "-f", "-qq", "-e", "trace=fdatasync", "true"]).output();
    traced.is_ok_and(|output| output.status.success())
}

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
