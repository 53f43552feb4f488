//! Colours that stay apart for colour-blind readers, on white and on a dark page (after Paul Tol's
//! "bright" and "muted" schemes), each with one meaning in every chart.

use market::engine::Stage;

use super::scene::Paint;

/// The pipeline's stages, in the order of `Stages::NAMES`.
pub(crate) const STAGES: [[u8; 3]; Stage::ALL.len()] = [
    [0x66, 0xCC, 0xEE], // log append
    [0x44, 0x77, 0xAA], // log sync
    [0xCC, 0xBB, 0x44], // balance check
    [0xEE, 0x66, 0x77], // matching
    [0x22, 0x88, 0x33], // settlement
    [0xAA, 0x33, 0x77], // ledger
];

/// p50, p99, p99.9 and the slowest, from calm to alarming.
pub(crate) const PERCENTILES: [[u8; 3]; 4] =
    [[0x77, 0xBB, 0xDD], [0x44, 0x77, 0xAA], [0xDD, 0xAA, 0x33], [0xCC, 0x55, 0x66]];

/// The ladder's rungs, from grey through blue to green; further ones repeat the last.
pub(crate) const CHAPTERS: [[u8; 3]; 7] = [
    [0x8C, 0x94, 0x9E],
    [0x74, 0x8D, 0xAB],
    [0x4F, 0x7D, 0xB3],
    [0x35, 0x84, 0xB0],
    [0x2A, 0x90, 0xA3],
    [0x2F, 0x9A, 0x88],
    [0x3F, 0xA3, 0x68],
];

/// Books for any price: ours, and what it is compared with.
pub(crate) const BOOKS: [[u8; 3]; 5] =
    [[0x3F, 0xA3, 0x68], [0x9A, 0xA2, 0xAC], [0x77, 0xBB, 0xDD], [0xDD, 0xAA, 0x33], [0xCC, 0x55, 0x66]];

pub(crate) const MEASURED: [u8; 3] = [0x44, 0x77, 0xAA];
pub(crate) const FITTED: [u8; 3] = [0xDD, 0x88, 0x33];
pub(crate) const GAIN: [u8; 3] = [0x44, 0x77, 0xAA];
pub(crate) const LOSS: [u8; 3] = [0xDD, 0x88, 0x33];
pub(crate) const NOISE: [u8; 3] = [0x9A, 0xA2, 0xAC];
pub(crate) const TOTAL: [u8; 3] = [0x3F, 0xA3, 0x68];

/// The colour of the chapter at `place`, counted from 0.
pub(crate) fn chapter(place: usize) -> Paint {
    Paint::Solid(CHAPTERS[place.min(CHAPTERS.len() - 1)])
}

/// Dark or white, whichever is more readable on `colour`.
pub(crate) fn text_on(colour: [u8; 3]) -> Paint {
    const DARK: [u8; 3] = [0x14, 0x18, 0x1D];
    const WHITE: [u8; 3] = [0xFF, 0xFF, 0xFF];
    let dark_is_better = contrast(colour, DARK) > contrast(colour, WHITE);
    Paint::Solid(if dark_is_better { DARK } else { WHITE })
}

/// The contrast of two colours as WCAG defines it, from 1 to 21.
pub(crate) fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    let luminance = |[red, green, blue]: [u8; 3]| 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_on_a_colour_can_be_read() {
        for colour in STAGES {
            let Paint::Solid(text) = text_on(colour) else { panic!("a fixed colour") };
            assert!(contrast(colour, text) >= 4.5, "{colour:02X?}: {}", contrast(colour, text));
        }
    }

    #[test]
    fn colours_stand_out_on_white_and_on_dark() {
        for colour in CHAPTERS.into_iter().chain([GAIN, LOSS, NOISE, TOTAL, FITTED]) {
            assert!(contrast(colour, [0xFF; 3]) >= 2.3, "{colour:02X?}");
            assert!(contrast(colour, [0x16, 0x19, 0x23]) >= 3.0, "{colour:02X?}");
        }
    }
}
