//! A chart as a list of shapes in its own pixels, before it becomes an SVG or a PNG: both formats
//! draw the same list, and tests can check it for overlapping texts.

use serde::{Serialize, Serializer};

use super::text;

/// Width of every chart, in pixels of its own.
pub(crate) const WIDTH: f64 = 880.0;
/// Free space at the edges.
pub(crate) const MARGIN: f64 = 24.0;

/// A colour by its role, so that a theme can change it, or one that means something by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Text to read.
    Ink,
    /// Text to look things up in.
    Muted,
    /// Lines in the background.
    Grid,
    /// A colour of the palette.
    Solid([u8; 3]),
}

/// A role by its name, a colour as a page writes it.
impl Serialize for Paint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Paint::Ink => serializer.serialize_str("ink"),
            Paint::Muted => serializer.serialize_str("muted"),
            Paint::Grid => serializer.serialize_str("grid"),
            Paint::Solid(colour) => serializer.serialize_str(&hex(*colour)),
        }
    }
}

/// A colour as a page writes it: `#4477AA`.
pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Which end of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text on its baseline.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Label {
    pub x: f64,
    pub baseline: f64,
    pub text: String,
    pub size: f64,
    pub anchor: Anchor,
    pub paint: Paint,
}

/// A box around something: left, top, right, bottom.
pub(crate) type Bounds = [f64; 4];

impl Label {
    /// The box that the text fills; `stretch` allows for viewers whose fonts run wider.
    pub fn bounds(&self, stretch: f64) -> Bounds {
        let width = text::width(&self.text, self.size) * stretch;
        let left = match self.anchor {
            Anchor::Start => self.x,
            Anchor::Middle => self.x - width / 2.0,
            Anchor::End => self.x - width,
        };
        [left, self.baseline - 0.85 * self.size, left + width, self.baseline + 0.2 * self.size]
    }
}

/// One thing to draw.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub(crate) enum Shape {
    Bar { bounds: Bounds, paint: Paint },
    Line { points: Vec<(f64, f64)>, width: f64, paint: Paint },
    Dot { x: f64, y: f64, radius: f64, paint: Paint },
    Text(Label),
}

/// A whole chart.
#[derive(Debug, Serialize)]
pub(crate) struct Scene {
    pub height: f64,
    pub title: String,
    /// What the chart shows, with its figures, for screen readers.
    pub description: String,
    pub shapes: Vec<Shape>,
}

impl Scene {
    /// A chart with its title, a line that says what is drawn, and a line with the source of the
    /// figures.
    pub fn new(height: f64, title: &str, subtitle: &str, source: &str) -> Self {
        let mut scene = Self { height, title: title.to_string(), description: String::new(), shapes: vec![] };
        let room = WIDTH - 2.0 * MARGIN;
        scene.text((MARGIN, 38.0), title, 20.0, Anchor::Start, Paint::Ink);
        scene.text((MARGIN, 60.0), &text::fit(subtitle, 13.0, room), 13.0, Anchor::Start, Paint::Muted);
        let source = text::fit(source, 11.0, room);
        scene.text((MARGIN, height - 16.0), &source, 11.0, Anchor::Start, Paint::Muted);
        scene
    }

    pub fn bar(&mut self, bounds: Bounds, paint: Paint) {
        self.shapes.push(Shape::Bar { bounds, paint });
    }

    pub fn line(&mut self, points: &[(f64, f64)], width: f64, paint: Paint) {
        self.shapes.push(Shape::Line { points: points.to_vec(), width, paint });
    }

    pub fn dashes(&mut self, from: (f64, f64), to: (f64, f64), width: f64, paint: Paint) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |way: f64| {
            let part = (way / length).min(1.0);
            (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1))
        };
        let mut way = 0.0;
        while way < length {
            self.line(&[at(way), at(way + 6.0)], width, paint);
            way += 10.0;
        }
    }

    pub fn dot(&mut self, x: f64, y: f64, radius: f64, paint: Paint) {
        self.shapes.push(Shape::Dot { x, y, radius, paint });
    }

    pub fn text(&mut self, at: (f64, f64), text: &str, size: f64, anchor: Anchor, paint: Paint) {
        let text = text.to_string();
        self.shapes.push(Shape::Text(Label { x: at.0, baseline: at.1, text, size, anchor, paint }));
    }

    /// Coloured squares with their names, from `left` on, in as many lines as it takes; returns the
    /// height that they take.
    pub fn legend(&mut self, left: f64, top: f64, entries: &[(Paint, &str)]) -> f64 {
        let (mut x, mut y) = (left, top);
        for &(paint, name) in entries {
            let width = 18.0 + text::width(name, 13.0) * 1.1 + 16.0;
            if x > left && x + width > WIDTH - MARGIN {
                (x, y) = (left, y + 22.0);
            }
            self.bar([x, y, x + 12.0, y + 12.0], paint);
            self.text((x + 18.0, y + 11.0), name, 13.0, Anchor::Start, Paint::Ink);
            x += width;
        }
        y + 22.0 - top
    }

    #[cfg(feature = "charts")]
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(label) => Some(label),
            _ => None,
        })
    }
}

/// Whether two boxes share any of their inside.
pub(crate) fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}
