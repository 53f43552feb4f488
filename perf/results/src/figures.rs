//! The output of a chapter's program: the `key=value` lines of its `figures.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::MeasureError;
use crate::record::{Latency, Round, Stages};

/// Figures of a run by their names in `figures.txt`.
pub type Figures = BTreeMap<String, f64>;

/// Reads the `key=value` lines of a `figures.txt`.
///
/// # Errors
/// [`MeasureError::Unusable`] when it can't be read or a value is not a number.
pub fn read_figures(path: &Path) -> Result<Figures, MeasureError> {
    let name = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| MeasureError::Unusable(format!("cannot read {name}: {error}")))?;
    let mut figures = Figures::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
        let pair = line.split_once('=').and_then(|(key, value)| Some((key, value.parse().ok()?)));
        let Some((key, value)) = pair else {
            let place = format!("{name}:{}", at + 1);
            return Err(MeasureError::Unusable(format!("{place}: {line:?} is not key=number; run the chapter again")));
        };
        figures.insert(key.to_string(), value);
    }
    Ok(figures)
}

/// A figure that must be there.
///
/// # Errors
/// [`MeasureError::Unusable`] when it is not.
pub fn figure(figures: &Figures, key: &str, from: &str) -> Result<f64, MeasureError> {
    let missing =
        || MeasureError::Unusable(format!("{from} reported no {key}; build it again from this commit, and run it"));
    figures.get(key).copied().ok_or_else(missing)
}

/// A run's figures as a round of a record. A pass that was not run leaves its part out.
///
/// # Errors
/// [`MeasureError::Unusable`] when a figure is missing beside others of its pass.
pub fn round(figures: &Figures, from: &str) -> Result<Round, MeasureError> {
    let get = |key: &str| figure(figures, key, from);
    let stages_ns = match figures.contains_key("matching_ns") {
        true => Some(Stages::from_each(|stage| get(&format!("{}_ns", stage.key())))?),
        false => None,
    };
    let latency_ns = match figures.contains_key("latency_p50_ns") {
        true => Some(Latency {
            offered_per_s: get("latency_offered_ops")?,
            p50: get("latency_p50_ns")? as u64,
            p99: get("latency_p99_ns")? as u64,
            p999: get("latency_p999_ns")? as u64,
            max: get("latency_max_ns")? as u64,
        }),
        false => None,
    };
    let processor_ns = figures.iter().filter_map(|(key, &ns)| {
        let thread = key.strip_prefix("processor_order_ns")?;
        Some((thread.strip_prefix('.').unwrap_or("all").to_owned(), ns))
    });
    Ok(Round {
        orders: get("orders")? as u64,
        trades: get("trades")? as u64,
        orders_per_s: get("throughput_ops")?,
        latency_ns,
        latency_achieved_per_s: latency_ns.map(|_| get("latency_achieved_ops")).transpose()?,
        stages_ns,
        processor_ns: processor_ns.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_figure_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "# chapter: x\norders=5\ntrades\n").expect("written");
        let error = read_figures(file.path()).expect_err("bad").to_string();
        assert!(error.contains(":3:") && error.contains("trades"), "{error}");
    }
}
