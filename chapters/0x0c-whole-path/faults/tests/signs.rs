//! Each planted fault shows where the answers say: in the stage that has grown most beside a venue without a fault, or in the
//! metrics. No test can know how long a stage takes on its machine, so they compare.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use whole_path::show::Found;
use whole_path::way::NAMES;

/// A folder on the disk of the build, where a sync takes a while.
fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_faults"));
    program.stdin(Stdio::null());
    program
}

/// The times of each stage, the client's among them, in rising order. The load may have been the limit: a slow venue makes it so.
fn stages(venue: &[&str]) -> Vec<Vec<u64>> {
    let (folder, mut program) = (folder(), program());
    program.args(["path", "--json", "--seconds", "1", "--rate", "1000", "--connections", "8"]).args(venue);
    let ended = program.arg("--output").arg(folder.path()).output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{venue:?}: {words}");
    let found: Found = serde_json::from_slice(&ended.stdout).unwrap();
    let ways = &found.ways.sampled;
    // A venue that is too slow for the load carries out fewer than the thousand that are offered.
    assert!(ways.len() > 500, "{venue:?}: {} orders are joined", ways.len());
    let times = |stage: usize| {
        let mut times: Vec<u64> = ways.iter().map(|way| way.at_ns[stage + 1] - way.at_ns[stage]).collect();
        times.sort_unstable();
        times
    };
    (0..NAMES.len()).map(times).collect()
}

/// How often a fault may be looked for: another process that syncs, or takes the cores, for a few seconds hides it.
const TRIES: usize = 3;

/// The stage that has grown most in this venue beside one without a fault, by what factor, and how long it takes. What is seen of
/// a stage is the order at this part of all, from the fastest on.
fn grown_most(venue: &str, part: f64) -> (u64, u64, &'static str) {
    // Orders that wait for their connection, or for the disk, wait longer in every venue that is slow.
    let is_cause = |name: &&str| !["wait", "journal", "sync"].contains(name);
    let at = |times: &[u64]| times[(times.len() as f64 * part) as usize].max(1);
    let (one, slow, other) = (stages(&[]), stages(&["--venue", venue]), stages(&[]));
    let grown = NAMES.iter().enumerate().filter(|(_, name)| is_cause(name)).map(|(stage, name)| {
        let [slow, one, other] = [&slow, &one, &other].map(|all| at(&all[stage]));
        (slow / one.min(other), slow, *name)
    });
    grown.max().unwrap()
}

#[test]
fn each_fault_shows_in_its_own_stage() {
    // A lock strikes the orders that come while it is held, the other faults strike all. The fewer orders are looked past, the
    // more of what a busy machine does to some of them is seen.
    let mut expected = vec![("1", &["reply"][..], 0.75), ("3", &["door"], 0.95)];
    if cfg!(target_os = "linux") {
        expected.extend([("4", &["way back"][..], 0.75), ("5", &["wake", "match"], 0.75)]);
    }
    for (venue, places, part) in expected {
        let is_sign = |most: &(u64, u64, &str)| places.contains(&most.2) && most.0 > 6;
        let mut seen = Vec::new();
        while seen.len() < TRIES && !seen.last().is_some_and(is_sign) {
            seen.push(grown_most(venue, part));
        }
        assert!(seen.last().is_some_and(is_sign), "venue {venue}: {seen:?} have grown most");
    }
}

/// A venue that runs, until this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a scraper reads of this venue.
fn metrics(venue: &[&str], data: &Path) -> String {
    let mut program = program();
    program.args(["--no-demo", "--data-dir"]).arg(data).args(venue).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(program.spawn().unwrap());
    let lines: Vec<String> =
        BufReader::new(running.0.stdout.take().unwrap()).lines().map_while(Result::ok).take(3).collect();
    let address = lines.iter().find_map(|line| line.strip_prefix("metrics http://")?.strip_suffix("/metrics"));
    let mut scraper = TcpStream::connect(address.unwrap()).unwrap();
    scraper.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    scraper.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_second_venue_is_not_slow_but_lacks_short_buckets() {
    let bounds = |venue: &[&str]| -> Vec<f64> {
        let (folder, name) = (folder(), "venue_log_sync_duration_seconds_bucket");
        let text = metrics(venue, folder.path());
        assert!(text.starts_with("HTTP/1.0 200 OK\r\n") && text.contains("\r\n\r\n# HELP "), "{text}");
        let bound = |line: &str| line.strip_prefix(name)?.split_once("le=\"")?.1.split('"').next()?.parse().ok();
        text.lines().filter_map(bound).collect()
    };
    let (usual, wide) = (bounds(&[]), bounds(&["--venue", "2"]));
    assert!(usual[0] < 1e-5 && wide[0] > 1.0, "{usual:?} {wide:?}");
    assert_eq!(wide, usual[usual.len() - wide.len()..], "what is left is what it was");
}
