//! Where each cell of the two books is drawn.

/// The left edge of the cells; their label is to the left of it.
const LEFT: f64 = 52.0;

/// How high a cell with one line of text is.
const HEIGHT: f64 = 22.0;

/// The levels of 0x05 that the ten commands touch. An ask at 52 is on level 48.
const BIDS: [u64; 2] = [47, 45];
const ASKS: [u64; 4] = [53, 50, 48, 46];

/// The box of a cell.
pub(super) struct Spot {
    pub(super) cell: String,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A label beside or above cells: the key of a word, or the text itself.
pub(super) struct Label {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) is_word: bool,
}

/// A row of cells of the same width, with a little space between them.
fn row(x: f64, y: f64, width: f64, height: f64, cells: impl IntoIterator<Item = String>) -> Vec<Spot> {
    let spot = |(at, cell)| Spot { cell, x: x + at as f64 * (width + 3.0), y, width, height };
    cells.into_iter().enumerate().map(spot).collect()
}

fn names<const N: usize>(names: [&str; N]) -> [String; N] {
    names.map(str::to_owned)
}

/// The cells of an engine.
pub(super) fn spots(engine: &str) -> Vec<Spot> {
    if engine == "naive" { naive() } else { array() }
}

fn naive() -> Vec<Spot> {
    let mut spots = Vec::new();
    for (side, top) in [("bids", 24.0), ("asks", 122.0)] {
        spots.extend(row(LEFT, top, 142.0, HEIGHT, [side.to_owned(), format!("{side}-count")]));
        for (level, y) in [(0, top + 40.0), (1, top + 66.0)] {
            spots.extend(row(LEFT, y, 36.0, HEIGHT, [format!("{side}-{level}-key")]));
            spots.extend(row(LEFT + 39.0, y, 60.0, HEIGHT, [format!("{side}-{level}-queue")]));
            let elements = (0..4).map(|place| format!("{side}-{level}-element-{place}"));
            spots.extend(row(LEFT + 102.0, y, 44.0, HEIGHT, elements));
        }
    }
    spots.extend(row(LEFT, 222.0, 142.0, HEIGHT, names(["map", "marks"])));
    for (first, y) in [(0, 248.0), (4, 274.0)] {
        spots.extend(row(LEFT, y, 69.0, HEIGHT, (first..first + 4).map(|place| format!("place-{place}"))));
    }
    spots.extend(row(LEFT, 308.0, 287.0, HEIGHT, names(["gone"])));
    spots
}

fn array() -> Vec<Spot> {
    let mut spots = Vec::new();
    for (side, top, levels) in [("bids", 24.0, &BIDS[..]), ("asks", 98.0, &ASKS[..])] {
        spots.extend(row(LEFT, top, 142.0, HEIGHT, [format!("{side}-best"), format!("{side}-bits")]));
        spots.extend(row(LEFT, top + 40.0, 69.0, HEIGHT, levels.iter().map(|level| format!("{side}-{level}"))));
    }
    spots.extend(row(LEFT, 174.0, 58.0, HEIGHT, names(["slab", "chunks"])));
    spots.extend(row(LEFT + 122.0, 174.0, 81.0, HEIGHT, names(["free", "free-slots"])));
    for (first, y) in [(0, 200.0), (3, 240.0)] {
        spots.extend(row(LEFT, y, 93.0, 36.0, (first..first + 3).map(|slot| format!("node-{slot}"))));
    }
    spots.extend(row(LEFT, 286.0, 142.0, HEIGHT, names(["table"])));
    spots.extend(row(LEFT, 312.0, 33.0, HEIGHT, (0..8).map(|place| format!("place-{place}"))));
    spots
}

/// The labels beside the cells of an engine.
pub(super) fn labels(engine: &str) -> Vec<Label> {
    let beside = |(text, y): (&str, f64)| Label { x: 2.0, y: y + 15.0, text: text.into(), is_word: true };
    if engine == "naive" {
        let mut labels: Vec<Label> = [("bids", 24.0), ("asks", 122.0), ("map", 222.0)].map(beside).into();
        for y in [60.0, 158.0] {
            let heads = [("price", LEFT), ("queue", LEFT + 39.0), ("ids", LEFT + 102.0)];
            labels.extend(heads.map(|(text, x)| Label { x, y, text: text.into(), is_word: true }));
        }
        return labels;
    }
    let mut labels: Vec<Label> = [("bids", 24.0), ("asks", 98.0), ("slab", 174.0), ("table", 286.0)].map(beside).into();
    let over = |(at, text): (usize, String), y| Label { x: LEFT + at as f64 * 72.0, y, text, is_word: false };
    labels.extend(BIDS.iter().map(u64::to_string).enumerate().map(|label| over(label, 60.0)));
    let of_ask = |level: &u64| format!("{level} ({}¢)", 100 - level);
    labels.extend(ASKS.iter().map(of_ask).enumerate().map(|label| over(label, 134.0)));
    labels
}
