//! Prometheus, as a process of its own, and its linter.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What has not come by then never will. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// Says what was not tested. In CI everything is.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none() || !cfg!(target_os = "linux"), "CI tests this: {reason}");
    println!("skipped: {reason}");
}

/// Whether Prometheus is installed, with its linter.
pub fn is_there() -> bool {
    let runs = |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    let is_there = runs("prometheus") && runs("promtool");
    if !is_there {
        skip("there is no prometheus with its promtool");
    }
    is_there
}

/// Runs promtool, which has to find nothing wrong with this input. Its own files go to `folder`.
pub fn promtool(arguments: &[&str], input: &str, folder: &Path) {
    let mut promtool = Command::new("promtool");
    promtool.args(arguments).env("TMPDIR", folder).current_dir(env!("CARGO_MANIFEST_DIR"));
    let mut promtool = promtool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    promtool.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    // Promtool prints its complaints about metrics, and exits with 3; those about tests it prints
    // too.
    assert!(output.status.success() && !said.contains("FAILED"), "promtool {arguments:?}: {}\n{said}", output.status);
}

/// Checks a chapter's rules, and feeds them the series of its tests.
pub fn check_rules() {
    if is_there() {
        let folder = tempfile::tempdir().unwrap();
        promtool(&["check", "rules", "alerts.yml"], "", folder.path());
        promtool(&["test", "rules", "tests/alerts.test.yml"], "", folder.path());
    }
}

/// Asks for a page, without a library: its head and its body. A server of HTTP/1.0 sends no chunks, and ends the connection.
pub fn get(address: SocketAddr, path: &str, headers: &str) -> io::Result<(String, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(STUCK))?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: test\r\n{headers}\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((head.into(), body.into()))
}

/// A Prometheus that scrapes these addresses, five times a second. It is killed when this is dropped.
pub struct Prometheus {
    child: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

/// A series, by its labels, and its value.
pub type Series = (Value, f64);

impl Prometheus {
    /// Starts it with these rules.
    pub fn start(rules: &str, targets: &[SocketAddr]) -> Prometheus {
        let folder = tempfile::tempdir().unwrap();
        let targets: Vec<String> = targets.iter().map(SocketAddr::to_string).collect();
        let config = format!(
            "global: {{ scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms }}\n\
             rule_files: [rules.yml]\n\
             scrape_configs: [{{ job_name: venue, static_configs: [{{ targets: {targets:?} }}] }}]\n"
        );
        fs::write(folder.path().join("config.yml"), config).unwrap();
        fs::write(folder.path().join("rules.yml"), rules).unwrap();
        let said = File::create(folder.path().join("said")).unwrap();
        let mut prometheus = Command::new("prometheus");
        prometheus.args(["--config.file=config.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0"]);
        prometheus.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let mut prometheus =
            Prometheus { child: prometheus.spawn().unwrap(), address: SocketAddr::from(([127, 0, 0, 1], 0)), folder };
        prometheus.address = prometheus.until("it listens", Prometheus::listens_on);
        prometheus
    }

    /// The address that it reports.
    fn listens_on(&self) -> Option<SocketAddr> {
        let said = self.said();
        let line = said.lines().find(|line| line.contains("msg=\"Listening on\""))?;
        line.rsplit_once("address=")?.1.trim().parse().ok()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap_or_default()
    }

    /// Waits until there is something.
    pub fn until<T>(&self, what: &str, mut find: impl FnMut(&Prometheus) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(found) = find(self) {
                return found;
            }
            assert!(began.elapsed() < STUCK, "{what}: it does not come; Prometheus said:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What it answers at this path. While it starts, it answers with plain text.
    pub fn ask(&self, path: &str) -> Option<Value> {
        let (_, body) = get(self.address, path, "").ok()?;
        let answer: Value = serde_json::from_str(&body).ok()?;
        assert_eq!(answer["status"], "success", "{path}: {answer}");
        Some(answer)
    }

    /// The series that an expression has now.
    pub fn query(&self, expression: &str) -> Vec<Series> {
        let encoded: String = expression.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let Some(answer) = self.ask(&format!("/api/v1/query?query={encoded}")) else { return Vec::new() };
        let series = answer["data"]["result"].as_array().unwrap().iter();
        series.map(|one| (one["metric"].clone(), one["value"][1].as_str().unwrap().parse().unwrap())).collect()
    }

    /// The value of an expression that has one.
    pub fn value(&self, expression: &str) -> Option<f64> {
        match &self.query(expression)[..] {
            [] => None,
            [(_, value)] => Some(*value),
            many => panic!("{expression}: {many:?}"),
        }
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
