//! The alerts of `alerts.yml`: Prometheus accepts the rules, they fire for invented series as they should, and each fires at a
//! real venue with its fault and at no other venue.

use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use program::room::{Room, room};
use serde_json::Value;

use crate::prometheus::{Prometheus, check_rules, is_there, skip};
use crate::site::{Site, mounts_are_allowed, order, strace_works};
use crate::support::client::Client;
use crate::support::feed::{end_the_feed, two_accounts};

const RULES: &str = include_str!("../../alerts.yml");

/// These depend on the machine, too: a busy or full one may raise them at any venue.
const OF_THE_MACHINE: [&str; 2] = ["SyncSlow", "DiskNearlyFull"];

#[test]
fn the_rules_are_sound() {
    check_rules();
}

/// The same rules with seconds for minutes: what is tested are the expressions that operators get.
fn hurried() -> String {
    let line = |line: &str| match line.trim_start().starts_with("for: ") {
        true => line.strip_suffix('m').map(|line| format!("{line}s")).expect("minutes"),
        false => line.replace("m])", "s])"),
    };
    RULES.lines().map(|text| line(text) + "\n").collect()
}

/// A venue whose syncs take 300 ms and longer.
fn with_a_slow_disk() -> Option<Site> {
    if !strace_works() {
        skip("strace is not there, or may not trace: no sync of a real venue was slow");
        return None;
    }
    // As a grandchild, it leaves the venue a child of the test, which can kill it.
    let slow = "strace -D -f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:delay_enter=300000";
    Some(Site::within(&slow.split(' ').collect::<Vec<_>>(), &[]))
}

/// A venue on a small disk of its own, which goes with it.
fn on_a_small_disk() -> Option<Site> {
    let folder = tempfile::tempdir().unwrap();
    if !mounts_are_allowed(folder.path()) {
        skip("no file system may be mounted here: no disk of a real venue was nearly full");
        return None;
    }
    let script = "mount -t tmpfs -o size=32m none \"$1\" && shift && exec \"$@\"";
    Some(Site::within(&["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", "DATA"], &[]))
}

/// Fills the venue's disk to nineteen twentieths. Its file system is reached through the venue's process.
fn fill(site: &Site) {
    let root = format!("/proc/{}/root", site.server.id());
    let disk = Path::new(&root).join(site.data().strip_prefix("/").unwrap());
    let Room { free, size } = room(&disk).unwrap();
    assert!(size == 32 << 20 && free > size / 5, "{free} of {size}");
    fs::write(disk.join("filler"), vec![0; (free - size / 20) as usize]).unwrap();
}

/// Stops what runs in other threads, even when the test fails.
struct Ends<'o>(&'o AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Places orders until that is over.
fn trade(mut trader: Client, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let answer = trader.post("/v1/orders", &order(5)).unwrap();
        assert!([200, 429].contains(&answer.status), "{answer:?}");
        sleep(Duration::from_millis(10));
    }
}

type Fired = BTreeSet<(String, String)>;

/// Alerts, each with the address of its venue, that this expression shows.
fn alerts(prometheus: &Prometheus, expression: &str) -> Fired {
    let series = prometheus.query(expression).into_iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    series.map(|(labels, _)| (text(&labels["alertname"]), text(&labels["instance"]))).collect()
}

/// Waits until this alert fires at this venue, and returns its text as the operator gets it.
fn fires(prometheus: &Prometheus, alert: &str, at: SocketAddr) {
    let words = prometheus.until(&format!("{alert} fires"), |prometheus| {
        let answer = prometheus.ask("/api/v1/alerts")?;
        let is_it = |one: &&Value| {
            let labels = &one["labels"];
            one["state"] == "firing" && labels["alertname"] == alert && labels["instance"] == at.to_string()
        };
        answer["data"]["alerts"].as_array().unwrap().iter().find(is_it).map(|one| one["annotations"].clone())
    });
    for which in ["summary", "description"] {
        let words = words[which].as_str().unwrap_or_else(|| panic!("{alert} has no {which}: {words}"));
        assert!(words.len() > 20 && !words.contains("error expanding") && !words.contains("{{"), "{alert}: {words}");
    }
    println!("{alert}: {}", words["description"]);
}

#[test]
fn each_alert_fires_at_the_venue_with_its_fault_and_at_no_other() {
    if !is_there() {
        return;
    }
    let (calm, killed) = (Site::start(&[]), Site::start(&[]));
    let (stale, refusing) = (Site::start(&["--orders-per-second", "0"]), Site::start(&["--orders-per-second", "5"]));
    let (slow, full) = (with_a_slow_disk(), on_a_small_disk());
    let all = [Some(&calm), Some(&killed), Some(&stale), Some(&refusing), slow.as_ref(), full.as_ref()];
    let targets: Vec<_> = all.into_iter().flatten().map(|site| site.metrics).collect();
    let [_, other] = two_accounts(&stale.server, &stale.operator);
    let prometheus = Prometheus::start(&hurried(), &targets);
    let up = |count: usize| move |prometheus: &Prometheus| prometheus.value("sum(up)").filter(|up| *up == count as f64);
    prometheus.until("all are up", up(targets.len()));

    let mut expected = Fired::new();
    let mut expect = |alert: &str, at: SocketAddr| {
        fires(&prometheus, alert, at);
        expected.insert((alert.to_owned(), at.to_string()));
    };
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ends = Ends(&over);
        for site in [Some(&refusing), slow.as_ref(), Some(&calm)].into_iter().flatten() {
            let (trader, over) = (site.trader(), &over);
            scope.spawn(move || trade(trader, over));
        }
        full.iter().for_each(fill);
        // Its connection has been idle for as long as all of this took, and the venue closes idle ones.
        let mut other = stale.server.client().with_key(other.key.as_ref().unwrap());
        let hidden = end_the_feed(&stale.data(), &mut other);
        let (down, start) = (killed.metrics, killed.kill());
        expect("BooksStale", stale.metrics);
        expect("VenueDown", down);
        let again = start();
        expect("Restart", down);
        expect("Refusals", refusing.metrics);
        if let Some(slow) = &slow {
            expect("SyncSlow", slow.metrics);
            let said = slow.server.said();
            assert!(said.iter().any(|line| line.starts_with("slow syncs in a second: ")), "{said:?}");
        }
        full.iter().for_each(|full| expect("DiskNearlyFull", full.metrics));

        // A fault that was fixed is no longer reported.
        hidden.give_back();
        prometheus.until("the books are fresh, and the venue is up", |prometheus| {
            let firing = alerts(prometheus, "ALERTS{alertstate=\"firing\"}");
            let is_over = |alert: &str| firing.iter().all(|(name, _)| name != alert);
            (is_over("BooksStale") && is_over("VenueDown")).then_some(())
        });
        drop(again);
    });
    let mut fired = alerts(&prometheus, "count_over_time(ALERTS{alertstate=\"firing\"}[10m])");
    fired.retain(|one| expected.contains(one) || !OF_THE_MACHINE.contains(&one.0.as_str()));
    assert_eq!(fired, expected);
}
