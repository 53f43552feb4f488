//! Made-up figures of `feed`, `venue`, 0x0b, 0x0c, 0x0e and the ladder's history.

use crate::record::venue::{
    ConnectionsCaseRecord, ConnectionsRecord, EngineRecord, HttpRecord, LateRecord, StreamRecord, VenueRecord,
};
use crate::record::{
    self, CostRecord, FeedCaseRecord, FeedRecord, FrameSizeRecord, HistoryOfFigures, LadderRecord, LadderVersion,
    NaiveRecord, OnceRecord, PathLoadRecord, PathRecord, PathStageRecord, PathWholeRecord, ReplicasRecord,
    ReturningRecord, Spread, WayRecord,
};

/// What `feed` could have measured, on the machine of a ladder.
pub fn feed_run(ladder: LadderRecord) -> FeedRecord {
    let LadderRecord { machine, commit, command, rounds, .. } = ladder;
    let way = |event_ns: f64, late_ms: f64| WayRecord {
        event_ns: Spread::of(&[0.95 * event_ns, event_ns, 1.05 * event_ns]),
        deliveries_per_s: 1e6,
        from_acknowledgement: record::LateRecord {
            p50_ms: late_ms / 5.0,
            p99_ms: late_ms,
            p999_ms: late_ms,
            commands: 80_000,
        },
        from_due: record::LateRecord::default(),
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

/// What 0x0b could have measured, on the machine of a ladder: one way has done everything twice, and one both repeats
/// and loses.
pub fn once_run(ladder: LadderRecord) -> OnceRecord {
    let LadderRecord { machine, commit, .. } = ladder;
    let spread = |median: f64| Spread { median, min: 0.9 * median, max: 1.2 * median, rounds: vec![median] };
    let cost = |(name, per_s): (&str, f64)| CostRecord {
        name: name.into(),
        before_per_s: spread(per_s),
        without_per_s: spread(0.9 * per_s),
        with_per_s: spread(0.7 * per_s),
    };
    let returning = |notices| ReturningRecord { notices, ring_ms: spread(0.1 * notices as f64), log_ms: spread(20.0) };
    let naive =
        |(name, asked, twice, lost): (&str, u64, u64, u64)| NaiveRecord { name: name.into(), asked, twice, lost };
    let ways = [
        ("retry-without-number", 4_000, 4_000, 0),
        ("ask-first", 4_000, 36, 0),
        ("expiring-set", 100_000, 47, 1),
        ("keys-in-sqlite", 13_263, 0, 0),
        ("broker", 1_000_000, 0, 140_466),
        ("numbers", 4_000, 0, 0),
    ];
    OnceRecord {
        machine,
        commit,
        costs: [("http", 5.5e4), ("binary", 1.83e6)].map(cost).into(),
        returning: [1, 1_000, 1_000_000].map(returning).into(),
        naive: ways.map(naive).into(),
    }
}

/// What 0x0c's `measure` may have found, on the machine of a ladder.
pub fn path_run(ladder: LadderRecord) -> PathRecord {
    let LadderRecord { machine, commit, .. } = ladder;
    let names = ["parse", "door", "queue", "journal", "sync", "wake", "match", "reply", "encode", "write"];
    let stage = |(at, name): (usize, &str)| {
        let mean_ns = 700.0 * 2.3_f64.powi(at as i32);
        PathStageRecord { name: name.into(), mean_ns, slowest_ns: mean_ns * [20.0, 0.5, 3.0][at % 3] }
    };
    let load = |(name, offered_per_s): (&str, f64)| PathLoadRecord {
        name: name.into(),
        offered_per_s,
        stages: names.into_iter().enumerate().map(stage).collect(),
        whole: PathWholeRecord { mean_ns: 8e5, p99_ns: 5e6 },
        means_ns: 8e5,
        p99s_ns: 1.3e7,
    };
    let loads = [("http-5000", 5e3), ("http-20000", 2e4), ("websocket-5000", 5e3), ("websocket-20000", 2e4)];
    PathRecord { machine, commit, loads: loads.map(load).into() }
}

/// What 0x0e could have measured, on the machine of a ladder: at the largest size, four times that are nearly equal.
pub fn replicas_run(ladder: LadderRecord) -> ReplicasRecord {
    let LadderRecord { machine, commit, .. } = ladder;
    let size = |(bytes, ns): (u64, f64)| FrameSizeRecord {
        bytes,
        sync_p50_ns: ns,
        sync_p99_ns: 1.1 * ns,
        append_p50_ns: 1.2 * ns,
        append_p99_ns: 1.3 * ns,
    };
    ReplicasRecord { machine, commit, sizes: [(1 << 10, 2.7e5), (1 << 18, 1.2e6), (1 << 20, 3.2e6)].map(size).into() }
}

/// What `venue` could have measured, on the machine of a ladder.
pub fn venue_run(ladder: LadderRecord) -> VenueRecord {
    let LadderRecord { machine, commit, command, rounds, .. } = ladder;
    let spread = |median: f64| Spread { median, min: 0.9 * median, max: 1.2 * median, rounds: vec![median] };
    let stream = |(name, per_s): (&str, f64)| StreamRecord {
        name: name.into(),
        batch: 1,
        per_s: spread(per_s),
        ratio: None,
        server_ns: None,
        load_ns: None,
    };
    let late = |(name, p50_ms): (&str, f64)| LateRecord {
        name: name.into(),
        offered_per_s: 5_000,
        achieved_per_s: 4_999.0,
        p50_ms,
        p99_ms: 4.0 * p50_ms,
        p999_ms: 11.0 * p50_ms,
        p99_rounds_ms: Vec::new(),
        load: None,
    };
    let engine = |(name, per_s): (&str, f64)| EngineRecord {
        name: name.into(),
        orders_per_s: spread(per_s),
        p50_ms: 2.0,
        p99_ms: 9.0,
    };
    VenueRecord {
        machine,
        commit,
        command,
        rounds,
        seconds: 3.0,
        http: Some(HttpRecord {
            connections: 64,
            empty_per_s: spread(54e3),
            orders_per_s: spread(29e3),
            ratio: spread(0.5),
            fresh_per_s: spread(8.7e3),
            server_ns: None,
            load_ns: None,
        }),
        http2: None,
        profile: Vec::new(),
        concurrency: Vec::new(),
        stream: [("echo", 229e3), ("one", 109e3), ("json-batch", 220e3), ("binary-batch", 1.2e6)].map(stream).into(),
        late: [("bare", 0.3), ("http", 0.9), ("stream", 0.8)].map(late).into(),
        late_high: Vec::new(),
        beside: Vec::new(),
        engines: [("0x01", 6.6e3), ("0x03", 21.4e3), ("0x08", 15.5e3)].map(engine).into(),
        connections: Some(ConnectionsRecord {
            open_files_max: Some(20_000),
            kernel: Vec::new(),
            cases: [100, 1_000, 12_000].map(watched).into(),
        }),
        sustained: None,
        accounts: Vec::new(),
        notices: Vec::new(),
    }
}

/// A case with this many connections.
fn watched(connections: usize) -> ConnectionsCaseRecord {
    ConnectionsCaseRecord {
        name: connections.to_string(),
        asked: connections,
        connections,
        served: connections,
        connect_ms: 0.1 * connections as f64,
        connect_p50_ms: 2.0,
        connect_p99_ms: 9.0,
        connection_bytes: Some(11_500.0),
        changes: 100,
        last_p50_ms: 0.005 * connections as f64,
        last_p99_ms: 0.009 * connections as f64,
        due_p50_ms: 60.0,
        due_p99_ms: 140.0,
        server_ns: None,
        load_ns: None,
    }
}

/// Many versions of a ladder, on machines that change.
pub fn history_run(ladder: &LadderRecord, versions: u32) -> HistoryOfFigures {
    let version = |place: u32| {
        let mut version = LadderVersion::of(ladder, Some("2026-11-21".into()));
        version.commit = format!("{:012x}", (0x2a4f_0502_2d84_u64 * u64::from(place + 1)) & 0xFFFF_FFFF_FFFF);
        version.machine.kernel = format!("6.{}", place / 3 % 3);
        for speed in version.orders_per_s.values_mut() {
            let factor = 1.0 + f64::from(place) / 10.0;
            *speed = Spread::of(&speed.rounds.iter().map(|round| round * factor).collect::<Vec<_>>()).unwrap();
        }
        version
    };
    HistoryOfFigures { versions: (0..versions).map(version).collect() }
}
