//! The committed charts are drawn from the committed records, with today's words.
//!
//! After a change to a word or a drawing: `REDRAW_CHARTS=1 cargo test -p results --features charts --test charts`, and
//! `git diff` shows what a reader will see.
#![cfg(feature = "charts")]

use std::fs;
use std::path::{Path, PathBuf};

use results::chapters;
use results::charts::{
    any_price_chart, feed_charts, ladder_charts, recover_charts, scale_chart, sweep_chart, venue_charts,
};
use results::error::MeasureError;
use results::record::{
    AnyPriceRecord, FeedRecord, LadderRecord, Record, RecoverRecord, ScaleRecord, SweepRecord, VenueRecord,
};

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../output/reference")
}

fn record<R: Record>() -> R {
    R::load(&reference().join(format!("{}.json", R::VERB))).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_reference_charts_are_drawn_from_the_reference_records() {
    let catalogue = chapters::catalogue().expect("the manifests are sound");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let draw = || -> Result<Vec<PathBuf>, MeasureError> {
        let mut files = ladder_charts(&record::<LadderRecord>(), &catalogue, folder.path())?;
        files.extend(scale_chart(&record::<ScaleRecord>(), &catalogue, folder.path())?);
        files.extend(sweep_chart(&record::<SweepRecord>(), &catalogue, folder.path())?);
        files.extend(recover_charts(&record::<RecoverRecord>(), &catalogue, folder.path())?);
        files.extend(feed_charts(&record::<FeedRecord>(), folder.path())?);
        files.extend(venue_charts(&record::<VenueRecord>(), folder.path())?);
        files.extend(any_price_chart(&record::<AnyPriceRecord>(), folder.path())?);
        Ok(files)
    };
    let mut charts: Vec<PathBuf> = draw().unwrap_or_else(|error| panic!("{error}"));
    // As a picture of pixels one is enough: links to the book show it.
    let is_link = |file: &Path| file.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("throughput"));
    charts.retain(|file| file.extension().is_some_and(|extension| extension == "svg") || is_link(file));
    assert!(charts.len() >= 30, "only {} charts were drawn", charts.len());
    for chart in charts {
        let name = chart.file_name().expect("a file has a name");
        let (drawn, committed) = (fs::read(&chart).expect("drawn"), reference().join("charts").join(name));
        if std::env::var_os("REDRAW_CHARTS").is_some() {
            fs::write(&committed, &drawn).expect("the charts can be written");
        }
        let there = fs::read(&committed).unwrap_or_default();
        assert!(there == drawn, "{} is not what its record gives: see REDRAW_CHARTS above", committed.display());
    }
}
