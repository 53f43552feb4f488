//! Charts of made-up but likely figures: nothing overlaps, nothing is cut, the SVG is the same each
//! time. `cargo test -p results --all-features -- --ignored look` writes them to the temporary folder to look at.

mod made_up;

use std::{env, fs};

use catalogue::{Catalogue, Chapter};
use program::Failure;

use self::made_up::{feed_run, history_run, once_run, path_run, replicas_run, venue_run};
use super::files::write;
use super::scene::{Scene, overlap};
use super::*;
use crate::chapters;
use crate::language::Language;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::record::{
    BatchSize, ChapterRecord, FeedRecord, Flow, LadderRecord, Latency, Limit, OfferRecord, PauseRecord, RecoverRecord,
    ScaleRecord, Shards, Spread, Stages, StartRecord, Started, StateRecord, SweepRecord, VenueRecord,
};
use crate::usl::UslFit;

fn catalogue() -> Catalogue {
    chapters::catalogue().expect("the manifests are sound")
}

fn machine() -> Machine {
    Machine {
        cpu: "AMD EPYC".into(),
        cores: 2,
        memory_bytes: Some(24 << 30),
        disk: "vda".into(),
        filesystem: "ext4".into(),
        kernel: "6.1.0".into(),
        compiler: "rustc 1.95.0".into(),
        os: "linux".into(),
        arch: "x86_64".into(),
    }
}

fn spread(median: f64, noise: f64) -> Spread {
    Spread::of(&[median * (1.0 - noise), median, median * (1.0 + noise)]).unwrap()
}

/// Orders a second, noise, offered rate, stages.
type Rung = (f64, f64, f64, Option<[f64; 6]>);

/// A ladder of seven rungs.
fn ladder() -> LadderRecord {
    let rungs: [Rung; 7] = [
        (9.02e3, 0.06, 5e3, None),
        (8.95e3, 0.05, 5e3, Some([1_100.0, 107_500.0, 61.0, 212.0, 148.0, 1_270.0])),
        (1.01e6, 0.12, 1e5, Some([45.0, 320.0, 58.0, 190.0, 140.0, 96.0])),
        (1.86e6, 0.08, 1e6, Some([31.0, 170.0, 41.0, 104.0, 83.0, 52.0])),
        (4.4e6, 0.05, 1e6, Some([22.0, 92.0, 17.0, 23.0, 28.0, 31.0])),
        (7.6e6, 0.15, 1e6, Some([21.0, 66.0, 12.0, 19.0, 14.0, 9.0])),
        (1.32e7, 0.10, 1e6, Some([17.0, 31.0, 7.0, 10.0, 6.0, 4.0])),
    ];
    let chapter = |(place, (chapter, (median, noise, rate, stages))): (usize, (&Chapter, Rung))| ChapterRecord {
        chapter: chapter.folder.clone(),
        shards: None,
        orders: 100_000,
        trades: 48_000,
        orders_per_s: spread(median, noise),
        latency_ns: (place > 0).then(|| Latency {
            offered_per_s: rate,
            p50: (2e9 / median) as u64 + 180_000,
            p99: (9e9 / median) as u64 + 820_000,
            p999: (2e10 / median) as u64 + 1_400_000,
            max: (9e10 / median) as u64 + 3_100_000,
        }),
        stages_ns: stages.map(|ns| {
            let mut ns = ns.into_iter();
            Stages::from_each(|_| ns.next().ok_or("a time a stage")).unwrap()
        }),
        processor_ns: Default::default(),
        rounds: Vec::new(),
    };
    LadderRecord {
        machine: machine(),
        commit: "0123456789ab".into(),
        command: "cargo run --release".into(),
        flow: Flow { name: "classic".into(), seed: Some(1), orders: Some(100_000), input: None, log_version: 2 },
        rounds: 3,
        probes: vec![Probe { sync_ns: 1e5, round_trip_ns: Some(98.0), pinned: true, spin_ns: 1e6 }],
        chapters: catalogue().engines().zip(rungs).enumerate().map(chapter).collect(),
        venue: Vec::new(),
    }
}

