//! Measures and draws text with the one font that comes with the tool, so that a chart is laid out
//! the same on every machine, whatever fonts it has. The font contains only the glyphs that labels
//! use (`fonts/README.md`); a test checks each of them.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId, PxScale, ScaleFont};
use serde_json::{Value, json};

/// The bytes are part of the program, and the tests load them: they are a valid font.
static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(include_bytes!("../../fonts/labels.otf")).expect("a font"));

/// The scale at which an em is `size` pixels; the crate measures from ascent to descent.
fn scale(size: f64) -> PxScale {
    let units_per_em = FONT.units_per_em().unwrap_or(1_000.0);
    PxScale::from(size as f32 * FONT.height_unscaled() / units_per_em)
}

/// The characters of `text` that the font lacks.
#[cfg(test)]
pub(crate) fn missing(text: &str) -> Vec<char> {
    text.chars().filter(|&c| FONT.glyph_id(c).0 == 0).collect()
}

/// The width of `text` in pixels at `size` pixels an em.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let font = FONT.as_scaled(scale(size));
    text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
}

/// `text`, cut with "..." to `room` pixels, with 15 per cent spare for viewers' wider fonts.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> String {
    let fits = |text: &str| width(text, size) * 1.15 <= room;
    if fits(text) {
        return text.to_string();
    }
    let mut end = text.len();
    loop {
        let Some((shorter, _)) = text[..end].char_indices().next_back() else {
            return String::new();
        };
        end = shorter;
        let cut = format!("{}...", text[..end].trim_end());
        if fits(&cut) {
            return cut;
        }
    }
}

/// The widths of the font's characters for a script that measures as [`width`] does, in thousandths of an em: characters
/// by their width, and the width of all others.
pub(crate) fn widths() -> Value {
    let units_per_em = f64::from(FONT.units_per_em().unwrap_or(1_000.0));
    let thousandths = |id| f64::from(FONT.h_advance_unscaled(id)) * 1_000.0 / units_per_em;
    let other = thousandths(GlyphId(0));
    let mut characters: Vec<(char, f64)> = FONT.codepoint_ids().map(|(id, c)| (c, thousandths(id))).collect();
    characters.retain(|(_, width)| *width != other);
    characters.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let groups = characters.chunk_by(|a, b| a.1 == b.1);
    let groups: Vec<Value> =
        groups.map(|group| json!([group[0].1, group.iter().map(|(c, _)| c).collect::<String>()])).collect();
    json!({ "groups": groups, "other": other })
}

/// Calls `cover(x, y, share)` for every pixel that `text` touches, from `(left, baseline)` on. A
/// character that the font lacks (in a file name of the user's) is drawn as "?".
#[cfg(feature = "charts")]
pub(crate) fn draw(text: &str, size: f64, (left, baseline): (f64, f64), mut cover: impl FnMut(i64, i64, f32)) {
    use ab_glyph::{Glyph, point};

    let font = FONT.as_scaled(scale(size));
    let mut x = left as f32;
    for character in text.chars() {
        let id = match font.glyph_id(character) {
            id if id.0 == 0 => font.glyph_id('?'),
            id => id,
        };
        let glyph = Glyph { id, scale: scale(size), position: point(x, baseline as f32) };
        x += font.h_advance(id);
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, share| {
                cover(corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy), share);
            });
        }
    }
}
