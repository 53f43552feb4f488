//! The lanes of the time lines: the disk, the processor, and a row for each order, over one scale of time.

use crate::html::escape;
use crate::player::frame::Frame;
use crate::words::Words;
use std::fmt::Write as _;

/// The left and right ends of the time axis.
pub(super) const LEFT: f64 = 72.0;
pub(super) const RIGHT: f64 = 348.0;

/// The tops of the disk's and the processor's lane and of the first order, and the distance to the
/// next.
pub(super) const DISK: f64 = 34.0;
pub(super) const PROCESSOR: f64 = 54.0;
pub(super) const FIRST: f64 = 82.0;
pub(super) const NEXT: f64 = 15.0;

/// The height of a bar.
const HIGH: f64 = 11.0;

/// The bottom of the rows of this many orders.
pub(super) fn bottom(orders: usize) -> f64 {
    FIRST + NEXT * orders as f64
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name| words.get("picture", name).map(escape);
    let count = |kind: &str| frame.parts.keys().filter(|name| name.starts_with(kind)).count();
    let (orders, label) = (count("wait-"), word("label")?);
    let (end, high) = (bottom(orders), bottom(orders) + 24.0);
    let mut out = format!(
        "<svg viewBox=\"0 0 400 {high}\" role=\"img\" aria-label=\"{label}: {}\">\
         <text data-part=\"run\" class=\"name\" x=\"8\" y=\"16\">{}</text>",
        escape(&frame.said),
        frame.text("run")
    );
    for at in 0..count("tick-") {
        for (name, class) in [("line", "line-soft"), ("tick", "soft")] {
            let (name, length) = (format!("{name}-{at}"), end - DISK + 8.0);
            let place = frame.place(&name);
            let _ = match class {
                "line-soft" => write!(
                    out,
                    "<path data-part=\"{name}\" class=\"{class}\" transform=\"{place}\" d=\"M0 0 V{length}\"/>"
                ),
                _ => write!(
                    out,
                    "<text data-part=\"{name}\" class=\"{class}\" transform=\"{place}\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
                    frame.text(&name)
                ),
            };
        }
    }
    for (name, top) in [("disk-lane", DISK), ("processor-lane", PROCESSOR), ("order-lane", FIRST)] {
        let _ = write!(out, "<text x=\"8\" y=\"{}\" font-size=\"12\">{}</text>", top + 10.0, word(name)?);
    }
    for kind in ["disk", "write", "apply", "wait", "sync", "done"] {
        for at in 0..orders {
            let name = format!("{kind}-{at}");
            let _ = write!(
                out,
                "<rect data-part=\"{name}\" class=\"{}\" transform=\"{}\" width=\"1\" height=\"{HIGH}\"/>",
                frame.class(&name),
                frame.place(&name)
            );
        }
    }
    for at in 0..orders {
        let (number, latency) = (format!("number-{at}"), format!("latency-{at}"));
        let _ = write!(
            out,
            "<text data-part=\"{number}\" class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"12\">{}</text>\
             <text data-part=\"{latency}\" transform=\"{}\" font-size=\"12\">{}</text>",
            frame.class(&number),
            LEFT - 6.0,
            FIRST + NEXT * at as f64 + 10.0,
            frame.text(&number),
            frame.place(&latency),
            frame.text(&latency)
        );
    }
    out.push_str("</svg>");
    facts(&mut out, frame, words)?;
    Ok(out)
}

/// The text under the lanes: the sums so far, and what the bars mean.
fn facts(out: &mut String, frame: &Frame, words: &Words) -> Result<(), String> {
    let word = |name| words.get("picture", name).map(escape);
    out.push_str("<dl class=\"facts\">");
    for name in ["syncs", "disk", "processor", "longest"] {
        let _ = write!(out, "<div><dt>{}</dt><dd data-part=\"{name}\">{}</dd></div>", word(name)?, frame.text(name));
    }
    out.push_str("</dl><ul class=\"legend\">");
    for name in ["wait", "sync", "write", "apply"] {
        let _ = write!(out, "<li><i class=\"{name}\"></i> {}</li>", word(name)?);
    }
    for name in ["least", "machine"] {
        let _ = write!(out, "<li data-part=\"{name}\">{}</li>", frame.text(name));
    }
    out.push_str("</ul>");
    Ok(())
}