fn latency_run() -> LatencyRun {
    let point = |nines: f64| (100.0 * (1.0 - 10_f64.powf(-nines)), 380e3 * (1.0 + 0.28 * nines.powf(2.2)));
    let steps = (0..=80).map(|step| point(f64::from(step) / 16.0));
    LatencyRun {
        chapter: ladder().chapters[2].chapter.clone(),
        offered_per_s: 1e5,
        achieved_per_s: 99_870.0,
        points: steps.collect(),
        max_ns: 6.2e6,
        machine: machine(),
        commit: ladder().commit,
        flow: ladder().flow,
    }
}

fn sweep_run() -> SweepRecord {
    let LadderRecord { machine, commit, command, flow, chapters, .. } = ladder();
    let size = |power: u32| {
        let batch = 1_u32 << power;
        let time_ns = 111e3 + 520.0 * f64::from(batch);
        let orders_per_s = spread(f64::from(batch) * 1e9 / time_ns, 0.0);
        BatchSize {
            batch,
            orders_per_s,
            offered_per_s: 1e5,
            p50_ns: spread(time_ns, 0.0),
            p99_ns: spread(time_ns * 2.1, 0.0),
        }
    };
    let chapter = chapters[2].chapter.clone();
    SweepRecord { machine, commit, command, flow, chapter, sizes: (0..=14).map(size).collect() }
}

fn scale_run() -> ScaleRecord {
    let LadderRecord { machine, commit, command, flow, probes, .. } = ladder();
    let law = UslFit { lambda: 7.1e6, alpha: 0.062, beta: 0.0061 };
    let wobble = [1.0, 0.985, 1.012, 1.003, 0.99];
    let point = |(&shards, wobble): (&u16, f64)| Shards {
        shards,
        orders_per_s: spread(law.throughput(f64::from(shards)) * wobble, 0.04),
    };
    let shards = [1, 2, 4, 8, 16].iter().zip(wobble).map(point).collect();
    let chapter = catalogue().engines().find(|chapter| chapter.shards).unwrap().folder.clone();
    ScaleRecord { machine, commit, command, flow, orders: 1, chapter, probes, shards, usl: None }
}

fn recover_run() -> RecoverRecord {
    let LadderRecord { machine, commit, command, flow, probes, rounds, .. } = ladder();
    let started = |ns| Started { start_ns: spread(ns, 0.05), processor_ns: None, memory_bytes: None };
    let start = |commands: u64| StartRecord {
        commands,
        log_bytes: 25 * commands,
        snapshot_bytes: 50_000_000,
        replay: started(110.0 * commands as f64),
        snapshot: started(4.1e8),
        cold: (commands > 1_000_000).then(|| started(4.6e8)),
    };
    let pause = |(name, worst): (&str, f64)| PauseRecord {
        name: name.into(),
        achieved_per_s: spread(1e6, 0.0),
        p50_ns: spread(3.1e5, 0.1),
        p99_ns: spread(9.0e5 + worst / 9.0, 0.1),
        p999_ns: spread(1.5e6 + worst / 2.0, 0.1),
        max_ns: spread(2.5e6 + worst, 0.1),
        processor_ns: None,
        memory_bytes: None,
        snapshots: None,
        snapshot_ns: None,
        behind_last_snapshot: None,
    };
    let (load_ns, write_ns) = (spread(2e8, 0.1), spread(1e8, 0.1));
    let starts: Vec<_> = [1_000_000, 10_000_000, 100_000_000].map(start).to_vec();
    RecoverRecord {
        state: StateRecord { markets: 64, accounts: 640_000, resting: 1_000_000, bytes: 50_000_000, load_ns, write_ns },
        chapter: catalogue().engines().last().unwrap().folder.clone(),
        meet_commands: RecoverRecord::meet(&starts),
        offer: OfferRecord { rate: 1_000_000, seconds: 4.0, every: 1_000_000 },
        pauses: [("none", 0.0), ("stopped", 2e8), ("shadow", 5e6)].map(pause).to_vec(),
        tail: 100_000,
        machine,
        commit,
        command,
        flow,
        rounds,
        probes,
        starts,
    }
}

