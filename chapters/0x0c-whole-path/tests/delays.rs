//! A delay that is planted in one place shows in the stage of that place, and in no other.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use clap::Parser;
use gateway::door::{Door, Request};
use gateway::front::{Front, Fronts};
use gateway::layer::Layer;
use gateway::projection::Projection;
use gateway::reply::Session;
use gateway::venue::Venue;
use gateway::watch::{Passed, Watch};
use market::{Acknowledge, Command, Disk, Event, LogFile, MarketId, Options, Sequence, Stamp, Ticket};
use market_data::engines::Rung;
use whole_path::args::PathArgs;
use whole_path::http::PathReport;
use whole_path::layer::WholePath;

/// Long enough to be seen on a busy machine.
const DELAY: Duration = Duration::from_millis(40);

const REQUESTS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Nowhere,
    Door,
    Sync,
    Matching,
    Reply,
}

struct Slow(Place);

impl Slow {
    fn at(&self, place: Place) {
        if self.0 == place {
            sleep(DELAY);
        }
    }
}

impl Layer for Slow {
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(SlowDoor(self, inner))
    }

    fn receiver(&self, _: u16) -> Option<Box<dyn Acknowledge>> {
        Some(Box::new(SlowMatching(self.0)))
    }

    fn options(&self, options: Options) -> Options {
        Options { disk: Arc::new(SlowDisk(self.0, Arc::clone(&options.disk))), ..options }
    }

    fn observe(&self, _: Ticket, _: Stamp, _: &[Event], _: &Projection) {
        self.at(Place::Reply);
    }
}

impl Front for Slow {}

struct SlowDoor(Arc<Slow>, Arc<dyn Door>);

impl Door for SlowDoor {
    fn enter(&self, session: Session, request: Request) {
        self.0.at(Place::Door);
        self.1.enter(session, request);
    }
}

struct SlowMatching(Place);

impl Acknowledge for SlowMatching {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {
        Slow(self.0).at(Place::Matching);
    }

    fn recovered(&mut self, _: Sequence, _: &dyn Fn() -> market::state::ExchangeState) {}
}

struct SlowDisk(Place, Arc<dyn Disk>);

impl Disk for SlowDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.1.open(path)?.map(|file| Box::new(SlowFile(self.0, file)) as Box<dyn LogFile>))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(SlowFile(self.0, self.1.create(path, header)?)))
    }
}

struct SlowFile(Place, Box<dyn LogFile>);

impl LogFile for SlowFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.1.write_at(at, bytes)
    }

    fn write_all_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.1.write_all_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.1.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.1.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        Slow(self.0).at(Place::Sync);
        self.1.sync()
    }
}

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    path: PathArgs,
}

/// The stages' medians, in milliseconds, with a delay in this place.
fn medians(engine: Rung, place: Place) -> Vec<(String, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let args = Flags::parse_from(["delays", "--sample", "1"]).path;
    let path = WholePath::new(&args, 1, TcpListener::bind("127.0.0.1:0").unwrap());
    // The receiver of the first layer runs first, so the delay comes after the stamp of the frame.
    let fronts: Fronts = Arc::new([Arc::clone(&path) as Arc<dyn Front>, Arc::new(Slow(place))]);
    let layers = gateway::front::layers(&fronts);
    let (running, _) =
        Venue::start(engine, &Options::new(folder.path()), 0, gateway::limits::Allowed::ANYTHING, layers).unwrap();
    let watch = Arc::clone(&path).watch().unwrap();
    for market in (1..=REQUESTS as u32).map(MarketId) {
        watch.read();
        let answer = request(&running, &watch, Command::Open { market });
        assert_eq!(answer, 1);
        watch.written();
    }
    running.close().unwrap();
    let report = PathReport::of(path.shared());
    assert_eq!((report.whole.count, report.incomplete), (REQUESTS as u64, 0), "{engine:?} {place:?}");
    report.stages.into_iter().map(|stage| (stage.name, stage.p50_ns as f64 / 1e6)).collect()
}

/// Sends a command as a connection does, and gives how many answers came.
fn request(running: &gateway::venue::Running, watch: &Arc<dyn Watch>, command: Command) -> usize {
    let (following, (sender, answered)) = (Arc::clone(watch).begin(None), std::sync::mpsc::channel());
    let answer = gateway::reply::Answer::new(1, move |given| sender.send(given.len()).unwrap());
    let answer = answer.followed(Some(Arc::clone(&following)));
    answer.passed(Passed::Parsed);
    running.venue().door.enter(Session::Operator, Request { commands: [command].into_iter().collect(), answer });
    let answers = answered.recv().unwrap();
    following.passed(Passed::Encoded);
    answers
}

#[test]
fn a_delay_shows_where_it_is() {
    for engine in [Rung::Naive, Rung::Snapshots] {
        let usual = medians(engine, Place::Nowhere);
        for (place, stage) in
            [(Place::Door, "door"), (Place::Sync, "sync"), (Place::Matching, "match"), (Place::Reply, "reply")]
        {
            let slow = medians(engine, place);
            for ((name, ms), (_, usual)) in slow.iter().zip(&usual) {
                let is_there = ms - usual > DELAY.as_secs_f64() * 1e3 * 0.7;
                assert_eq!(
                    is_there,
                    name == stage,
                    "{engine:?}, a delay in {place:?}: {name} {usual:.1} to {ms:.1} ms"
                );
            }
        }
    }
}
