//! What stamps cost a request by themselves: all that they do for it from its first byte to its last, on one thread and without a
//! venue. A venue's throughput swings by more than that from one second to the next.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use gateway::front::Front;
use gateway::layer::Layer;
use gateway::watch::{Passed, Watch};
use load::crowd::CONNECTIONS;
use load::figures::spread;
use market::{Sequence, Stamp, Ticket, UnixMs};
use results::error::MeasureError;
use whole_path::args::PathArgs;
use whole_path::clock::now;
use whole_path::layer::WholePath;

use crate::record::Inside;

/// How often each connection asks in a pass.
const ASKS: u64 = 10_000;

/// Measures requests of which one in 64 is collected, and requests that are all collected.
pub fn measure(rounds: u32) -> Result<Inside, MeasureError> {
    let (mut some, mut all) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        some.push(request_ns(64)?);
        all.push(request_ns(1)?);
    }
    Ok(Inside { some_ns: spread(&some), all_ns: spread(&all) })
}

/// The time that stamps take for a request, where one in `sample` is collected. Each connection has one request under way, and
/// these go into a frame together, as they do over HTTP.
fn request_ns(sample: u64) -> Result<f64, MeasureError> {
    let metrics = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let metrics = metrics.map_err(|error| MeasureError::Unusable(format!("no port of this machine: {error}")))?;
    let loopback = (Ipv4Addr::LOCALHOST, 0).into();
    let args = PathArgs { sample, slow: 20, metrics: loopback, metrics_open: false, no_stamps: false };
    let layer = WholePath::new(&args, 1, metrics);
    let watches: Vec<Arc<dyn Watch>> = (0..CONNECTIONS).filter_map(|_| Arc::clone(&layer).watch()).collect();
    let (frames, mut matching) = (&layer.shared().frames[0], layer.receiver(0));
    let (began, each) = (Instant::now(), watches.len() as u64);
    for first in (0..ASKS).map(|ask| ask * each + 1) {
        let under_way: Vec<_> = watches
            .iter()
            .map(|watch| {
                watch.read();
                let request = Arc::clone(watch).begin(None);
                [Passed::Parsed, Passed::Entered, Passed::Taken].into_iter().for_each(|passed| request.passed(passed));
                request
            })
            .collect();
        frames.seal(Sequence(first)..Sequence(first + each), now());
        frames.sync(now());
        for (sequence, (request, watch)) in (first..).map(Sequence).zip(under_way.into_iter().zip(&watches)) {
            matching.iter_mut().for_each(|matching| matching.acknowledge(Stamp { sequence, time: UnixMs(0) }, &[]));
            request.handed_back(Ticket { shard: 0, sequence });
            [Passed::Answered, Passed::Encoded].into_iter().for_each(|passed| request.passed(passed));
            watch.written();
        }
    }
    let (took, asked) = (began.elapsed(), ASKS * each);
    let collected = layer.shared().collector.read();
    if (collected.whole.count(), collected.incomplete) != (asked / sample, 0) {
        let words =
            format!("{} of {asked} requests were collected, one in {sample} was expected", collected.whole.count());
        return Err(MeasureError::Unusable(words));
    }
    Ok(took.as_nanos() as f64 / asked as f64)
}
