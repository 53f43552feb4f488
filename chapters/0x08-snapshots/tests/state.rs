//! The state as a snapshot stores it: a loaded state behaves as the saved one did, and an invalid one is not
//! loaded.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ch08::exchange::Exchange;
use ch08::metrics::Unmeasured;
use contract::harness::check_state;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use keeping::Exchange as _;
use market::log::ShardOf;
use market::log_reader::Place;
use market::snapshot::{AccountRecord, MARKETS, MarketRecord, OrderRecord, SnapshotHeader, file_name};
use market::snapshot_file::{SnapshotReader, SnapshotWriter};
use market::{
    AccountId, Cents, Command, Disk as _, Intent, LogId, MarketId, OrderId, Sequence, Stamp, TimeInForce, UnixMs,
};

/// A market that was loaded answers as one that was never saved: ids far apart, holes in the queues, accounts that hold
/// nothing, empty markets.
#[test]
fn a_loaded_exchange_answers_alike() {
    let (market, deposit) = (MarketId(3), |account: u32, cents| Command::Deposit {
        market: MarketId(3),
        account: AccountId(account),
        amount: Cents(cents),
        request: 0,
    });
    let place = |account: u32, price, n: u64| {
        Command::Place(market::Place {
            market,
            account: AccountId(account),
            intent: if n.is_multiple_of(2) { Intent::BuyYes } else { Intent::BuyNo },
            time_in_force: TimeInForce::Gtc,
            price,
            quantity: 1 + (n % 7) as u32,
            client_order_id: n,
        })
    };
    let mut history = vec![Command::Open { market: MarketId(u32::MAX) }, Command::Open { market }];
    history.extend((0..300).map(|n: u32| deposit(n.wrapping_mul(2_654_435_761), 10_000_000)));
    history.push(Command::Withdraw { market, account: AccountId(0), amount: Cents(10_000_000), request: 0 });
    let holder = |n: u64| ((1 + n % 299) as u32).wrapping_mul(2_654_435_761);
    history.extend((1..=20_000).map(|n| place(holder(n), 1 + (n * 7 % 49) as u8, n)));
    let cancel = |n: u64| Command::Cancel { market, account: AccountId(holder(n)), order: OrderId(n), request: 0 };
    history.extend((1..=20_000_u64).filter(|n| !n.is_multiple_of(1_024) && n % 50 != 7).map(cancel));
    let (mut saved, mut events) = (Exchange::default(), Vec::new());
    history.iter().for_each(|command| saved.apply(command, &mut events, &mut Unmeasured));

    let disk = SimDisk::new(1, Faults::default());
    let mut loaded = load(&disk, &save(&disk, &saved)).unwrap();
    check_state(&saved.state(), &loaded.state()).unwrap();
    let mut random = Random::new(5);
    let answers = |exchange: &mut Exchange, command: &Command| {
        let mut events = Vec::new();
        exchange.apply(command, &mut events, &mut Unmeasured);
        events
    };
    for n in 20_001..40_000 {
        let next = match random.below(3) {
            0 => cancel(1 + random.below(n)),
            _ => place(holder(random.below(1_000)), 1 + random.below(99) as u8, n),
        };
        assert_eq!(answers(&mut saved, &next), answers(&mut loaded, &next), "{next:?}");
    }
    check_state(&saved.state(), &loaded.state()).unwrap();
}

const HERE: &str = "snapshots of a test";

fn header(disk: &SimDisk) -> SnapshotHeader {
    let next = Stamp { sequence: Sequence(77), time: UnixMs(5) };
    let place = Place { segment: Sequence(1), last: (48, 48), crc: 0, next };
    disk.make_folder(Path::new(HERE)).unwrap();
    SnapshotHeader {
        shard: ShardOf::ONLY,
        log: LogId(9),
        place,
        ledger_entries: 3,
        ledger_on_disk: 2,
        sections: Vec::new(),
    }
}

