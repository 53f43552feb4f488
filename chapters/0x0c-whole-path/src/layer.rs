//! The layer: what this chapter adds to the venue.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gateway::error::VenueError;
use gateway::front::{Front, PageFile, Routes};
use gateway::layer::{Layer, Metric};
use gateway::log_disk::LogDisk;
use gateway::projection::Projection;
use gateway::venue::Venue;
use gateway::watch::Watch;
use market::{Acknowledge, EngineError, Event, Options, Sequence, Stamp, Ticket};
use program::{print, tell};
use serde_json::Value;

use crate::args::PathArgs;
use crate::collector::Collector;
use crate::commands::Commands;
use crate::connection::Connection;
use crate::disk::Stamps;
use crate::frames::{Frames, Matching};
use crate::http;
use crate::machine::Machine;
use crate::metrics;
use crate::notable;
use crate::notices::Notices;
use crate::responses::Responses;
use crate::scrape::Shown;
use crate::shared::Shared;
use crate::watcher::Watcher;

/// The whole path.
pub struct WholePath {
    shared: Arc<Shared>,
    commands: Arc<Commands>,
    is_stamping: bool,
    /// When the program was started, since 1970.
    started: Duration,
    /// The data directory, once it is known.
    folder: OnceLock<PathBuf>,
    /// Where the metrics are served, until the venue serves them.
    metrics: Mutex<Option<TcpListener>>,
}

impl WholePath {
    /// The layer of a venue with so many shards, which serves its metrics there.
    pub fn new(args: &PathArgs, shards: u16, metrics: TcpListener) -> Arc<WholePath> {
        let frames = (0..shards).map(|_| Arc::default()).collect::<Vec<Arc<Frames>>>();
        let collector = Collector::new(args.sample, args.slow * 1_000_000);
        Arc::new(WholePath {
            shared: Arc::new(Shared {
                frames,
                collector,
                syncs: Arc::default(),
                snapshots: Arc::default(),
                responses: Responses::default(),
                notices: AtomicU64::default(),
                told: Notices::default(),
            }),
            commands: Arc::default(),
            is_stamping: !args.no_stamps,
            started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            folder: OnceLock::new(),
            metrics: Mutex::new(Some(metrics)),
        })
    }

    /// The layer of a venue with so many shards, which serves its metrics where `args` say.
    ///
    /// # Errors
    /// As [`bind`](WholePath::bind).
    pub fn listening(args: &PathArgs, shards: u16) -> Result<Arc<WholePath>, VenueError> {
        Ok(WholePath::new(args, shards, WholePath::bind(args)?))
    }

    /// Binds the metrics' address and prints it, before the venue starts: an address in use is reported at once.
    ///
    /// # Errors
    /// When the address can't be used, or other machines could reach it and the operator has not allowed that.
    pub fn bind(args: &PathArgs) -> Result<TcpListener, VenueError> {
        if !args.metrics.ip().is_loopback() && !args.metrics_open {
            let words = "other machines can reach the address of --metrics, where turnover and load are shown without a key and \
                 unencrypted: use an address of this machine, as in 127.0.0.1:9099, and run Prometheus or a proxy with \
                 TLS beside the venue, or --metrics-open in a network that is yours alone";
            return Err(VenueError::Usage(words.into()));
        }
        let failed = |source| VenueError::Listen { flag: "--metrics", address: args.metrics, source };
        let metrics = TcpListener::bind(args.metrics).map_err(failed)?;
        let address = metrics.local_addr().map_err(failed)?;
        print(format_args!("metrics http://{address}/metrics\n"))?;
        Ok(metrics)
    }

    /// Serves the metrics of a machine that follows another and has no venue yet, on the current runtime, until `over`. When
    /// this machine becomes a venue, that serves its metrics at the same address. `follows` gives the metrics of what the
    /// machine does meanwhile; none when that has ended.
    pub fn serve_before(
        &self,
        folder: &Path,
        follows: impl Fn() -> Option<Vec<Metric>> + Send + Sync + 'static,
        over: impl Future<Output = ()> + Send + 'static,
    ) {
        let listener = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(listener) = listener.as_ref().map(TcpListener::try_clone) else { return };
        let machine = self.machine(folder);
        match listener {
            Ok(listener) => metrics::serve(listener, Arc::new(move || Some(machine.now(follows()?))), over),
            Err(error) => tell(format_args!("the metrics can't be served: {error}")),
        }
    }

    fn machine(&self, folder: &Path) -> Machine {
        Machine { started: self.started, folder: folder.to_path_buf() }
    }

    /// What is known of all requests.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Layer for WholePath {
    fn options(&self, options: Options) -> Options {
        if !self.is_stamping {
            return options;
        }
        let disk = LogDisk::new(Arc::clone(&options.disk), Stamps::new(&self.shared));
        Options { disk: Arc::new(disk), ..options }
    }

    fn receiver(&self, shard: u16) -> Option<Box<dyn Acknowledge>> {
        let frames = self.shared.frames.get(usize::from(shard)).filter(|_| self.is_stamping)?;
        Some(Box::new(Matching::new(frames)))
    }

    fn opened(&self, options: &Options, _: &[Sequence]) -> Result<(), EngineError> {
        self.folder.get_or_init(|| options.data_dir.clone());
        Ok(())
    }

    fn observe(&self, _: Ticket, _: Stamp, events: &[Event], _: &Projection) {
        self.commands.add(events);
    }
}

const fn file(path: &'static str, media_type: &'static str, content: &'static str) -> PageFile {
    PageFile { path, media_type, content, extends: false }
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The operator's page of the whole path.
const PAGE: &[PageFile] = &[
    file("/page/path.html", "text/html; charset=utf-8", include_str!("../page/path.html")),
    file("/page/path.css", "text/css; charset=utf-8", include_str!("../page/path.css")),
    file("/page/path.js", SCRIPT, include_str!("../page/path.js")),
    file("/page/path_words.js", SCRIPT, include_str!("../page/path_words.js")),
];

impl Front for WholePath {
    fn page(&self) -> &'static [PageFile] {
        PAGE
    }

    fn routes(self: Arc<Self>) -> Routes {
        http::routes(&self.shared)
    }

    fn describe(&self, openapi: &mut Value) {
        http::describe(openapi);
    }

    fn watch(self: Arc<Self>) -> Option<Arc<dyn Watch>> {
        let connection = || Arc::new(Connection::new(Arc::clone(&self.shared)));
        self.is_stamping.then(|| Arc::new(Watcher(connection())) as Arc<dyn Watch>)
    }

    fn serving(self: Arc<Self>, venue: &Arc<Venue>) {
        tokio::spawn(notable::watch(Arc::clone(&self.shared)));
        let listener = self.metrics.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(listener) = listener else { return };
        let folder = self.folder.get().map(PathBuf::as_path).unwrap_or(Path::new(""));
        let (shared, commands) = (Arc::clone(&self.shared), Arc::clone(&self.commands));
        let shown = Arc::new(Shown { shared, commands, machine: self.machine(folder) });
        let (mut over, venue) = (venue.over.subscribe(), Arc::downgrade(venue));
        let shows = Arc::new(move || Some(shown.now(&*venue.upgrade()?)));
        metrics::serve(listener, shows, async move { drop(over.changed().await) });
    }
}
