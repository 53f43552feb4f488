//! What the real program shows is what Prometheus and its linter expect, in both formats, and it counts what happens.

use std::collections::BTreeSet;

use serde_json::json;
use whole_path::writer::BOUNDS;

use crate::prometheus::{Prometheus, get, is_there, promtool};
use crate::site::{Site, order, until};
use crate::support::frames::Frames;

const OPENMETRICS: &str = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";

/// The names of labels that there may be. None has a value that a client can choose.
const LABELS: [&str; 9] = ["le", "log", "path", "profile", "reason", "stage", "status", "to", "version"];

fn text(site: &Site) -> String {
    let (head, body) = get(site.metrics, "/metrics", "").unwrap();
    assert!(head.starts_with("HTTP/1.0 200 OK"), "{head}");
    assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
    body
}

/// All series, by name and labels.
fn series(text: &str) -> BTreeSet<&str> {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples.map(|line| line.rsplit_once(' ').expect("a sample has a value").0).collect()
}

/// The value of a series.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in {text}")).parse().unwrap()
}

/// Two markets, four accounts, orders, a refusal, a page that there is not.
fn trade(site: &Site) {
    let mut operator = site.server.client().with_key(&site.operator);
    operator.post("/v1/markets", &json!({ "question": { "en": "Snow?", "zh": "下雪吗？" } })).unwrap();
    for name in ["Ann", "Bob", "<script>"] {
        let made = operator.post("/v1/accounts", &json!({ "name": name })).unwrap().json();
        let mut client = site.server.client().with_key(made["key"].as_str().unwrap());
        for price in 10..20 {
            client.post("/v1/orders", &order(price)).unwrap();
        }
        client.get(&format!("/v1/{}", "x".repeat(100))).unwrap();
    }
}

#[test]
fn the_linter_of_prometheus_finds_nothing() {
    let site = Site::start(&[]);
    trade(&site);
    let text = text(&site);
    if is_there() {
        promtool(&["check", "metrics"], &text, &site.data());
    }
}

#[test]
fn both_formats_show_the_same() {
    let site = Site::start(&[]);
    let (head, open) = get(site.metrics, "/metrics", OPENMETRICS).unwrap();
    assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"), "{head}");
    assert!(
        open.ends_with("\n# EOF\n") && open.contains("\n# UNIT venue_log_sync_duration_seconds seconds\n"),
        "{open}"
    );
    assert!(
        open.contains("\n# TYPE venue_build info\n") && open.contains("\n# TYPE venue_commands counter\n"),
        "{open}"
    );
    let text = text(&site);
    assert!(text.contains("\n# TYPE venue_commands_total counter\n") && !text.contains("# EOF"), "{text}");
    let names = |text: &str| -> BTreeSet<String> {
        series(text).into_iter().map(|series| series.split('{').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&open), names(&text));
    assert_eq!(series(&open).len(), series(&text).len());
    // A histogram whose last bucket has another bound has no quantiles.
    for text in [&open, &text] {
        let of_requests = |bound: &str| {
            let is_it =
                |series: &&&str| series.starts_with("venue_request_duration_seconds_bucket{") && series.contains(bound);
            series(text).iter().filter(is_it).count()
        };
        assert_eq!((of_requests("le=\"+Inf\""), of_requests("le=")), (1, BOUNDS.len() + 1), "{text}");
    }
}

#[test]
fn no_client_makes_the_monitoring_grow() {
    let site = Site::start(&["--orders-per-second", "4"]);
    let before = text(&site);
    trade(&site);
    let after = text(&site);
    assert_eq!(series(&before), series(&after), "the series are the same, whatever clients do");
    for series in series(&after) {
        let labels = series.split_once('{').map_or("", |(_, labels)| labels.trim_end_matches('}'));
        for label in labels.split(',').filter(|label| !label.is_empty()) {
            let name = label.split('=').next().unwrap();
            assert!(LABELS.contains(&name), "{series}");
        }
    }
}

#[test]
fn what_happens_is_counted() {
    let site = Site::start(&["--orders-per-second", "5", "--snapshot-every", "10", "--connections", "9"]);
    let mut trader = site.trader();
    let refused = (0..40).filter(|_| trader.post("/v1/orders", &order(5)).unwrap().status == 429).count();
    assert!(refused > 0, "an account sends two seconds' worth at once, and no more");
    let mut streams: Vec<_> = (0..2)
        .map(|id| {
            let mut stream = Frames::connect(site.server.address, "").unwrap();
            stream.ask(&json!({ "id": id, "do": "login", "key": site.key }).to_string());
            stream
        })
        .collect();
    streams[0].ask(r#"{"id":9,"do":"notices"}"#);
    let account = trader.get("/v1/account").unwrap().json()["account"].clone();
    let mut operator = site.server.client().with_key(&site.operator);
    for amount in [5, 7] {
        let cash = json!({ "account": account, "amount": amount });
        assert_eq!(operator.post("/v1/markets/1/deposits", &cash).unwrap().status, 200);
    }
    drop(operator);
    until("notices are counted", || value(&text(&site), "venue_notices_total") == 2.0);
    until("the operator is gone", || value(&text(&site), "venue_connections") == 3.0);
    let shown = text(&site);
    let counted = |series: &str| value(&shown, series);
    assert_eq!(counted(r#"venue_refusals_total{reason="too-many-requests"}"#), refused as f64);
    assert_eq!(counted(r#"venue_http_responses_total{status="429"}"#), refused as f64);
    assert_eq!(counted("venue_orders_accepted_total"), (40 - refused) as f64);
    assert_eq!((counted("venue_connections"), counted("venue_streams")), (3.0, 2.0));
    let (free, size) = (counted("venue_disk_free_bytes"), counted("venue_disk_size_bytes"));
    let room = program::room::room(&site.data()).unwrap();
    assert!(size == room.size as f64 && free > 0.0 && free <= size, "{free} of {size}: {room:?}");
    until("a snapshot is counted", || value(&text(&site), "venue_snapshots_total") > 0.0);
    let is_told = |line: &String| line.starts_with("snapshots written: ");
    until("the operator is told of it", || site.server.said().iter().any(is_told));
    let more: Vec<_> = (0..7).map(|_| site.server.client()).collect();
    until("a connection too many is counted", || {
        value(&text(&site), r#"venue_refusals_total{reason="too-many-connections"}"#) > 0.0
    });
    drop((streams, more));
    until("those that ended are not", || value(&text(&site), "venue_streams") == 0.0);
}

#[test]
fn a_real_prometheus_scrapes_it() {
    if !is_there() {
        return;
    }
    let site = Site::start(&[]);
    let prometheus = Prometheus::start("groups: []", &[site.metrics]);
    prometheus.until("it is up", |prometheus| prometheus.value("up").filter(|up| *up == 1.0));
    let before = prometheus.until("it counts", |prometheus| prometheus.value("venue_commands_total"));
    let mut trader = site.trader();
    (0..25).for_each(|_| assert_eq!(trader.post("/v1/orders", &order(5)).unwrap().status, 200));
    prometheus.until("the orders are counted", |prometheus| {
        prometheus.value("venue_commands_total").filter(|after| *after == before + 25.0)
    });
    let p99 = "histogram_quantile(0.99, sum by (le) (venue_log_sync_duration_seconds_bucket))";
    let p99 = prometheus.until("a quantile", |prometheus| prometheus.value(p99));
    assert!(p99 > 0.0 && p99 < 8.0, "{p99}");
}
