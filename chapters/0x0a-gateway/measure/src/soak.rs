//! `cargo run --release -- soak`: how a venue holds up under half its maximum load, for as long as you like.
//!
//! First it measures how many orders the connections get answered at full speed; then it offers half of that, whether
//! or not the venue keeps up. Meanwhile other clients connect, log in, watch and leave, half of them without closing,
//! so that leaks per connection show up as well. How it is judged: [`judge`].

pub mod judge;
pub mod slope;

use std::time::Duration;

use clap::Args;
use hyper::Method;
use hyper::body::Bytes;
use market_data::engines::Rung;
use program::{Verdict, print};
use results::error::MeasureError;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};
use results::record::{Record, SoakRecord, WindowRecord};
use results::units::{duration_text, rate_text};
use serde_json::json;
use tokio::time::{Instant, interval_at};

use crate::table::soak_text;
use load::client::{ClientError, Http, Stream};
use load::crowd::{CONNECTIONS, Crowd, Member, broken};
use load::late::{Offer, offer_http};
use load::request_kind::RequestKind;
use load::server::Server;
use load::waits::Waits;
use load::windows::watch;

/// The length of a window; a short run has shorter ones.
const WINDOW: Duration = Duration::from_secs(10);

/// A run has at least this many windows: four quarters of two.
const WINDOWS_LEAST: u32 = 8;

/// How often another client connects and leaves.
const COMING: Duration = Duration::from_millis(100);

/// The share of the maximum load that is offered.
const SHARE: f64 = 0.5;

/// Runs a venue under half its maximum load, and judges whether it stays stable
#[derive(Debug, Clone, Args)]
pub struct SoakArgs {
    /// How long to run
    #[arg(long, value_name = "MINUTES", default_value_t = 60.0, value_parser = minutes)]
    pub minutes: f64,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where to write the record.
    #[command(flatten)]
    pub output: OutputArgs,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number of minutes".to_string())?;
    if (0.1..=10_000.0).contains(&minutes) { Ok(minutes) } else { Err("from 0.1 to 10000 minutes".into()) }
}

/// Runs, prints, judges, and writes `soak.json` into the output folder.
///
/// # Errors
/// If the machine could not run it, or the disk can't be written.
pub fn run(args: &SoakArgs) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let server = Server::start(Rung::Snapshots, &folder)?;
    let record = runtime.block_on(soak(args, &server, &folder))?;
    drop(server);
    let out = folder.join("soak.json");
    record.save(&out)?;
    let text = soak_text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(record.is_steady().into())
}

async fn soak(args: &SoakArgs, server: &Server, folder: &std::path::Path) -> Result<SoakRecord, MeasureError> {
    let time = Duration::from_secs_f64(60.0 * args.minutes);
    let window = WINDOW.min(time / WINDOWS_LEAST);
    let count = (time.as_secs_f64() / window.as_secs_f64()).round() as u32;
    let bar = progress_bar(u64::from(count) + 1);
    say(&bar, "the maximum load");
    let crowd = Crowd::gather(server, CONNECTIONS).await?;
    let full = crowd.load(server, RequestKind::Order, window.min(Duration::from_secs(5))).await?;
    let offered_per_s = ((SHARE * full.per_s) as u64).max(1);
    bar.inc(1);
    let waits = Waits::default();
    let show = |window: &WindowRecord| {
        say(&bar, &in_words(window, args.lang));
        bar.inc(1);
    };
    let seen = async { Ok(watch(server, &waits, window, count, show).await) };
    let offered = offer_http(server, &crowd, Offer::orders(offered_per_s, time), &waits);
    let (_, comings, windows) = tokio::try_join!(offered, come_and_go(server, &crowd, time), seen)?;
    bar.finish_and_clear();
    Ok(SoakRecord {
        machine: machine::describe(folder),
        commit: machine::commit(),
        command: format!("cargo run --release -- soak --minutes {}", args.minutes),
        minutes: args.minutes,
        connections: CONNECTIONS,
        full_per_s: full.per_s,
        offered_per_s,
        comings,
        trends: judge::trends(&windows),
        windows,
    })
}

fn in_words(window: &WindowRecord, language: Language) -> String {
    let memory = window.resident_bytes.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    let (rate, p99) = (rate_text(window.orders_per_s, language), duration_text(1e6 * window.p99_ms, language));
    format!("{:.0} s: {rate}, p99 {p99}{memory}", window.until_s)
}

/// Other clients come and go for this long. Returns how many did.
async fn come_and_go(server: &Server, crowd: &Crowd, time: Duration) -> Result<u64, MeasureError> {
    let until = Instant::now() + time;
    let mut due = interval_at(Instant::now(), COMING);
    let mut comings = 0;
    while due.tick().await < until {
        come(server, crowd.member(comings as usize), comings).await.map_err(broken)?;
        comings += 1;
    }
    Ok(comings)
}

async fn come(server: &Server, member: &Member, number: u64) -> Result<(), ClientError> {
    if number.is_multiple_of(2) {
        let mut http = Http::connect(server.address).await?;
        let (status, body) = http.ask(Method::GET, "/v1/account", &member.key, Bytes::new()).await?;
        let words = || ClientError::Answer(format!("{status} {}", String::from_utf8_lossy(&body)));
        return (status < 300).then_some(()).ok_or_else(words);
    }
    let mut stream = Stream::connect(server.address, "/v1/stream").await?;
    stream.say(json!({ "id": 1, "do": "login", "key": member.key }).to_string()).await?;
    stream.say(json!({ "id": 2, "do": "watch", "markets": [1] }).to_string()).await?;
    // Wait for the book; then leave without closing.
    while let Some(text) = stream.hear().await? {
        if text.contains("\"book\"") {
            break;
        }
    }
    Ok(())
}
