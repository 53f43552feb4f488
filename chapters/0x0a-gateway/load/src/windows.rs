//! A pass in windows: what was answered in each, how late, and what the server's process held at its end.

use std::time::{Duration, Instant};

use results::record::WindowRecord;

use crate::server::Server;
use crate::waits::Waits;

/// Records this many windows of a pass, one after the other, and shows each.
pub async fn watch(
    server: &Server,
    waits: &Waits,
    window: Duration,
    count: u32,
    mut show: impl FnMut(&WindowRecord),
) -> Vec<WindowRecord> {
    let began = Instant::now();
    let (mut windows, mut last) = (Vec::with_capacity(count as usize), began);
    for number in 1..=count {
        tokio::time::sleep_until((began + window * number).into()).await;
        let (now, seen, held) = (Instant::now(), waits.take(), server.held());
        let ms = |quantile| seen.value_at_quantile(quantile) as f64 / 1e6;
        let one = WindowRecord {
            until_s: (now - began).as_secs_f64(),
            orders_per_s: seen.len() as f64 / (now - last).as_secs_f64(),
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            p999_ms: ms(0.999),
            resident_bytes: held.resident_bytes,
            descriptors: held.descriptors,
            threads: held.threads,
        };
        show(&one);
        windows.push(one);
        last = now;
    }
    windows
}
