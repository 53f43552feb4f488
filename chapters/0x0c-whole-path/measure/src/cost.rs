//! What stamping costs: orders a second without stamps, with one request in 64 collected, and with all.

use std::path::Path;
use std::time::Duration;

use load::crowd::{CONNECTIONS, Crowd, STREAMS};
use load::figures::spread;
use load::request_kind::RequestKind;
use load::server::{Server, UNLIMITED};
use market_data::engines::Rung;
use results::error::MeasureError;

use crate::record::Cost;

/// Orders a message in bytes.
const BATCH: usize = 1_000;

/// Three venues, in turn in each round.
const VENUES: [&[&str]; 3] = [&["--no-stamps"], &["--sample", "64"], &["--sample", "1"]];

/// Measures both ways of sending.
pub fn measure(program: &Path, rounds: u32, quick: bool, folder: &Path) -> Result<Vec<Cost>, MeasureError> {
    let time = Duration::from_millis(if quick { 500 } else { 2_000 });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let start = |more: &&[&str]| Server::start_program(program, Rung::Snapshots, folder, &[UNLIMITED, more].concat());
    let servers = VENUES.iter().map(start).collect::<Result<Vec<_>, _>>()?;
    let mut costs = Vec::new();
    for (name, kind, accounts) in
        [("http", RequestKind::Order, CONNECTIONS), ("binary", RequestKind::Binary(BATCH), STREAMS)]
    {
        let gather = |server| runtime.block_on(Crowd::gather(server, accounts));
        let crowds = servers.iter().map(gather).collect::<Result<Vec<_>, _>>()?;
        let (mut per_s, mut p99_ms): ([Vec<f64>; 3], [Vec<f64>; 3]) = Default::default();
        for round in 0..rounds as usize {
            // Which of them comes first changes from round to round.
            for which in (0..VENUES.len()).map(|at| (at + round) % VENUES.len()) {
                let done = runtime.block_on(crowds[which].load(&servers[which], kind, time))?;
                per_s[which].push(done.per_s);
                p99_ms[which].push(done.p99_ms);
            }
        }
        let ratio = |one: usize| {
            let ratios: Vec<f64> = per_s[one].iter().zip(&per_s[0]).map(|(one, none)| one / none).collect();
            spread(&ratios)
        };
        costs.push(Cost {
            name: name.into(),
            none_per_s: spread(&per_s[0]),
            some_per_s: spread(&per_s[1]),
            all_per_s: spread(&per_s[2]),
            some: ratio(1),
            all: ratio(2),
            p99_ms: if kind == RequestKind::Order { p99_ms.iter().map(spread).collect() } else { Vec::new() },
        });
    }
    Ok(costs)
}
