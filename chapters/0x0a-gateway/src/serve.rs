//! The program: starts a venue, listens, and drains when it is asked to stop.
//!
//! Draining loses nothing: new requests are refused, those in flight are answered, connections are closed, the log is
//! closed. Being killed loses nothing that was acknowledged either; the next start finds it in the log.

mod connections;
mod impatient;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use market::Options;
use program::lines::{Figure, set_form, tell_event};
use program::{Verdict, print, tell};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;

use crate::args::Args;
use crate::bots;
use crate::error::VenueError;
use crate::front::{Fronts, layers};
use crate::http::operator::open_market;
use crate::http::routes;
use crate::limits::Allowed;
use crate::names::Question;
use crate::notable;
use crate::tls;
use crate::venue::{Running, Venue};

use connections::{Connections, Spoken};

/// How many files are reserved for logs, names and pages, whatever connections need.
const OWN_FILES: u32 = 512;

/// How long connections may take to end when the venue does.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// How often to check whether the engine has stopped by itself.
const LOOK: Duration = Duration::from_millis(200);

/// How often a client gets a sign that its connection is alive.
const LIFE: Duration = Duration::from_secs(2);

/// The markets of a first start.
const QUESTIONS: [(&str, &str); 3] = [
    ("Will it rain in Paris tomorrow?", "巴黎明天会下雨吗？"),
    ("Will the next Mersenne prime be found this year?", "今年会找到下一个梅森素数吗？"),
    ("Will the home team win on Saturday?", "主队周六会赢吗？"),
];

