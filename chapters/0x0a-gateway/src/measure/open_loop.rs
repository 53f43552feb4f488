//! `cargo run --release -- load`: a load of one's own on a venue of its own, as an open loop. Requests come at their times,
//! whether those before them are answered or not, and the clock starts when one was due.
//!
//! The venue is a process of its own, so what either takes is known. Where the load itself was the limit, the run is void.

use std::time::{Duration, Instant};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use market_data::engines::Rung;
use program::{Verdict, print};
use results::error::MeasureError;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};
use results::record::{LoadRecord, Record};

use crate::measure::connections;
use crate::measure::late::{self, Offer};
use crate::measure::load::{CONNECTIONS, Crowd};
use crate::measure::server::Server;
use crate::measure::table::load_text;

/// Offers requests at a rate, measures from when each was due, and writes output/load.json
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// How many requests are due a second
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub rate: u64,
    /// For how long
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub seconds: u64,
    /// How they come
    #[arg(long, value_enum, default_value = "http")]
    pub protocol: Protocol,
    /// Over how many connections
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub connections: usize,
    /// How many of a hundred cancel an order; as many place one that rests, and the others trade
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=50))]
    pub cancels: u64,
    /// The engine behind the door
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where the record goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How requests come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// Each connection has one request under way
    Http,
    /// Each has as many as are due
    Websocket,
}

impl LoadArgs {
    fn words(of: impl ValueEnum) -> String {
        of.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn command_line(&self) -> String {
        format!(
            "cargo run --release -- load --rate {} --seconds {} --protocol {} --connections {} --cancels {} --engine {}",
            self.rate,
            self.seconds,
            LoadArgs::words(self.protocol),
            self.connections,
            self.cancels,
            LoadArgs::words(self.engine)
        )
    }
}

/// Offers, prints, and writes `load.json` into the output folder. `No` where the load itself was the limit.
///
/// # Errors
/// When the machine could not do it, an answer is a refusal, or the disk can't be written.
pub fn run(args: &LoadArgs) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let connections = args.connections;
    // Raised as far as it may be, before the venue starts: it inherits that.
    let open_files = connections::open_files().unwrap_or(u64::MAX);
    // As many as by default fit wherever a venue starts.
    if connections > connections::room(open_files).max(CONNECTIONS) {
        return Err(MeasureError::Unusable(format!(
            "{connections} connections were asked for, and a process may have {open_files} open files here; raise that \
             with ulimit -n, or ask for fewer --connections"
        )));
    }
    let bar = progress_bar(1 + args.seconds);
    say(&bar, "a venue, and accounts with cash");
    let server = Server::start(args.engine, &folder)?;
    // More of them share accounts: together these may not have more cash than a market can hold.
    let crowd = runtime.block_on(Crowd::gather(&server, connections.min(CONNECTIONS)))?;
    bar.inc(1);
    say(&bar, &format!("{} requests a second, for {} s", args.rate, args.seconds));
    let offer = Offer { rate: args.rate, time: Duration::from_secs(args.seconds), connections, cancels: args.cancels };
    let (seconds, told) = (args.seconds, bar.clone());
    let tell = async move {
        for _ in 0..seconds {
            tokio::time::sleep(Duration::from_secs(1)).await;
            told.inc(1);
        }
    };
    let telling = runtime.spawn(tell);
    let (before, began) = (server.processor_time(), Instant::now());
    let late = runtime.block_on(async {
        match args.protocol {
            Protocol::Http => late::http(&server, &crowd, offer).await,
            Protocol::Websocket => late::stream(&server, &crowd, offer).await,
        }
    })?;
    let took = began.elapsed().as_secs_f64();
    let busy = before.and_then(|before| Some(server.processor_time()?.saturating_sub(before)));
    telling.abort();
    drop(server);
    bar.finish_and_clear();
    let record = LoadRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: args.command_line(),
        engine: LoadArgs::words(args.engine),
        connections,
        cancels: args.cancels,
        seconds: args.seconds,
        server_cores: busy.map(|busy| busy.as_secs_f64() / took),
        late,
    };
    let out = folder.join("load.json");
    record.save(&out)?;
    let text = load_text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok((!record.is_void()).into())
}
