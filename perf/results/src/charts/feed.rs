//! What watching costs, by the number of readers: an event's processor time, and how late the last reader is. Both are
//! lines over the same axis, the feed's beside those of a channel for each reader.

use super::curves::{self, Across, Curve, Point};
use super::palette;
use super::scene::Scene;
use super::source::source_offered;
use super::words::{Words, words};
use crate::language::Language;
use crate::record::{FeedCaseRecord, FeedRecord, LateRecord, WayRecord};

/// One way of notifying readers: its colour, its name, its figures.
type Way = ([u8; 3], &'static str, fn(&FeedCaseRecord) -> &WayRecord);

/// Whether its line is dashed, and which of the times it is.
type Percentile = (bool, fn(&LateRecord) -> f64);

fn ways(words: &Words) -> [Way; 2] {
    [
        (palette::MEASURED, words.feed.by_mask, |case| &case.mask),
        (palette::LOSS, words.feed.by_channels, |case| &case.channels),
    ]
}

/// What an event costs on the matching thread.
pub(crate) fn event(record: &FeedRecord, language: Language) -> Scene {
    let words = words(language);
    let mut curves: Vec<Curve> = ways(words)
        .map(|(colour, name, of)| {
            let point = |case: &FeedCaseRecord| {
                let spread = of(case).event_ns.as_ref()?;
                Some(Point {
                    min_ns: spread.min,
                    max_ns: spread.max,
                    ..Point::steady(case.readers as f64, spread.median, false)
                })
            };
            let points = record.cases.iter().filter_map(point).collect();
            Curve { colour, name: name.into(), is_dashed: false, points }
        })
        .into();
    curves.extend(record.bare_event_ns.as_ref().map(|bare| {
        let points = record.cases.iter().map(|case| Point::steady(case.readers as f64, bare.median, false));
        Curve {
            colour: palette::NOISE,
            name: words.feed.without_reader.into(),
            is_dashed: true,
            points: points.collect(),
        }
    }));
    draw(record, [words.feed.event_title, words.feed.event_subtitle], &curves, language)
}

/// How long it takes until the last reader has a command.
pub(crate) fn last(record: &FeedRecord, language: Language) -> Scene {
    let words = words(language);
    let percentiles: [Percentile; 2] = [(false, |late| late.p99_ms), (true, |late| late.p50_ms)];
    let curves = ways(words).map(|(colour, name, of)| {
        percentiles.map(|(is_dashed, percentile)| {
            let point = |case: &FeedCaseRecord| {
                let ns = 1e6 * percentile(&of(case).from_acknowledgement);
                (ns > 0.0).then_some(Point::steady(case.readers as f64, ns, of(case).is_void(record.rounds)))
            };
            let name = format!("{name}{}{}", words.comma, words.percentiles[usize::from(!is_dashed)]);
            Curve { colour, name, is_dashed, points: record.cases.iter().filter_map(point).collect() }
        })
    });
    draw(record, [words.feed.last_title, words.feed.last_subtitle], curves.as_flattened(), language)
}

fn draw(record: &FeedRecord, titles: [&str; 2], curves: &[Curve], language: Language) -> Scene {
    let counts = record.cases.iter().map(|case| case.readers as f64).collect();
    let along = Across { title: words(language).feed.readers_axis, counts };
    curves::draw(&source_offered(record, language), titles, &along, curves, language)
}
