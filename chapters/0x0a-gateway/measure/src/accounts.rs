//! Orders from a hundred accounts and from many thousands, in turn, over the same connections.
//!
//! Accounts are written to the file of names before the server starts: over HTTP each would wait for the disk, as it
//! should.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::Method;
use hyper::body::Bytes;
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::AccountsRecord;
use results::venue_args::VenueArgs;
use serde_json::json;
use tokio::runtime::Runtime;

use load::asking::histogram;
use load::client::{ClientError, Http};
use load::crowd::{CASH, CONNECTIONS, Crowd, broken};
use load::figures::spread;
use load::server::Server;

/// The lowest account number made here.
const FIRST: u32 = 1_000;

/// Writes so many accounts from this number on to the file of names in a folder, where no venue runs, and returns their
/// keys. A venue knows how.
pub type Fill = dyn Fn(&Path, u32, usize) -> Result<Vec<String>, String>;

/// Measures each case.
///
/// # Errors
/// If the machine could not run it.
pub fn measure(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    fill: &Fill,
    say: &dyn Fn(&str),
) -> Result<Vec<AccountsRecord>, MeasureError> {
    let case = |&accounts: &usize| {
        say(&format!("{accounts} accounts"));
        let data_dir = tempfile::tempdir_in(folder);
        let data_dir = data_dir.map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
        let failed = |error| MeasureError::Disk(format!("accounts could not be made: {error}; check the disk"));
        let keys = Arc::new(fill(data_dir.path(), FIRST, accounts).map_err(failed)?);
        let server = Server::start_in(Rung::Snapshots, data_dir)?;
        runtime.block_on(cash(&server, accounts)).map_err(broken)?;
        let mut last = histogram();
        let mut rounds = Vec::new();
        for _ in 0..args.rounds() {
            let (per_s, waits) = runtime.block_on(trade(&server, &keys, args.time()))?;
            rounds.push(per_s);
            last = waits;
        }
        Ok(AccountsRecord {
            name: accounts.to_string(),
            accounts,
            orders_per_s: spread(&rounds),
            p50_ms: last.value_at_quantile(0.5) as f64 / 1e6,
            p99_ms: last.value_at_quantile(0.99) as f64 / 1e6,
            resident_bytes: server.held().resident_bytes,
        })
    };
    args.accounts().iter().map(case).collect()
}

/// Opens the market, and deposits cash for each account, over all connections.
async fn cash(server: &Server, accounts: usize) -> Result<(), ClientError> {
    let mut http = Http::connect(server.address).await?;
    let question = json!({ "question": { "en": "Load?", "zh": "压测？" } });
    http.json(Method::POST, "/v1/markets", &server.operator, &question).await?;
    let next = Arc::new(AtomicUsize::new(0));
    let each = CASH.min(CASH * 64 / accounts as u64);
    let tasks: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (next, address, operator) = (Arc::clone(&next), server.address, server.operator.clone());
            tokio::spawn(async move {
                let mut http = Http::connect(address).await?;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= accounts {
                        return Ok::<_, ClientError>(());
                    }
                    let deposit = json!({ "account": FIRST + number as u32, "amount": each });
                    http.json(Method::POST, "/v1/markets/1/deposits", &operator, &deposit).await?;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.map_err(|_| ClientError::Answer("the load failed".into()))??;
    }
    Ok(())
}

/// Each connection places orders of one account after the other, for this long.
async fn trade(
    server: &Server,
    keys: &Arc<Vec<String>>,
    time: Duration,
) -> Result<(f64, hdrhistogram::Histogram<u64>), MeasureError> {
    let (began, next) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (next, keys, address) = (Arc::clone(&next), Arc::clone(keys), server.address);
            tokio::spawn(async move {
                let (mut http, mut waits) = (Http::connect(address).await?, histogram());
                while began.elapsed() < time {
                    let number = next.fetch_add(1, Ordering::Relaxed) % keys.len();
                    let (order, asked) = (Bytes::from(format!("{{{}}}", Crowd::order(number))), Instant::now());
                    let (status, body) = http.ask(Method::POST, "/v1/orders", &keys[number], order).await?;
                    if status >= 300 {
                        return Err(ClientError::Answer(String::from_utf8_lossy(&body).into_owned()));
                    }
                    waits.saturating_record(asked.elapsed().as_nanos() as u64);
                }
                Ok(waits)
            })
        })
        .collect();
    let mut waits = histogram();
    for task in tasks {
        let own = task.await.map_err(|_| MeasureError::Unusable("the load failed".into()))?.map_err(broken)?;
        let _ = waits.add(own);
    }
    Ok((waits.len() as f64 / began.elapsed().as_secs_f64(), waits))
}
