//! The recordings that the book plays are what the engines do: the same run again gives the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "../examples/record/books.rs"]
mod books;
#[path = "../examples/record/digest.rs"]
mod digest;
#[path = "../examples/record/log.rs"]
mod log;
#[path = "../examples/record/mask.rs"]
mod mask;
#[path = "../examples/record/numbers.rs"]
mod numbers;
#[path = "../examples/record/ordering.rs"]
mod ordering;
#[path = "../examples/record/ring.rs"]
mod ring;
#[path = "recording/spoilt.rs"]
mod spoilt;
#[path = "../examples/record/takeover.rs"]
mod takeover;
#[path = "../examples/record/timelines.rs"]
mod timelines;
#[path = "../examples/record/window.rs"]
mod window;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn is_what_runs(name: &str, recorded: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name).with_extension("json");
    let again = serde_json::to_string_pretty(recorded).unwrap() + "\n";
    assert!(
        fs::read_to_string(&file).unwrap().replace("\r\n", "\n") == again,
        "{} is not what the engine does now: cargo run -p book --example record",
        file.display()
    );
}

#[test]
fn the_ring_is_recorded_as_it_runs() {
    is_what_runs("ring", &ring::record());
}

#[test]
fn one_ordering_weakened_is_recorded_as_it_runs() {
    let recording = ordering::record();
    is_what_runs("ordering", &recording);
    let ends = |variant: &str| {
        let steps = recording["steps"].as_array().unwrap();
        steps.iter().rfind(|step| step["variant"] == variant).unwrap()["value"].clone()
    };
    // Each of the two orderings is needed, and both together are enough.
    assert_eq!(["release", "acquire", "nothing"].map(ends), [0, 0, 4]);
}

#[test]
fn a_slow_reader_is_recorded_as_it_catches_up() {
    let recording = mask::record();
    is_what_runs("mask", &recording);
    let steps = recording["steps"].as_array().unwrap();
    // With nothing missed a reader has what is on the slate, and a price is in the mask exactly if its version is
    // old.
    for step in steps {
        for watcher in step["watchers"].as_array().unwrap() {
            let is_same = watcher["amounts"] == step["slate"]["amounts"];
            assert!(is_same || watcher["misses"] != 0, "nothing is missed, but the book differs: {step}");
            for (at, changed) in step["slate"]["changed"].as_array().unwrap().iter().enumerate() {
                let [is, was] = [&step["slate"], watcher].map(|one| one["epoch"].as_u64().unwrap());
                let is_later = is != was || changed.as_u64() > watcher["version"].as_u64();
                assert_eq!(watcher["missed"][at], is_later, "price {at} by its version: {step}");
            }
        }
    }
    let woke = steps.iter().find(|step| step["who"] == "slow" && step["detail"]["most"] == 5).unwrap();
    assert_eq!(woke["detail"]["prices"], 2, "five changes at one price and one at another are two amounts");
}

#[test]
fn a_window_is_recorded_as_it_follows_its_market() {
    let recording = window::record();
    is_what_runs("window", &recording);
    let steps = recording["steps"].as_array().unwrap();
    // A level is in the array exactly if the window holds its price, at every step; the window is 4,096 ticks at
    // rest.
    for step in steps {
        let held = step["window"].as_array().map(|window| [&window[0], &window[1]].map(|end| end.as_u64().unwrap()));
        for level in step["levels"].as_array().unwrap() {
            let price = level["price"].as_u64().unwrap();
            assert_eq!(
                level["array"],
                held.is_some_and(|[low, high]| (low..=high).contains(&price)),
                "{price}: {step}"
            );
        }
        let span = held.map_or(0, |[low, high]| high - low + 1);
        assert!(span == 4_096 || step["moving"] == true, "at rest it holds {span} ticks: {step}");
    }
    let times = |does: &str| steps.iter().filter(|step| step["does"] == does).count();
    assert_eq!(
        (times("sets-out"), times("settles")),
        (1, 2),
        "it does not follow a single order, but follows the market"
    );
}

