//! What the book's script that draws charts (`book/theme/charts`) gets, so that nothing is defined twice: every word,
//! unit and chapter's name of a language, every colour, the widths of the font's characters, and the positions of
//! everything.

use std::collections::BTreeMap;

use catalogue::Catalogue;
use market::engine::Stage;
use serde_json::{Value, json};

use super::palette;
use super::scene::{MARGIN, Paint, WIDTH, hex};
use super::words::words;
use super::{bars, curves, gain, once, percentiles, recover, replicas, scale, stages, sweep, text, throughput, venue};
use crate::language::Language;
use crate::machine::UNKNOWN;
use crate::units;
use crate::words::stage_words;

/// What a script needs beside a record to draw its charts in `language`.
pub fn given(chapters: &Catalogue, language: Language) -> Value {
    let titles: BTreeMap<&str, &str> = chapters
        .all()
        .iter()
        .map(|chapter| (chapter.folder.as_str(), language.pick(&chapter.title.en, &chapter.title.zh).as_str()))
        .collect();
    json!({
        "language": language.tag(),
        "words": words(language),
        "units": units::of_language(language),
        "unknown": UNKNOWN,
        "chapters": titles,
        "stages": Stage::ALL.map(|stage| json!({ "key": stage.key(), "name": stage_words(stage, language) })),
        "colours": colours(),
        "font": text::widths(),
        "layout": layout(),
    })
}

fn colours() -> Value {
    let hex_all = |colours: &[[u8; 3]]| -> Vec<String> { colours.iter().copied().map(hex).collect() };
    let on_stages: Vec<Paint> = palette::STAGES.into_iter().map(palette::text_on).collect();
    json!({
        "stages": hex_all(&palette::STAGES),
        "on_stages": on_stages,
        "percentiles": hex_all(&palette::PERCENTILES),
        "chapters": hex_all(&palette::CHAPTERS),
        "books": hex_all(&palette::BOOKS),
        "measured": hex(palette::MEASURED),
        "fitted": hex(palette::FITTED),
        "gain": hex(palette::GAIN),
        "loss": hex(palette::LOSS),
        "noise": hex(palette::NOISE),
        "total": hex(palette::TOTAL),
    })
}

/// The positions of everything, in a chart's own pixels.
fn layout() -> Value {
    json!({
        "width": WIDTH,
        "margin": MARGIN,
        "throughput": { "top": throughput::TOP, "row": throughput::ROW, "bar": throughput::BAR },
        "gain": { "legend": gain::LEGEND_TOP, "top": gain::TOP, "bottom": gain::BOTTOM, "height": gain::HEIGHT },
        "stages": { "legend": stages::LEGEND_TOP, "row": stages::ROW, "bar": stages::BAR },
        "percentiles": {
            "legend": percentiles::LEGEND_TOP,
            "top": percentiles::TOP,
            "bar": percentiles::BAR,
            "group": percentiles::GROUP,
            "empty": percentiles::EMPTY,
        },
        "sweep": { "top": sweep::TOP, "bottom": sweep::BOTTOM, "height": sweep::HEIGHT },
        "scale": { "legend": scale::LEGEND_TOP, "top": scale::TOP, "bottom": scale::BOTTOM, "height": scale::HEIGHT },
        "curves": {
            "legend": curves::LEGEND_TOP,
            "top": curves::TOP,
            "bottom": curves::BOTTOM,
            "height": curves::HEIGHT,
        },
        "recover": {
            "legend": recover::LEGEND_TOP,
            "top": recover::TOP,
            "bottom": recover::BOTTOM,
            "height": recover::HEIGHT,
        },
        "venue": {
            "top": venue::TOP,
            "row": venue::ROW,
            "bar": venue::BAR,
        },
        "replicas": { "kib": replicas::KIB },
        "once": { "of": once::OF, "room": once::ROOM },
        "bars": { "legend": bars::LEGEND_TOP, "groups": bars::GROUPS_TOP, "thin": bars::THIN },
    })
}
