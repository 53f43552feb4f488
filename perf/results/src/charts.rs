//! Draws what was measured: each chart as SVG (for the book, in light and dark themes) and as PNG (for everywhere
//! else), in English and in Chinese. A chart is first laid out as a list of shapes (`scene`), then written by
//! `plotters` in both formats (`render`). The same record gives the same SVG, byte for byte.
//!
//! In the book's pages a script lays out a reader's own record in the same way, with the words, colours, widths and
//! measures that [`given`] passes to it: they are defined only here. A test compares the script with [`scenes`]. Both
//! come with the feature `scenes`, which needs none of the code that writes files.

mod any_price;
mod axis;
mod bars;
mod curves;
mod feed;
#[cfg(feature = "charts")]
mod files;
mod gain;
mod given;
mod history_of_figures;
#[cfg(feature = "charts")]
mod latency;
mod of_record;
mod once;
mod palette;
mod path;
mod pauses;
mod percentiles;
#[cfg(feature = "charts")]
mod race;
mod recover;
#[cfg(feature = "charts")]
mod render;
mod replicas;
#[cfg(feature = "charts")]
mod run;
mod scale;
mod scene;
mod source;
mod stages;
mod sweep;
mod text;
mod throughput;
mod venue;
mod words;

#[cfg(feature = "charts")]
pub use files::{
    any_price_chart, drawings, feed_charts, ladder_charts, latency_chart, race_chart, recover_charts, scale_chart,
    sweep_chart, venue_charts,
};
pub use given::given;
pub use of_record::{VERBS, scenes};
#[cfg(feature = "charts")]
pub use run::LatencyRun;

#[cfg(test)]
#[cfg(feature = "charts")]
mod tests;