#[test]
fn numbers_are_recorded_as_the_table_finds_them() {
    let recording = numbers::record();
    is_what_runs("numbers", &recording);
    let steps = recording["steps"].as_array().unwrap();
    // By the page's rules alone: the answer to a number follows from what was carried out before it, and no number is
    // carried out twice.
    let (mut used, mut under_way) = (BTreeSet::new(), BTreeSet::new());
    for step in steps {
        let found = step["found"].as_str().unwrap();
        let number = step["detail"]["number"].as_u64();
        let highest = used.last().copied().unwrap_or(0);
        match (found, number) {
            ("done", Some(number)) => assert!(under_way.remove(&number) && used.insert(number), "{step}"),
            ("many", None) => {
                let from = step["detail"]["from"].as_u64().unwrap();
                used.extend((from..=step["highest"].as_u64().unwrap()).filter(|number| *number != 100));
            }
            ("venue", _) => under_way.clear(),
            (_, Some(number)) => {
                let is_below = number + 256 <= highest;
                let should = match (under_way.contains(&number), is_below, used.contains(&number)) {
                    (true, ..) => &["joined"][..],
                    (_, false, false) => &["new"],
                    (_, true, false) => &["number-too-old"],
                    (_, true, true) => &["answered", "number-too-old"],
                    (_, false, true) => &["answered", "number-reused", "number-done"],
                };
                assert!(should.contains(&found), "{should:?}: {step}");
                if found == "new" {
                    under_way.insert(number);
                }
            }
            _ => panic!("no number came: {step}"),
        }
        let highest = used.last().copied().unwrap_or(0);
        let shown = step["used"].as_str().unwrap().bytes().enumerate();
        let shown: BTreeSet<u64> = shown.filter(|(_, bit)| *bit == b'1').map(|(age, _)| highest - age as u64).collect();
        let window: BTreeSet<u64> = used.iter().copied().filter(|number| number + 256 > highest).collect();
        assert_eq!(shown, window, "{step}");
    }
    let finds = |found: &str| steps.iter().filter(|step| step["found"] == found).count();
    let all = ["new", "joined", "answered", "number-reused", "number-done", "number-too-old"];
    assert_eq!(all.map(|found| finds(found) > 0), [true; 6], "each answer of the table is there");
}

#[test]
fn planted_mistakes_are_recorded_up_to_a_lost_command() {
    let recording = takeover::record();
    is_what_runs("takeover", &recording);
    let steps = recording["steps"].as_array().unwrap();
    let runs: Vec<&[Value]> = steps.chunk_by(|one, next| one["run"] == next["run"]).collect();
    assert_eq!(runs.len(), 3);
    for run in runs {
        // The steps are those that the model's own test holds.
        let trace = format!("../chapters/0x0e-replication/tests/model/{}.txt", run[0]["run"].as_str().unwrap());
        let trace = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(trace)).unwrap();
        let broken = format!("=> {}", run.last().unwrap()["broken"].as_str().unwrap());
        let told = run[1..].iter().map(|step| step["model"].as_str().unwrap()).chain([&*broken]);
        assert_eq!(told.collect::<Vec<_>>(), trace.lines().collect::<Vec<_>>());
        // And the last picture shows what a primary lacks.
        let machines = run.last().unwrap()["holds"]["machines"].as_array().unwrap();
        assert!(machines.iter().any(|machine| machine["lacks"][0]["command"] == "A"), "{machines:?}");
    }
}

#[test]
fn a_frame_is_recorded_byte_by_byte() {
    let recording = log::record();
    is_what_runs("log", &recording);
    let steps = recording["steps"].as_array().unwrap();
    // Whatever part of the second frame exists: the first, which was acknowledged, is kept. The second counts when
    // all of it is there.
    for step in &steps[..49] {
        assert_eq!(step["start"]["commands"], if step["written"] == 48 { 2 } else { 1 }, "{step}");
    }
    let says: Vec<&str> = steps[48..].iter().map(|step| step["start"]["says"].as_str().unwrap()).collect();
    assert_eq!(says, ["whole", "whole", "torn", "short", "damaged", "damaged"]);
}

/// Every run is different. What must hold is checked in the run that the book shows, and in one on this
/// machine.
#[test]
fn the_time_lines_are_of_runs_that_the_engines_allow() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/timelines.json");
    assert!(timelines::is_of_these_sources(&file), "{} was made by other code: record it again", file.display());
    let recording: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    timelines::laws::check(&recording["steps"]).unwrap();
    timelines::laws::check(&timelines::record(1)["steps"]).unwrap();

    // An order that is applied before its sync returned, and a batch that left with a free seat before its time, are
    // detected.
    let planted = |plant: fn(&mut Value)| {
        let mut steps = recording["steps"].clone();
        plant(&mut steps["runs"]);
        timelines::laws::check(&steps).unwrap_err()
    };
    let early = planted(|runs| {
        let returned = runs[4]["frames"][0]["synced"][1].as_u64().unwrap();
        runs[4]["orders"][0]["applied"][0] = json!(returned - 1);
    });
    assert!(early.starts_with("0x06: the sync returned at"), "{early}");
    let impatient = planted(|runs| runs[2]["batch_max"] = json!(5));
    assert!(impatient.starts_with("0x03 with K = 5: a frame of 4 orders"), "{impatient}");
}

#[test]
fn ten_commands_are_recorded_through_both_books() {
    let recording = books::record();
    is_what_runs("books", &recording);
    let ends = |engine: usize| {
        let last = &recording["steps"].as_array().unwrap().last().unwrap()["engines"][engine];
        ["so_far", "different"].map(|count| last[count].as_u64().unwrap())
    };
    // The page's claims: about as many lines, and in 0x05 the same ones again.
    let [naive, array] = [0, 1].map(ends);
    assert!(naive[0].abs_diff(array[0]) < 10 && array[1] < naive[1], "{naive:?} {array:?}");
}