fn save(disk: &SimDisk, exchange: &Exchange) -> PathBuf {
    let mut writer = SnapshotWriter::create(disk, Path::new(HERE), header(disk)).unwrap();
    exchange.save(&mut writer).unwrap();
    writer.finish().unwrap();
    Path::new(HERE).join(file_name(ShardOf::ONLY, Sequence(77)))
}

fn load(disk: &SimDisk, path: &Path) -> Result<Exchange, String> {
    let mut reader = SnapshotReader::open(disk, path).map_err(|error| error.to_string())?;
    Exchange::load(&mut reader).map_err(|error| error.to_string())
}

/// Sections of companions stand before and behind the markets, and are skipped; every other deviation from the
/// format is refused.
#[test]
fn other_sections_and_what_is_no_state() {
    let disk = SimDisk::new(2, Faults::default());
    let mut exchange = Exchange::default();
    let stream = Random::new(3).stream(200);
    stream.iter().for_each(|command| exchange.apply(command, &mut Vec::new(), &mut Unmeasured));
    let mut writer = SnapshotWriter::create(&disk, Path::new(HERE), header(&disk)).unwrap();
    for (name, length) in [(*b"BEFORE\0\0", 70_000), (*b"EMPTY\0\0\0", 0)] {
        writer.section(name).unwrap();
        writer.write(&vec![7; length]).unwrap();
    }
    exchange.save(&mut writer).unwrap();
    writer.section(*b"BEHIND\0\0").unwrap();
    writer.write(&[1; 100]).unwrap();
    writer.finish().unwrap();
    let path = Path::new(HERE).join(file_name(ShardOf::ONLY, Sequence(77)));
    check_state(&exchange.state(), &load(&disk, &path).unwrap().state()).unwrap();

    let open = MarketRecord {
        id: MarketId(1),
        closed: false,
        pot: Cents(0),
        funded: Cents(0),
        orders_placed: 2,
        accounts: 1,
        orders: [1, 0],
    };
    let account = AccountRecord { account: AccountId(4), holdings: Default::default() };
    let (price, quantity) = (market::Price::MIN, market::Quantity(1));
    let order = OrderRecord { order: OrderId(2), row: 0, intent: Intent::BuyYes, price, quantity };
    let twice = MarketRecord { orders: [2, 0], ..open };
    let empty = MarketRecord { accounts: 0, orders: [0, 0], ..open };
    let wrong: [(&str, Vec<u8>); 7] = [
        ("of market 1 is not valid", [&open.encode()[..], &account.encode(), &[0; 24]].concat()),
        ("is not valid", [&open.encode()[..], &account.encode(), &OrderRecord { row: 1, ..order }.encode()].concat()),
        (
            "is not valid",
            [&open.encode()[..], &account.encode(), &OrderRecord { order: OrderId(3), ..order }.encode()].concat(),
        ),
        ("is not valid", [&twice.encode()[..], &account.encode(), &order.encode(), &order.encode()].concat()),
        (
            "is there twice",
            [
                MarketRecord { accounts: 2, ..open }.encode().to_vec(),
                account.encode().repeat(2),
                order.encode().to_vec(),
            ]
            .concat(),
        ),
        ("market 1 is there twice", empty.encode().repeat(2)),
        ("ends within a record", open.encode().to_vec()),
    ];
    for (words, body) in wrong {
        refused(&disk, &[&body], words);
    }
    let rest = [&account.encode()[..], &order.encode()].concat();
    refused(&disk, &[&open.encode(), &rest], "its last market is longer than its section");
}

/// An invalid state is not loaded, and the error says why. Its sections are one of markets, and
/// others.
fn refused(disk: &SimDisk, sections: &[&[u8]], words: &str) {
    let mut writer = SnapshotWriter::create(disk, Path::new(HERE), header(disk)).unwrap();
    for (section, name) in sections.iter().zip([MARKETS, *b"BEHIND\0\0"]) {
        writer.section(name).unwrap();
        writer.write(section).unwrap();
    }
    writer.finish().unwrap();
    let error = load(disk, &Path::new(HERE).join(file_name(ShardOf::ONLY, Sequence(77)))).err().unwrap_or_default();
    assert!(error.contains(words), "{words} was expected: {error:?}");
}
