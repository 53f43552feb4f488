//! A sync and an append, by size, in turn.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use replication::link::Link;
use replication::stream::Stream;
use results::error::MeasureError;

use crate::record::Size;

/// The sizes.
const SIZES: [(&str, usize); 4] =
    [("1-kib", 1 << 10), ("24-kib", 24 << 10), ("256-kib", 256 << 10), ("1-mib", 1 << 20)];

/// Measures all sizes, each for so long.
pub fn measure(link: &Link, folder: &Path, time: Duration) -> Result<Vec<Size>, MeasureError> {
    let stream = Stream::open(link, "sizes").map_err(|error| MeasureError::Unusable(error.to_string()))?;
    let path = folder.join("synced");
    let file = File::create(&path).map_err(|error| MeasureError::disk("make", &path, &error))?;
    let sizes = SIZES.into_iter().map(|(name, bytes)| size(link, &stream, &file, name, bytes, time));
    let sizes = sizes.collect::<std::io::Result<Vec<_>>>();
    let _ = std::fs::remove_file(&path);
    sizes.map_err(|error| MeasureError::disk("sync", &path, &error))
}

fn size(
    link: &Link,
    stream: &Stream,
    mut file: &File,
    name: &str,
    bytes: usize,
    time: Duration,
) -> std::io::Result<Size> {
    let message = Bytes::from(vec![b'F'; bytes]);
    let (mut syncs, mut appends) = (Vec::new(), Vec::new());
    let began = Instant::now();
    let mut last = last_of(link, stream);
    while began.elapsed() < 2 * time {
        let start = Instant::now();
        file.write_all(&message)?;
        file.sync_data()?;
        syncs.push(start.elapsed());
        appends.push(append(link, stream, last, message.clone()));
        last += 1;
    }
    let total: Duration = appends.iter().sum();
    let [sync_p50_ns, sync_p99_ns] = quantiles(&mut syncs);
    let [append_p50_ns, append_p99_ns] = quantiles(&mut appends);
    Ok(Size {
        name: name.into(),
        bytes,
        sync_p50_ns,
        sync_p99_ns,
        append_p50_ns,
        append_p99_ns,
        ratio: append_p50_ns / sync_p50_ns.max(1.0),
        per_s: (appends.len() * bytes) as f64 / total.as_secs_f64(),
    })
}

fn last_of(link: &Link, stream: &Stream) -> u64 {
    let stream = stream.clone();
    link.wait(async move { stream.last().await })
}

/// Appends a message, and says how long it took.
fn append(link: &Link, stream: &Stream, last: u64, message: Bytes) -> Duration {
    let (stream, start) = (stream.clone(), Instant::now());
    // Nothing else appends here.
    let _ = link.wait(async move { stream.append(last, &message).await });
    start.elapsed()
}

/// The median and the 99th percentile, in nanoseconds.
fn quantiles(times: &mut [Duration]) -> [f64; 2] {
    times.sort_unstable();
    [50, 99].map(|percent| {
        let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_nanos() as f64)
    })
}
