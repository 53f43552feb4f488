//! How long it takes until an order is acknowledged again, after a takeover by hand and after a kill.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hyper::Method;
use load::client::Http;
use load::figures::spread;
use replication::cluster::{Cluster, SERVERS};
use replication::link::Link;
use replication::reach::ReachArgs;
use replication::stream::Stream;
use results::error::MeasureError;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::record::Takeover;

/// What happens.
pub const KINDS: [&str; 4] = ["hand", "primary", "leader", "both"];

/// How many beats have to be missing, ten a second.
const MISSED: &str = "10";

/// What has not happened by then is stuck.
const STUCK: Duration = Duration::from_secs(60);

/// Measures one kind in some rounds, each with servers and machines of its own.
pub fn measure(program: &Path, folder: &Path, name: &str, rounds: u32) -> Result<Takeover, MeasureError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unusable)?;
    let ns = (0..rounds).map(|_| once(program, folder, name, &runtime)).collect::<Result<Vec<_>, _>>()?;
    Ok(Takeover { name: name.into(), ns: spread(&ns) })
}

fn once(program: &Path, folder: &Path, kind: &str, runtime: &Runtime) -> Result<f64, MeasureError> {
    let kept = tempfile::tempdir_in(folder).map_err(unusable)?;
    let mut cluster = Cluster::start(&kept.path().join("servers")).map_err(unusable)?;
    let replicas = cluster.addresses().join(",");
    let machine = |role: &[&str], name: &str, more: &[&str]| {
        let flags = ["--replicas", &replicas, "--name", name, "--no-demo", "--play-money", "100000"];
        Machine::start(
            Command::new(program).args(role).args(flags).arg("--data-dir").arg(kept.path().join(name)).args(more),
        )
    };
    let mut one = machine(&[], "one", &[])?;
    let operator = one.wait_for("operator's key, shown once: ")?;
    let mut addresses = vec![one.address()?];
    let mut two = machine(&["standby"], "two", &["--takeover", "auto", "--missed", MISSED])?;
    two.wait_for("standby of cents-0: after command")?;
    let key = runtime.block_on(prepare(addresses[0], &operator))?;
    runtime.block_on(acknowledged(&addresses[..1], &key, 1))?;
    let leader = if matches!(kind, "leader" | "both") { leader(&cluster)? } else { 0 };

    let began = Instant::now();
    match kind {
        "hand" => {
            let takeover = Command::new(program).args(["takeover", "two", "--replicas", &replicas]).output();
            takeover.map_err(unusable)?;
        }
        "primary" => one.kill(),
        "leader" => cluster.kill(leader),
        _ => {
            cluster.kill(leader);
            one.kill();
        }
    }
    if kind != "leader" {
        addresses = vec![two.address()?];
    }
    runtime.block_on(acknowledged(&addresses, &key, 2))?;
    Ok(began.elapsed().as_nanos() as f64)
}

/// Opens a market and makes an account; the result is its key.
async fn prepare(address: SocketAddr, operator: &str) -> Result<String, MeasureError> {
    let made = async {
        let mut http = Http::connect(address).await?;
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        http.json(Method::POST, "/v1/markets", operator, &question).await?;
        http.json(Method::POST, "/v1/accounts", "", &json!({})).await
    };
    let made: Value = made.await.map_err(unusable)?;
    Ok(made["key"].as_str().unwrap_or_default().to_owned())
}

/// Sends an order with this number until it is acknowledged.
async fn acknowledged(addresses: &[SocketAddr], key: &str, number: u64) -> Result<(), MeasureError> {
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1, "lane": 0, "number": number });
    let began = Instant::now();
    while began.elapsed() < STUCK {
        for address in addresses {
            let attempt = async {
                let mut http = Http::connect(*address).await?;
                http.json(Method::POST, "/v1/orders", key, &order).await
            };
            if tokio::time::timeout(STUCK, attempt).await.is_ok_and(|answer| answer.is_ok()) {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Err(unusable("no order is acknowledged"))
}

/// Which server leads the stream.
fn leader(cluster: &Cluster) -> Result<usize, MeasureError> {
    let link = Link::connect(&ReachArgs::plain(cluster.addresses())).map_err(unusable)?;
    let stream = Stream::open(&link, "cents-0").map_err(unusable)?;
    let leader = link.wait(async move { stream.leader().await });
    let number = leader.as_deref().and_then(|name| name.strip_prefix("replica-")?.parse::<usize>().ok());
    number.filter(|number| *number < SERVERS).ok_or_else(|| unusable("the stream has no leader"))
}

/// A machine of the venue. It is killed when this is dropped.
struct Machine {
    process: Child,
    said: BufReader<std::process::ChildStdout>,
}

impl Machine {
    fn start(command: &mut Command) -> Result<Machine, MeasureError> {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(unusable)?;
        let said = process.stdout.take().ok_or_else(|| unusable("a machine has no output"))?;
        Ok(Machine { process, said: BufReader::new(said) })
    }

    /// What follows these words in a line that it says. It waits for the line.
    fn wait_for(&mut self, words: &str) -> Result<String, MeasureError> {
        let mut line = String::new();
        while self.said.read_line(&mut line).map_err(unusable)? > 0 {
            if let Some(rest) = line.strip_prefix(words) {
                return Ok(rest.trim().to_owned());
            }
            line.clear();
        }
        Err(unusable("a machine ended before it was ready; start it by hand to see why"))
    }

    fn address(&mut self) -> Result<SocketAddr, MeasureError> {
        self.wait_for("open http://")?.trim_end_matches('/').parse().map_err(unusable)
    }

    fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.kill();
    }
}

fn unusable(error: impl std::fmt::Display) -> MeasureError {
    MeasureError::Unusable(error.to_string())
}
