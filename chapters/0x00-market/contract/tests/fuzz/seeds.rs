//! The seeds: a few small files for each target, from real flows, committed in `fuzz/seeds`.

use std::path::{Path, PathBuf};

use contract::fixture::{Fixture, Framing};
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::flow::{DEFAULT_SEED, FlowName, generate};
use market::log::{HEADER_BYTES, ShardOf, encode_command};
use market::log_reader::Place;
use market::model::Model;
use market::snapshot::{AccountRecord, MARKETS, MarketRecord, OrderRecord, SnapshotHeader, file_name};
use market::snapshot_file::SnapshotWriter;
use market::state::{MarketState, RestingOrder};
use market::{Cents, Command, Disk as _, LogId, Sequence, Stamp, UnixMs, csv};

/// A seed's file name and contents.
pub type Seed = (String, Vec<u8>);

fn folder(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/seeds").join(target)
}

/// The beginning of each flow's trading, what it needs of its set-up, and a stream that fails in every way.
fn streams() -> Vec<(String, Vec<Command>)> {
    let flows = [FlowName::Classic, FlowName::Venue, FlowName::Burst].map(|name| {
        let flow = generate(name, 40, DEFAULT_SEED);
        let commands = flow.setup.iter().take(6).chain(flow.body.iter().take(30)).copied();
        (name.to_string(), commands.collect())
    });
    let wild = [1, 2].map(|seed| (format!("wild-{seed}"), Random::new(seed).stream(40)));
    flows.into_iter().chain(wild).collect()
}

/// The seeds of a target.
pub fn of(target: &str) -> Vec<Seed> {
    let each = |encode: &dyn Fn(&[Command]) -> Vec<u8>| -> Vec<Seed> {
        streams().into_iter().map(|(name, commands)| (name, encode(&commands))).collect()
    };
    match target {
        "log" => logs(),
        "csv" => each(&|commands| {
            let mut text = Vec::new();
            csv::write(&mut text, commands.iter().copied()).unwrap();
            text
        }),
        "command" => each(&|commands| commands.iter().flat_map(encode_command).collect()),
        "event" => each(&|commands| {
            let mut model = Model::default();
            let events = commands.iter().flat_map(|command| model.apply(command));
            events.flat_map(|event| event.encode()).collect()
        }),
        "snapshot" => streams().into_iter().map(|(name, commands)| (name, snapshot(&commands))).collect(),
        _ => panic!("there is no target {target}"),
    }
}

/// A snapshot of the model's state. The model has no account rows, so each order belongs to the
/// first account.
fn snapshot(commands: &[Command]) -> Vec<u8> {
    let mut model = Model::default();
    commands.iter().for_each(|command| drop(model.apply(command)));
    let (disk, next) = (SimDisk::new(0, Faults::default()), Stamp { sequence: Sequence(8), time: UnixMs(5) });
    let place = Place { segment: Sequence::FIRST, last: (48, 96), crc: 7, next };
    let header = SnapshotHeader {
        shard: ShardOf::ONLY,
        log: LogId(9),
        place,
        ledger_entries: 3,
        ledger_on_disk: 2,
        sections: Vec::new(),
    };
    disk.make_folder(Path::new("seeds")).unwrap();
    let mut writer = SnapshotWriter::create(&disk, Path::new("seeds"), header).unwrap();
    writer.section(MARKETS).unwrap();
    for (&id, market) in &model.state().markets {
        let MarketState { closed, pot, orders_placed, accounts, bids, asks } = market;
        let (funded, orders) = (Cents(market.funds()), [bids, asks].map(|side| side.len() as u32));
        let (closed, pot, orders_placed, count) = (*closed, *pot, *orders_placed, accounts.len() as u32);
        let record = MarketRecord { id, closed, pot, funded, orders_placed, accounts: count, orders };
        writer.write(&record.encode()).unwrap();
        for (&account, &holdings) in accounts {
            writer.write(&AccountRecord { account, holdings }.encode()).unwrap();
        }
        for &RestingOrder { order, intent, price, quantity, .. } in bids.iter().chain(asks) {
            writer.write(&OrderRecord { order, row: 0, intent, price, quantity }.encode()).unwrap();
        }
    }
    writer.finish().unwrap();
    disk.read(&Path::new("seeds").join(file_name(ShardOf::ONLY, next.sequence))).unwrap()
}

/// Logs as the chapters leave them, also after a crash.
fn logs() -> Vec<Seed> {
    let stream = Random::new(3).stream(30);
    let log = |framing| Fixture::new(&stream, framing, ShardOf::ONLY);
    let mixed = log(Framing::Mixed(9));
    let torn = mixed.bytes[..mixed.bytes.len() - 31].to_vec();
    let mut damaged = mixed.bytes.clone();
    damaged[mixed.frames[1].start + 40] ^= 1;
    let of_shards = Fixture::new(&stream[..4], Framing::Many(4), ShardOf { shard: 1, shards: 2 });
    let seeds = [
        ("single-frames", Fixture::new(&stream[..12], Framing::One, ShardOf::ONLY).bytes),
        ("one-frame", log(Framing::Many(30)).bytes),
        ("mixed-frames", mixed.bytes.clone()),
        ("reserved", log(Framing::Many(10)).reserved(100).bytes),
        ("torn", torn),
        ("damaged", damaged),
        ("of-two-shards", of_shards.bytes),
        ("version-1", Fixture::version_1(&unnumbered(&stream[..12]), Framing::Many(5)).bytes),
        ("header-only", log(Framing::One).bytes[..HEADER_BYTES].to_vec()),
    ];
    seeds.into_iter().map(|(name, bytes)| (name.to_string(), bytes)).collect()
}

/// The same commands without request numbers, which version 1 does not have.
fn unnumbered(commands: &[Command]) -> Vec<Command> {
    commands.iter().map(|command| command.with_request(0)).collect()
}

/// Compares the seeds with the committed ones, or writes them where `FUZZ_WRITE_SEEDS` is set.
pub fn compare_or_write(target: &str, seeds: &[Seed]) {
    let folder = folder(target);
    if std::env::var_os("FUZZ_WRITE_SEEDS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in seeds {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
    for (name, bytes) in seeds {
        let path = folder.join(name);
        let there = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let words = "differs from what the flows give; FUZZ_WRITE_SEEDS=1 writes it again";
        assert!(there == *bytes, "{} {words}", path.display());
    }
}
