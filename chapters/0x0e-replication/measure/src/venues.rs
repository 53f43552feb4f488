//! Venues by what counts as durable: one machine, and `local`, `majority`, `both`.

use std::path::Path;
use std::time::Duration;

use load::crowd::{CONNECTIONS, Crowd};
use load::figures::spread;
use load::late::{self, Offer};
use load::request_kind::RequestKind;
use load::server::{Server, UNLIMITED};
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::LateRecord;
use tokio::runtime::Runtime;

use crate::record::{Late, Throughput};

/// What counts as durable; the first is a machine without a stream.
pub const NAMES: [&str; 4] = ["one", "local", "majority", "both"];

/// Orders a message in bytes.
const BATCH: usize = 1_000;

/// Orders a second.
pub const RATES: [u64; 2] = [5_000, 20_000];

/// Four venues, each with a stream of its own.
pub struct Venues {
    servers: Vec<Server>,
    crowds: Vec<Crowd>,
}

impl Venues {
    /// Starts them.
    pub fn start(
        program: &Path,
        folder: &Path,
        replicas: &[String],
        runtime: &Runtime,
    ) -> Result<Venues, MeasureError> {
        let replicas = replicas.join(",");
        let start = |name: &&str| {
            let replicated = ["--replicas", &replicas, "--stream", name, "--durable", name];
            let more: &[&str] = if *name == "one" { &[] } else { &replicated };
            // Rows would be derived on the same two cores for long after the load.
            let more = [UNLIMITED, &["--no-history"], more].concat();
            Server::start_program(program, Rung::Snapshots, folder, &more)
        };
        let servers = NAMES.iter().map(start).collect::<Result<Vec<_>, _>>()?;
        let gather = |server| runtime.block_on(Crowd::gather(server, CONNECTIONS));
        let crowds = servers.iter().map(gather).collect::<Result<Vec<_>, _>>()?;
        Ok(Venues { servers, crowds })
    }

    /// Orders a second in binary batches, in turn.
    pub fn throughput(&self, runtime: &Runtime, rounds: u32, time: Duration) -> Result<Vec<Throughput>, MeasureError> {
        let mut per_s: [Vec<f64>; 4] = Default::default();
        for round in 0..rounds as usize {
            // Which of them comes first changes from round to round.
            for which in (0..NAMES.len()).map(|at| (at + round) % NAMES.len()) {
                let load = self.crowds[which].load(&self.servers[which], RequestKind::Binary(BATCH), time);
                per_s[which].push(runtime.block_on(load)?.per_s);
            }
        }
        let of = |which: usize| {
            let ratios: Vec<f64> = per_s[which].iter().zip(&per_s[0]).map(|(own, one)| own / one).collect();
            Throughput { name: NAMES[which].into(), per_s: spread(&per_s[which]), ratio: spread(&ratios) }
        };
        Ok((0..NAMES.len()).map(of).collect())
    }

    /// How late answers are at a rate: the medians of rounds in turn.
    pub fn late(&self, runtime: &Runtime, rate: u64, rounds: u32, time: Duration) -> Result<Vec<Late>, MeasureError> {
        let mut passes: [Vec<LateRecord>; 4] = Default::default();
        let mut refused = [false; 4];
        for round in 0..rounds as usize {
            for which in (0..NAMES.len()).map(|at| (at + round) % NAMES.len()) {
                let offer = Offer::orders(rate, time);
                match runtime.block_on(late::stream(&self.servers[which], &self.crowds[which], offer)) {
                    Ok(pass) => passes[which].push(pass),
                    // More are under way than it takes: it does not keep up with this rate.
                    Err(error) if error.to_string().contains("\"busy\"") => refused[which] = true,
                    Err(error) => return Err(error),
                }
            }
        }
        let of = |which: usize| {
            let name = format!("{}-{rate}", NAMES[which]);
            match late::over_rounds(&passes[which]).filter(|_| !refused[which]) {
                None => Late { name, offered_per_s: rate, is_refused: true, ..Late::default() },
                Some(late) => Late {
                    name,
                    offered_per_s: rate,
                    achieved_per_s: late.achieved_per_s,
                    p50_ns: late.p50_ms * 1e6,
                    p99_ns: late.p99_ms * 1e6,
                    p999_ns: late.p999_ms * 1e6,
                    given_p99_ns: late.load.as_ref().map_or(0.0, |load| load.given_p99_ms * 1e6),
                    is_void: late.load.as_ref().is_some_and(|load| load.is_void),
                    is_refused: false,
                },
            }
        };
        Ok((0..NAMES.len()).map(of).collect())
    }
}