/// Runs the venue, with what these layers add, until it is asked to stop.
///
/// # Errors
/// [`VenueError`].
pub fn run(args: &Args, fronts: Fronts) -> Result<Verdict, VenueError> {
    set_form(args.log_format);
    check(args)?;
    let tls = match (&args.tls_certificate, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(tls::acceptor(certificate, key, args.http2)?),
        _ => None,
    };
    // Only where it is needed: a venue that is killed can't remove it.
    let fresh = if args.data_dir.is_none() { Some(tempfile::tempdir().map_err(VenueError::Folder)?) } else { None };
    let data_dir = args.data_dir.as_deref().or(fresh.as_ref().map(|fresh| fresh.path())).unwrap_or(Path::new("."));
    let options = Options { shards: args.shards, snapshot_every: Some(args.snapshot_every), ..Options::new(data_dir) };
    let (running, recovery) = Venue::start(args.engine, &options, args.play_money, allowed(args), layers(&fronts))?;
    for remark in &recovery.remarks {
        tell(format_args!("{remark}"));
    }
    if recovery.commands > 0 {
        let (commands, replayed) = (recovery.commands, recovery.replayed);
        let figures = [("commands", Figure::Count(commands)), ("replayed", Figure::Count(replayed))];
        let words = format_args!("recovered {commands} commands, {replayed} of them replayed");
        tell_event("recovered", &figures, words);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(VenueError::System)?;
    let served = runtime.block_on(serve(args, data_dir, &running, &fronts, tls));
    // No task is left that could send a request; those in flight have their answers.
    runtime.shutdown_timeout(DRAIN_TIME);
    running.close()?;
    served?;
    Ok(Verdict::Yes)
}

fn check(args: &Args) -> Result<(), VenueError> {
    if args.shards > 1 && !args.engine.has_shards() {
        return Err(VenueError::Usage(
            "--shards is for engines 0x07 and 0x08: leave it out, or name one of them".into(),
        ));
    }
    let is_safe = args.tls_certificate.is_some() || args.behind_proxy || args.classroom;
    if !args.listen.ip().is_loopback() && !is_safe {
        let words = "other machines can reach the address of --listen, and keys would cross the network unencrypted: \
                     use --tls-certificate and --tls-key, or --behind-proxy if a proxy in front \
                     terminates TLS, or --classroom for play money in one room";
        return Err(VenueError::Usage(words.into()));
    }
    Ok(())
}

async fn serve(
    args: &Args,
    data_dir: &Path,
    running: &Running,
    fronts: &Fronts,
    tls: Option<TlsAcceptor>,
) -> Result<(), VenueError> {
    let venue = running.venue();
    let failed = |source| VenueError::Listen { flag: "--listen", address: args.listen, source };
    let listener = TcpListener::bind(args.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    if let Some(key) = venue.names.operator_key(args.new_operator_key)? {
        print(format_args!("operator's key, shown once: {}\n", key.reveal()))?;
    }
    if !args.no_demo && venue.projection().markets().next().is_none() {
        open_demo(venue).await;
    }
    if args.classroom {
        print(format_args!("classroom: for play money only; anyone on the same network can read the keys\n"))?;
    }
    let scheme = if tls.is_some() { "https" } else { "http" };
    print(format_args!("open {scheme}://{address}/\n"))?;
    notable::started(args, data_dir, address);
    tokio::spawn(notable::refusals(Arc::clone(venue)));
    tokio::spawn(tick(Arc::clone(venue), args.updates_per_second));
    fronts.iter().for_each(|front| Arc::clone(front).serving(venue));
    let bots = if args.no_demo {
        None
    } else {
        Some(tokio::spawn(with_bots(args.clone(), Arc::clone(venue), Arc::clone(fronts))))
    };
    let spoken = Spoken { tls, http2: args.http2, is_behind_proxy: args.behind_proxy };
    let connections = Connections::new(venue, fronts, routes(Arc::clone(venue), fronts, args.echo), spoken);
    tokio::select! {
        () = asked_to_end() => {}
        () = stopped(running) => {}
        () = connections.accept(listener) => {}
    }
    bots.inspect(JoinHandle::abort);
    drain(venue, address).await;
    Ok(())
}

/// Bots trade over their own connections, which need neither encryption nor access from outside.
async fn with_bots(args: Args, venue: Arc<Venue>, fronts: Fronts) {
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await else { return };
    let Ok(address) = listener.local_addr() else { return };
    let connections = Connections::new(&venue, &fronts, routes(Arc::clone(&venue), &fronts, false), Spoken::default());
    tokio::join!(connections.accept(listener), bots::trade(address, venue, args.bots));
}

/// The limits that clients get, within those of this machine.
fn allowed(args: &Args) -> Allowed {
    let files = connections::open_files_max().unwrap_or(u32::MAX);
    Allowed {
        orders_per_second: args.orders_per_second,
        accounts_per_minute: args.accounts_per_minute,
        connections: args.connections.min(files.saturating_sub(OWN_FILES).max(1)),
        // All connections come from the proxy's address, and only the proxy can count those of each client.
        connections_per_address: if args.behind_proxy { u32::MAX } else { args.connections_per_address },
        streams_per_account: if args.connections_per_account == 0 { u32::MAX } else { args.connections_per_account },
        classroom: args.classroom,
    }
}

/// Waits until the engine has stopped by itself.
async fn stopped(running: &Running) {
    while !running.has_stopped() {
        tokio::time::sleep(LOOK).await;
    }
}

async fn drain(venue: &Venue, address: SocketAddr) {
    venue.engine_door.drain();
    let figures = [("address", Figure::Text(&address))];
    tell_event("draining", &figures, format_args!("{address}: no new requests; ending"));
    venue.over.send_replace(());
    tokio::select! {
        // Each connection holds a receiver until it ends.
        () = venue.over.closed() => {}
        () = tokio::time::sleep(DRAIN_TIME) => tell(format_args!("some connections were cut off")),
        () = asked_to_end() => std::process::exit(130),
    }
}

/// Signals connections, this many times a second, to send what has changed, and from time to time a sign of life.
async fn tick(venue: Arc<Venue>, per_second: u32) {
    let every = |time| {
        let mut interval = tokio::time::interval(time);
        interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
        interval
    };
    let (mut ticks, mut life) = (every(Duration::from_secs(1) / per_second), every(LIFE));
    loop {
        tokio::select! {
            _ = ticks.tick() => venue.ticks.send_replace(()),
            _ = life.tick() => venue.life.send_replace(()),
        }
    }
}

/// Waits for Ctrl-C, or the signal that ends services.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

async fn open_demo(venue: &Arc<Venue>) {
    for (en, zh) in QUESTIONS {
        if open_market(venue, Question { en: en.into(), zh: zh.into() }).await.is_err() {
            tell(format_args!("the market \"{en}\" could not be opened"));
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn a_proxy_is_not_taken_for_one_client() {
        let of_address = |flags: &[&str]| {
            let flags = ["program", "--connections-per-address=2"].iter().chain(flags);
            allowed(&Program::parse_from(flags).args).connections_per_address
        };
        assert_eq!((of_address(&[]), of_address(&["--behind-proxy"])), (2, u32::MAX));
    }
}
