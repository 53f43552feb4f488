//! `cargo run --release -- load`: a load of your choice on its own venue, as an open loop. Requests are sent on
//! schedule, whether or not earlier ones are answered, and the clock starts when one was due.
//!
//! The venue is a separate process, so each side's processor time is known. If the load itself was the limit, the run
//! is void.

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

use crate::crowd::{CONNECTIONS, Crowd};
use crate::late::{self, Offer};
use crate::open_files;
use crate::server::Server;
use crate::table;

/// Offers requests at a fixed rate, measures from the moment each was due, and writes output/load.json
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// How many requests are due per second
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub rate: u64,
    /// How long to run
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub seconds: u64,
    /// The protocol
    #[arg(long, value_enum, default_value = "http")]
    pub protocol: Protocol,
    /// Number of connections
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub connections: usize,
    /// How many of a hundred requests cancel an order; as many place one that rests, and the others trade
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=50))]
    pub cancels: u64,
    /// The engine behind the gateway
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// Print the number of the venue's process before the first request, for a profiler
    #[arg(long)]
    pub tell_process: bool,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where to write the record.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The protocol of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// One request in flight per connection
    Http,
    /// Any number of requests in flight per connection
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

/// Offers the load, prints the result, and writes `load.json` into the output folder. `No` if the load itself was the
/// limit.
///
/// # Errors
/// If the machine could not run it, an answer is a problem, or the disk can't be written.
pub fn run(args: &LoadArgs) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let connections = args.connections;
    // Raise the limit as far as allowed before the venue starts, so that it inherits it.
    let open_files = open_files::open_files().unwrap_or(u64::MAX);
    // The default number fits wherever a venue can start.
    if connections > open_files::room(open_files).max(CONNECTIONS) {
        return Err(MeasureError::Unusable(format!(
            "{connections} connections need more than the {open_files} open files that a process may have here; raise that \
             with ulimit -n, or ask for fewer --connections"
        )));
    }
    let bar = progress_bar(1 + args.seconds);
    say(&bar, "a venue, and accounts with cash");
    let server = Server::start(args.engine, &folder)?;
    // More connections share accounts: all accounts together may not have more cash than a market can hold.
    let crowd = runtime.block_on(Crowd::gather(&server, connections.min(CONNECTIONS)))?;
    bar.inc(1);
    if args.tell_process {
        print(format_args!("venue process {}\n", server.process()))?;
    }
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
    let text = table::text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok((!record.is_void()).into())
}
