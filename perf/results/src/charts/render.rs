//! Writes a scene as SVG or PNG through `plotters`. The SVG has no background and takes its text
//! colours from a style block that follows the reader's light or dark theme; a thin edge around each
//! text keeps it readable should page and theme disagree. The PNG is white, drawn four times as large
//! and averaged to twice the size, which smooths every edge; its text comes from our own font.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle};

use super::scene::{Anchor, Label, Paint, Scene, Shape, WIDTH, hex};
use super::text;
use crate::error::MeasureError;
use crate::language::Language;

const INK: [u8; 3] = [0x1D, 0x27, 0x33];
const MUTED: [u8; 3] = [0x5B, 0x66, 0x73];
const GRID: [u8; 3] = [0xDD, 0xE1, 0xE6];

const STYLE: &str = "<style>\
    text{font-family:system-ui,\"Noto Sans\",\"Noto Sans CJK SC\",\"PingFang SC\",\"Microsoft YaHei\",sans-serif}\
    .perf-ink{fill:#1d2733}.perf-muted{fill:#5b6673}\
    .perf-ink-line{stroke:#1d2733}.perf-grid-line{stroke:#dde1e6}\
    .perf-ink,.perf-muted{stroke:#fff;stroke-opacity:.85;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}\
    @media(prefers-color-scheme:dark){\
    .perf-ink{fill:#e4e8ec;stroke:#161923}.perf-muted{fill:#a7b0ba;stroke:#161923}\
    .perf-ink-line{stroke:#e4e8ec}.perf-grid-line{stroke:#3d4550}}\
    </style>";

/// How many times larger the PNG is drawn than laid out, and then averaged to half of it.
const ENLARGED: u32 = 4;

/// `plotters` gives SVG text 1/1.24 of the size asked for.
const SVG_SIZE: f64 = 1.24;

/// The chart as an SVG document; `name` is unique among the charts of a page.
pub(crate) fn svg(scene: &Scene, name: &str, language: Language) -> String {
    let mut document = String::new();
    {
        let area = SVGBackend::with_string(&mut document, (WIDTH as u32, scene.height as u32)).into_drawing_area();
        // A string accepts everything, so this can't fail.
        let drawn = draw_shapes(&area, scene, 1.0).and_then(|()| draw_texts(&area, scene));
        debug_assert!(drawn.is_ok());
        let presented = area.present();
        debug_assert!(presented.is_ok());
    }
    themed(&document, scene, name, language)
}

/// Puts the style block, the texts for screen readers and the themes' classes into the SVG.
fn themed(document: &str, scene: &Scene, name: &str, language: Language) -> String {
    let id = format!("{name}-{}", language.tag());
    let (head, body) = document.split_once('>').unwrap_or(("<svg", document));
    let mut out = format!(
        "{head} role=\"img\" lang=\"{}\" aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{STYLE}\n",
        language.html_tag(),
        escape(&scene.title),
        escape(&scene.description),
    );
    let mut body = body.trim_start().to_string();
    for (role, colour) in [("ink", INK), ("muted", MUTED), ("grid", GRID)] {
        let hex = hex(colour);
        body = body.replace(&format!("fill=\"{hex}\""), &format!("class=\"perf-{role}\""));
        body = body.replace(&format!("stroke=\"{hex}\""), &format!("class=\"perf-{role}-line\""));
    }
    for noise in [" opacity=\"1\"", " font-family=\"sans-serif\"", " dy=\"0.76em\"", " stroke=\"none\""] {
        body = body.replace(noise, "");
    }
    out.push_str(&body);
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn rgb(paint: Paint) -> [u8; 3] {
    match paint {
        Paint::Ink => INK,
        Paint::Muted => MUTED,
        Paint::Grid => GRID,
        Paint::Solid(colour) => colour,
    }
}

fn colour(paint: Paint) -> RGBColor {
    let [red, green, blue] = rgb(paint);
    RGBColor(red, green, blue)
}

/// Everything but text, `zoom` times as large.
fn draw_shapes<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scene: &Scene,
    zoom: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let pixel = |x: f64, y: f64| ((x * zoom).round() as i32, (y * zoom).round() as i32);
    for shape in &scene.shapes {
        match shape {
            Shape::Bar { bounds: [left, top, right, bottom], paint } => {
                let corners = [pixel(*left, *top), pixel(*right, *bottom)];
                area.draw(&Rectangle::new(corners, colour(*paint).filled()))?;
            }
            Shape::Line { points, width, paint } => {
                let width = (width * zoom).round().max(1.0) as u32;
                let style = ShapeStyle::from(&colour(*paint)).stroke_width(width);
                let points: Vec<_> = points.iter().map(|&(x, y)| pixel(x, y)).collect();
                area.draw(&PathElement::new(points, style))?;
            }
            Shape::Dot { x, y, radius, paint } => {
                let radius = (radius * zoom).round() as i32;
                area.draw(&Circle::new(pixel(*x, *y), radius, colour(*paint).filled()))?;
            }
            Shape::Text(_) => {}
        }
    }
    Ok(())
}

