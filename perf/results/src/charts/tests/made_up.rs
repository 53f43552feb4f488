//! Made-up figures of `feed`.

use crate::record::{FeedCaseRecord, FeedRecord, LadderRecord, LateRecord, Spread, WayRecord};

/// What `feed` may have measured, on the machine of a ladder.
pub fn feed_run(ladder: LadderRecord) -> FeedRecord {
    let LadderRecord { machine, commit, command, rounds, .. } = ladder;
    let way = |event_ns: f64, late_ms: f64| WayRecord {
        event_ns: Spread::of(&[0.95 * event_ns, event_ns, 1.05 * event_ns]),
        deliveries_per_s: 1e6,
        from_acknowledgement: LateRecord { p50_ms: late_ms / 5.0, p99_ms: late_ms, p999_ms: late_ms, commands: 80_000 },
        from_due: LateRecord::default(),
        achieved_per_s: 1e5,
        commands: 100_000,
        bytes_per_reader: 56.0,
        p99_ms: None,
        threads: None,
        void: Vec::new(),
    };
    let case = |readers: usize| FeedCaseRecord {
        name: readers.to_string(),
        readers,
        mask: way(48.0, 0.6),
        channels: way(50.0 + 50.0 * readers as f64, 0.1 + readers as f64),
        event_ratio: None,
        net_event_ns: None,
    };
    FeedRecord {
        machine,
        commit,
        command,
        rounds,
        offered_per_s: 100_000,
        stalled_one_in: 100,
        cursor_bytes: 56,
        market_bytes: 18_448,
        resting_order_bytes: 24.0,
        bare_event_ns: Spread::of(&[24.5, 25.0, 25.5]),
        cases: [1, 10, 100, 1_000, 10_000].map(case).to_vec(),
        ladder: Vec::new(),
        shards: Vec::new(),
    }
}
