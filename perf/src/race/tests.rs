//! Races of made-up programs whose truth is known.

use std::collections::BTreeMap;

use program::rounds::Rounds;
use results::record::{Pair, RaceRecord, RacedChapter, RacedRound, Spread};

use super::figures::{Figure, all};
use super::pairs::factors;
use super::verdict::{Judgement, judge, looks};

/// Integers that are the same on every machine: SplitMix64.
struct Random(u64);

impl Random {
    /// A number from 0 to below 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Approximately a normal deviate: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// How the machine changes a time of 1, in run `at`.
type Weather = fn(&mut Random, usize) -> f64;

fn calm(random: &mut Random, _: usize) -> f64 {
    1.0 + 0.02 * random.normal()
}

/// Half as fast again at the end as at the beginning.
fn drift(random: &mut Random, at: usize) -> f64 {
    calm(random, at) * (1.0 + at as f64 / 128.0)
}

/// One run in eight takes up to five times as long.
fn outliers(random: &mut Random, at: usize) -> f64 {
    let slow = if random.share() < 0.125 { 1.0 + 4.0 * random.share() } else { 1.0 };
    calm(random, at) * slow
}

/// One run in thirty does.
fn few_outliers(random: &mut Random, at: usize) -> f64 {
    let slow = if random.share() < 1.0 / 30.0 { 1.0 + 4.0 * random.share() } else { 1.0 };
    calm(random, at) * slow
}

/// A disk whose syncs take from one to three times as long, by the run.
fn slow_disk(random: &mut Random, at: usize) -> f64 {
    calm(random, at) * (1.0 + 2.0 * random.share())
}

/// Near cores or far ones, depending on where the system puts the threads.
fn two_modes(random: &mut Random, at: usize) -> f64 {
    calm(random, at) * if random.share() < 0.5 { 1.0 } else { 1.6 }
}

/// Whether a race of one figure over seven chapters, whose times are `slower` × what they were, ends as worse: judged
/// when `race` judges, until it is settled or all rounds are run. The figure has one pair a round, as p99 has.
fn is_found_worse(seed: u64, weather: Weather, slower: f64) -> bool {
    let mut random = Random(seed);
    let mut chapter =
        RacedChapter { chapter: "0x05".into(), orders: 1, rate: 1, rounds: Vec::new(), factors: BTreeMap::new() };
    let looks = looks(32);
    for pair in 0..32 {
        let base_first = random.share() < 0.5;
        let (first, second) = (weather(&mut random, 2 * pair), weather(&mut random, 2 * pair + 1));
        let (base, current) = if base_first { (first, second) } else { (second, first) };
        let figures = |time: f64| BTreeMap::from([("processor_order_ns".to_owned(), time)]);
        let rest = Pair { base_first, base: figures(base), current: figures(current * slower) };
        chapter.rounds.push(RacedRound { throughput: Vec::new(), rest });
        if looks.contains(&(pair as u32 + 1)) {
            // As if each of the seven chapters had all three headlines.
            let factor = factors(&chapter, 21, looks.len())["processor_order_ns"];
            if judge(factor, false, 0.02) == Judgement::Worse {
                return true;
            }
        }
    }
    false
}

fn found(weather: Weather, slower: f64, races: u64) -> usize {
    (0..races).filter(|seed| is_found_worse(*seed, weather, slower)).count()
}

#[test]
fn an_unchanged_program_passes_in_any_weather() {
    for (name, weather) in [
        ("calm", calm as Weather),
        ("drift", drift),
        ("outliers", outliers),
        ("slow disk", slow_disk),
        ("two modes", two_modes),
    ] {
        // One figure of 21 that share 5 %: of a thousand, two or three may be called worse.
        let false_alarms = found(weather, 1.0, 1_000);
        assert!(false_alarms <= 8, "{name}: {false_alarms} of 1,000 unchanged programs were called slower");
    }
}

#[test]
fn a_slower_program_is_found() {
    for (name, weather, least) in
        [("calm", calm as Weather, 190), ("drift", drift, 190), ("few outliers", few_outliers, 150)]
    {
        let seen = found(weather, 1.05, 200);
        assert!(seen >= least, "{name}: 5 % were seen in {seen} races of 200");
    }
    // Noise reduces sensitivity but never gives a wrong verdict: where every fourth pair is spoiled, most changes of
    // 5% go unseen, and twice that is seen.
    let seen = found(outliers, 1.1, 200);
    assert!(seen >= 150, "10 % were seen in {seen} races of 200 among outliers");
    let seen = found(calm, 1.03, 200);
    assert!(seen >= 150, "3 % were seen in {seen} races of 200");
    let seen = found(calm, 1.0 / 0.9, 200);
    assert!(seen >= 199, "a tenth was seen in {seen} races of 200");
}

/// The headline figures of a real race of a commit with itself: real noise.
fn recorded() -> Vec<RacedChapter> {
    let record: RaceRecord = serde_json::from_str(include_str!("recorded.json")).expect("it is a record of `race`");
    assert_eq!(record.base, record.current, "it is not a race of a program with itself");
    record.chapters
}

/// A round when it counts only once, with the medians of its throughput runs.
fn once(round: RacedRound) -> RacedRound {
    let side = |of: fn(&Pair) -> &BTreeMap<String, f64>| {
        let median = |key: &String| {
            let runs: Vec<f64> = round.throughput.iter().map(|pair| of(pair)[key]).collect();
            (key.clone(), Spread::of(&runs).expect("there are runs").median)
        };
        of(&round.throughput[0]).keys().map(median).collect()
    };
    let pair = Pair { base_first: true, base: side(|pair| &pair.base), current: side(|pair| &pair.current) };
    RacedRound { throughput: vec![pair], rest: round.rest }
}

/// Whether a race that resamples its rounds from recorded ones, counted like this, finds a chapter worse. Which side
/// of a pair is the current one is random too, so that chance in the recording favours neither. One figure of one
/// chapter is multiplied by `factor`, and then only this one is checked, though judged together with all.
fn is_worse_again(
    seed: u64,
    recorded: &[RacedChapter],
    counted: fn(RacedRound) -> RacedRound,
    planted: Option<(&str, &str, f64)>,
) -> bool {
    let mut random = Random(seed);
    let looks = looks(32);
    let is_asked = |chapter: &&RacedChapter| planted.is_none_or(|(folder, ..)| chapter.chapter == folder);
    recorded.iter().filter(is_asked).any(|chapter| {
        let mut raced = RacedChapter { rounds: Vec::new(), factors: BTreeMap::new(), ..chapter.clone() };
        (1..=32).any(|count| {
            let drawn = (random.share() * chapter.rounds.len() as f64) as usize;
            let mut round = chapter.rounds[drawn].clone();
            for pair in round.throughput.iter_mut().chain([&mut round.rest]) {
                if random.share() < 0.5 {
                    std::mem::swap(&mut pair.base, &mut pair.current);
                }
                if let Some((_, figure, factor)) = planted {
                    pair.current.entry(figure.to_owned()).and_modify(|value| *value *= factor);
                }
            }
            raced.rounds.push(counted(round));
            looks.contains(&count) && {
                let factors = factors(&raced, recorded.len(), looks.len());
                let is_worse = |figure: &Figure| {
                    judge(factors.get(&figure.key).copied().flatten(), figure.more_is_better, 0.02) == Judgement::Worse
                };
                all().iter().filter(|figure| figure.headline).any(is_worse)
            }
        })
    })
}

/// How many of this many races resampled from recorded rounds end as worse.
fn worse(races: u64, counted: fn(RacedRound) -> RacedRound, planted: Option<(&str, &str, f64)>) -> usize {
    let recorded = &recorded();
    let of = move |half: u64| {
        (0..races).filter(|seed| seed % 2 == half && is_worse_again(*seed, recorded, counted, planted)).count()
    };
    std::thread::scope(|scope| {
        let even = scope.spawn(move || of(0));
        of(1) + even.join().expect("it does not panic")
    })
}

#[test]
fn an_unchanged_program_passes_in_pairs_drawn_again() {
    let races = Rounds::asked().pick(100, 300);
    let unchanged = worse(races, |round| round, None);
    println!("{races} races of an unchanged program: {unchanged} end as worse");
    assert!(unchanged as u64 * 20 <= races, "{unchanged} of {races}");
}

#[test]
fn a_slower_program_is_found_in_pairs_drawn_again() {
    let races = Rounds::asked().pick(40, 100);
    for (chapter, figure, factor, least_in_100) in [
        ("0x05-array-book", "processor_order_ns", 1.05, 95),
        ("0x05-array-book", "processor_order_ns", 1.03, 50),
        ("0x06-pinned-ring", "throughput_ops", 0.9, 95),
    ] {
        let planted = Some((chapter, figure, factor));
        let (seen, seen_once) = (worse(races, |round| round, planted), worse(races, once, planted));
        println!(
            "{races} races with {figure} of {chapter} × {factor}: {seen} end as worse; counted once a round, {seen_once}"
        );
        let is_enough = seen as u64 * 100 >= least_in_100 * races && seen >= seen_once;
        assert!(is_enough, "{figure} of {chapter} × {factor}: {seen}, {seen_once} of {races}");
    }
}

#[test]
fn a_margin_is_a_number_of_per_cent() {
    assert_eq!(super::percent("3%"), Ok(0.03));
    assert_eq!(super::percent("0.5"), Ok(0.005));
    for wrong in ["", "%", "x", "0", "-1%", "101%", "NaN", "inf"] {
        assert!(super::percent(wrong).is_err(), "{wrong}");
    }
}
