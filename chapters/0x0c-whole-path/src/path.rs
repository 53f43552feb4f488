//! `-- path`: loads a venue, and shows where the time of its requests went.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper::Method;
use load::client::Http;
use load::crowd::{Crowd, broken};
use load::late::{self, Offer};
use load::open_loop::Protocol;
use load::server::{Server, UNLIMITED};
use load::waits::Waits;
use market_data::engines::Rung;
use program::{Verdict, print};
use results::error::MeasureError;
use results::language::Language;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};
use serde_json::Value;

use crate::clock::IS_SHARED;
use crate::heard::{self, Readers};
use crate::http::PathReport;
use crate::show::{self, Found};
use crate::timeline::timeline;
use crate::way::Ways;

/// How many orders the load keeps with their moments, the last ones. The venue samples one in N of them, and keeps fewer.
const KEPT: usize = 1 << 20;

/// Loads a venue, and shows where the time of its requests goes
#[derive(Debug, Clone, clap::Args)]
pub struct PathToolArgs {
    /// How many orders are due per second
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub rate: u64,
    /// How long to run
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub seconds: u64,
    /// The protocol
    #[arg(long, value_enum, default_value = "http")]
    pub protocol: Protocol,
    /// Number of connections
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=400))]
    pub connections: usize,
    /// The engine behind the gateway
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// Collect the stages of one request in N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: u64,
    /// Also let each account read its notices, and say how long they took
    #[arg(long)]
    pub notices: bool,
    /// How many of the slowest requests are drawn
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=64))]
    pub slowest: usize,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// The language of the tables
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where the venue's log goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Loads a venue, and writes its requests and its client's orders as a timeline for Perfetto or chrome://tracing
#[derive(Debug, Clone, clap::Args)]
pub struct TraceToolArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The load.
    #[command(flatten)]
    pub path: PathToolArgs,
}

/// Loads a venue and writes a timeline of its requests. `No` if the load itself was the limit.
///
/// # Errors
/// As [`run`].
pub fn run_trace(args: &TraceToolArgs) -> Result<Verdict, MeasureError> {
    let found = watched(&args.path, &[])?;
    let text = timeline(&found.path, &found.ways);
    std::fs::write(&args.file, text).map_err(|error| MeasureError::disk("write", &args.file, &error))?;
    let (count, file) = (found.path.sampled.len(), args.file.display());
    let client = match IS_SHARED {
        true => format!("{} of them with their client's moments, on the same clock", found.ways.sampled.len()),
        false => "the client's moments are not in it: on this system each process has a clock of its own".into(),
    };
    let open = "open it at https://ui.perfetto.dev or chrome://tracing";
    print(format_args!("{count} requests in {file}: {open}\n{client}\n"))?;
    Ok(is_valid(&found).into())
}

/// Loads a venue that is started with these flags too, and prints where the time went. `No` if the load itself was the limit.
///
/// # Errors
/// If the machine could not run it, an answer is a problem, or the disk can't be written.
pub fn run(args: &PathToolArgs, more: &[&str]) -> Result<Verdict, MeasureError> {
    let found = watched(args, more)?;
    if args.json {
        let text = serde_json::to_string(&found).map_err(|error| MeasureError::Unusable(error.to_string()))?;
        print(format_args!("{text}\n"))?;
    } else {
        print(format_args!("{}", show::text(&found, args.slowest, args.lang)))?;
    }
    Ok(is_valid(&found).into())
}

fn is_valid(found: &Found) -> bool {
    !found.client.load.as_ref().is_some_and(|load| load.is_void)
}

/// Loads a venue of this program, with a progress bar.
fn watched(args: &PathToolArgs, more: &[&str]) -> Result<Found, MeasureError> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| MeasureError::Unusable(format!("where is this program? {error}")))?;
    let bar = progress_bar(1 + args.seconds);
    say(&bar, "a venue, and accounts with cash");
    let (seconds, told) = (args.seconds, bar.clone());
    let found = find(&program, args, more, move |step| {
        told.inc(1);
        say(&told, step);
        let told = told.clone();
        // The bar follows the clock, because the load has no time to report.
        std::thread::spawn(move || {
            for _ in 0..seconds {
                std::thread::sleep(Duration::from_secs(1));
                told.inc(1);
            }
        });
    });
    bar.finish_and_clear();
    found
}

/// Loads a venue of `program` with these flags too, and reads what it has collected.
///
/// # Errors
/// As [`run`].
pub fn find(
    program: &Path,
    args: &PathToolArgs,
    more: &[&str],
    mut step: impl FnMut(&str),
) -> Result<Found, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let sample = args.sample.to_string();
    let flags = [UNLIMITED, &["--sample", &sample], more].concat();
    let server = Server::start_program(program, args.engine, &folder, &flags)?;
    let crowd = runtime.block_on(Crowd::gather(&server, args.connections))?;
    let offer =
        Offer { rate: args.rate, time: Duration::from_secs(args.seconds), connections: args.connections, cancels: 0 };
    step(&format!("{} orders a second, for {} s", args.rate, args.seconds));
    let waits = Waits::keeping(KEPT);
    let (client, heard) = runtime.block_on(async {
        let readers = match args.notices {
            true => Some(Readers::begin(server.address, &crowd, args.connections).await.map_err(broken)?),
            false => None,
        };
        let client = match args.protocol {
            Protocol::Http => late::http_seen(&server, &crowd, offer, &waits).await,
            Protocol::Websocket => late::stream_seen(&server, &crowd, offer, &waits).await,
        }?;
        let heard = match readers {
            Some(readers) => Some(readers.end().await.map_err(broken)?),
            None => None,
        };
        Ok::<_, MeasureError>((client, heard))
    })?;
    let asked = async {
        let mut http = Http::connect(server.address).await?;
        http.json(Method::GET, "/v1/path", &server.operator, &Value::Null).await
    };
    let path = runtime.block_on(asked).map_err(broken)?;
    let path: PathReport = serde_json::from_value(path).map_err(|error| MeasureError::Unusable(error.to_string()))?;
    let orders = waits.take_last();
    let ways = Ways::join(&orders, &path);
    let notices = heard.map(|heard| heard::times(&orders, &heard));
    Ok(Found { client, path, ways, notices })
}
