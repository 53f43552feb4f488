//! Which figures of a chapter's run are judged.

use market::engine::Stage;
use results::figures::Figures;

/// A figure that both programs of a pair report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its name in `figures.txt`.
    pub key: String,
    /// Its name to people.
    pub name: String,
    /// Whether higher is better; otherwise it is a time, and shorter is better.
    pub more_is_better: bool,
    /// Whether a worse value makes the race exit with 1. The others show where a difference comes
    /// from.
    pub headline: bool,
}

/// All figures that are judged, headlines first.
pub fn all() -> Vec<Figure> {
    let figure = |key: &str, name: &str, more_is_better, headline| Figure {
        key: key.to_owned(),
        name: name.to_owned(),
        more_is_better,
        headline,
    };
    let mut figures = vec![
        figure("throughput_ops", "orders/s", true, true),
        figure("processor_order_ns", "processor time/order", false, true),
        figure("latency_p99_ns", "latency p99", false, true),
        figure("latency_p50_ns", "latency p50", false, false),
    ];
    figures.extend(Stage::ALL.map(|stage| {
        let name = stage.key().replace('_', " ");
        figure(&format!("{}_ns", stage.key()), &name, false, false)
    }));
    figures
}

/// The figures of a run that are judged. A stage that takes no time has no ratio and is left out.
pub fn judged(figures: &Figures) -> Figures {
    let value = |figure: Figure| figures.get(&figure.key).map(|value| (figure.key, *value));
    all().into_iter().filter_map(value).filter(|(_, value)| *value > 0.0).collect()
}