type Draw = Box<dyn Fn(Language) -> Scene>;

fn all() -> Vec<(&'static str, Draw)> {
    let mut short = ladder();
    short.chapters.truncate(3);
    let mut odd = ladder();
    odd.chapters.truncate(2);
    odd.chapters[1].chapter = "0x08-an-exercise-with-quite-a-long-name-of-its-own".into();
    odd.machine.cpu = "A very long name of a CPU that would never appear on a chart as it is @ 3.00GHz".into();
    odd.chapters[1].orders_per_s = spread(1.2e3, 0.01);
    let ladders = [ladder(), short, odd];
    let names = [
        ["throughput", "stages", "gain", "latency"],
        ["throughput3", "stages3", "gain3", "latency3"],
        ["throughput2", "stages2", "gain2", "latency2"],
    ];
    let mut charts: Vec<(&'static str, Draw)> = Vec::new();
    for (record, [a, b, c, d]) in ladders.into_iter().zip(names) {
        let (r1, r2, r3, r4) = (record.clone(), record.clone(), record.clone(), record);
        charts.push((a, Box::new(move |language| throughput::draw(&r1, &catalogue(), language))));
        charts.push((b, Box::new(move |language| stages::draw(&r2, &catalogue(), language))));
        charts.push((c, Box::new(move |language| gain::draw(&r3, &catalogue(), language))));
        charts.push((d, Box::new(move |language| percentiles::draw(&r4, &catalogue(), language))));
    }
    charts.push(("run", Box::new(|language| super::latency::draw(&latency_run(), &catalogue(), language))));
    charts.push(("sweep", Box::new(|language| sweep::draw(&sweep_run(), &catalogue(), language))));
    charts.push(("scale", Box::new(|language| scale::draw(&scale_run(), &catalogue(), language))));
    charts.push(("recover", Box::new(|language| recover::draw(&recover_run(), &catalogue(), language))));
    charts.push(("recover-pauses", Box::new(|language| pauses::draw(&recover_run(), &catalogue(), language))));
    charts.push(("feed-event", Box::new(|language| feed::event(&feed_run(ladder()), language))));
    charts.push(("feed-last", Box::new(|language| feed::last(&feed_run(ladder()), language))));
    let void = || {
        let mut record = feed_run(ladder());
        record.cases.iter_mut().for_each(|case| case.channels.void = vec![Limit::Readers; record.rounds as usize]);
        record
    };
    charts.push(("feed-void", Box::new(move |language| feed::last(&void(), language))));
    let one_case = || FeedRecord { cases: feed_run(ladder()).cases.split_off(4), ..feed_run(ladder()) };
    charts.push(("feed-event1", Box::new(move |language| feed::event(&one_case(), language))));
    let http = |record: &VenueRecord| record.http.clone().unwrap();
    let run = || venue_run(ladder());
    charts.push(("venue-throughput", Box::new(move |language| venue::throughput(&run(), &http(&run()), language))));
    charts.push(("venue-late", Box::new(move |language| venue::late(&run(), language))));
    charts.push(("venue-engines", Box::new(move |language| venue::engines(&run(), language))));
    let many = move || run().connections.unwrap();
    charts.push(("venue-connections", Box::new(move |language| venue::connections(&run(), &many(), language))));
    charts.push(("once-costs", Box::new(|language| once::costs(&once_run(ladder()), language))));
    charts.push(("once-returning", Box::new(|language| once::returning(&once_run(ladder()), language))));
    charts.push(("once-naive", Box::new(|language| once::naive(&once_run(ladder()), language))));
    charts.push(("history12", Box::new(|language| history_of_figures::draw(&history_run(&ladder(), 12), language))));
    charts.push(("history40", Box::new(|language| history_of_figures::draw(&history_run(&ladder(), 40), language))));
    let run = || path_run(ladder());
    charts.push(("path-stages", Box::new(move |language| path::stages(&run(), &run().loads[0], language))));
    charts.push(("path-sums", Box::new(move |language| path::sums(&run(), language))));
    charts.push(("replicas", Box::new(|language| replicas::sizes(&replicas_run(ladder()), language))));
    charts
}

#[test]
fn no_text_is_cut_or_covers_another() {
    for (name, draw) in all() {
        for language in Language::ALL {
            let scene = draw(language);
            // A viewer without our font may render text a tenth wider.
            let labels: Vec<_> = scene.labels().map(|label| (label.bounds(1.1), &label.text)).collect();
            for (place, (bounds, text)) in labels.iter().enumerate() {
                let inside =
                    bounds[0] >= 0.0 && bounds[1] >= 0.0 && bounds[2] <= scene::WIDTH && bounds[3] <= scene.height;
                assert!(inside, "{name}, {language:?}: {text:?} is cut: {bounds:?}");
                for (other, neighbour) in &labels[..place] {
                    assert!(!overlap(bounds, other), "{name}, {language:?}: {text:?} covers {neighbour:?}");
                }
            }
        }
    }
}

#[test]
fn an_svg_is_the_same_each_time_and_describes_what_it_shows() {
    for (name, draw) in all() {
        for language in Language::ALL {
            let svg = render::svg(&draw(language), name, language);
            assert_eq!(svg, render::svg(&draw(language), name, language));
            assert!(svg.contains("role=\"img\"") && svg.contains("prefers-color-scheme:dark"));
            assert!(!svg.contains("#1D2733") && !svg.contains("dy="), "{svg}");
            let (_, rest) = svg.split_once("<desc ").unwrap();
            let (description, _) = rest.split_once("</desc>").unwrap();
            assert!(description.contains(':') || description.contains('：'), "{description}");
            assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        }
    }
}

#[test]
fn charts_tell_the_figures_in_both_languages() {
    let english = throughput::draw(&ladder(), &catalogue(), Language::English).description;
    assert!(english.contains("0x03 group commit 1.01 M orders/s"), "{english}");
    let chinese = throughput::draw(&ladder(), &catalogue(), Language::Chinese).description;
    assert!(chinese.contains("0x03 组提交 101 万订单/秒"), "{chinese}");
    let gains = gain::draw(&ladder(), &catalogue(), Language::English).description;
    assert!(gains.contains("0x03 group commit ×113") && gains.contains("in all ×1,463"), "{gains}");
}

#[test]
fn every_chart_is_written_in_four_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut record = ladder();
    record.chapters.truncate(2);
    let files = ladder_charts(&record, &catalogue(), &dir.path().join("new")).unwrap();
    assert_eq!(files.len(), 16);
    for file in &files {
        let bytes = fs::read(file).unwrap();
        let start: &[u8] = if file.extension().unwrap() == "png" { b"\x89PNG" } else { b"<svg " };
        assert!(bytes.starts_with(start), "{}", file.display());
    }
    assert!(dir.path().join("new/throughput.zh.png").exists());
}

#[test]
fn nothing_to_draw_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let empty = SweepRecord { sizes: vec![], ..sweep_run() };
    let error = sweep_chart(&empty, &catalogue(), dir.path()).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let mut run = latency_run();
    run.points.push((100.0, 1.0));
    assert_eq!(latency_chart(&run, &catalogue(), "run", dir.path()).unwrap_err().exit_code(), 2);
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(scale_chart(&scale_run(), &catalogue(), &file).unwrap_err().exit_code(), 3);
}

#[test]
#[ignore = "writes pictures for a person to look at"]
fn look() {
    let dir = env::temp_dir().join("perf-charts");
    for (name, draw) in all() {
        write(name, &dir, draw).unwrap();
    }
    println!("{}", dir.display());
}