fn draw_texts<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scene: &Scene,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    for label in scene.labels() {
        let anchor = match label.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // `themed` undoes the shift of `Top`, so that y is the baseline.
        let style = ("sans-serif", label.size * SVG_SIZE)
            .into_font()
            .color(&colour(label.paint))
            .pos(Pos::new(anchor, VPos::Top));
        let at = (label.x.round() as i32, label.baseline.round() as i32);
        area.draw(&Text::new(label.text.as_str(), at, style))?;
    }
    Ok(())
}

/// Writes the chart as a PNG, twice as large as it was laid out.
pub(crate) fn png(scene: &Scene, path: &Path) -> Result<(), MeasureError> {
    let fail = |error: &dyn std::fmt::Display| {
        MeasureError::Disk(format!(
            "cannot write {}: {error}; check the disk's free space and the folder's permissions",
            path.display()
        ))
    };
    let (width, height) = (WIDTH as u32 * ENLARGED, scene.height as u32 * ENLARGED);
    let mut large = vec![0xFF_u8; width as usize * height as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut large, (width, height)).into_drawing_area();
        draw_shapes(&area, scene, f64::from(ENLARGED)).map_err(|error| fail(&error))?;
        area.present().map_err(|error| fail(&error))?;
    }
    for label in scene.labels() {
        blend(label, &mut large, width as usize);
    }
    let file = BufWriter::new(File::create(path).map_err(|error| fail(&error))?);
    let mut encoder = png::Encoder::new(file, width / 2, height / 2);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|error| fail(&error))?;
    writer.write_image_data(&averaged(&large, width as usize)).map_err(|error| fail(&error))?;
    writer.finish().map_err(|error| fail(&error))
}

/// Draws one text into an enlarged picture of three bytes a pixel.
fn blend(label: &Label, picture: &mut [u8], width: usize) {
    let zoom = f64::from(ENLARGED);
    let size = label.size * zoom;
    let left = match label.anchor {
        Anchor::Start => label.x * zoom,
        Anchor::Middle => label.x * zoom - text::width(&label.text, size) / 2.0,
        Anchor::End => label.x * zoom - text::width(&label.text, size),
    };
    let baseline = label.baseline * zoom;
    // A white edge, as in the SVG, keeps grid lines off the letters; text on a bar has none.
    if matches!(label.paint, Paint::Ink | Paint::Muted) {
        let edge = 1.4 * zoom;
        for step in 0..12 {
            let (sine, cosine) = (f64::from(step) * std::f64::consts::TAU / 12.0).sin_cos();
            let at = (left + cosine * edge, baseline + sine * edge);
            blend_at(&label.text, size, at, [0xFF; 3], picture, width);
        }
    }
    blend_at(&label.text, size, (left, baseline), rgb(label.paint), picture, width);
}

fn blend_at(line: &str, size: f64, at: (f64, f64), ink: [u8; 3], picture: &mut [u8], width: usize) {
    text::draw(line, size, at, |x, y, share| {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= width {
            return;
        }
        let Some(pixel) = picture.get_mut((y * width + x) * 3..).and_then(|rest| rest.get_mut(..3)) else {
            return;
        };
        for (under, over) in pixel.iter_mut().zip(ink) {
            *under = (f32::from(*under) * (1.0 - share) + f32::from(over) * share).round() as u8;
        }
    });
}

/// Halves the width and height: each pixel is the mean of four.
fn averaged(large: &[u8], width: usize) -> Vec<u8> {
    let rows = large.len() / 3 / width;
    let mut small = Vec::with_capacity(large.len() / 4);
    for y in (0..rows).step_by(2) {
        for x in (0..width).step_by(2) {
            for channel in 0..3 {
                let at = |x: usize, y: usize| u32::from(large[(y * width + x) * 3 + channel]);
                let sum = at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1);
                small.push((sum / 4) as u8);
            }
        }
    }
    small
}
