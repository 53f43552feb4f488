//! The trades in files of columns, as any reader finds them: it knows the folder and no list.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;

use history::columns::manifest::Manifest;
use history::place::Place;
use history::rows::MarketTrade;
use market::{AccountId, Intent, MarketId, OrderId, Price, Quantity, Sequence, UnixMs};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, Row};

/// Trades by market and place, as the rows have them.
pub type Trades = BTreeMap<(u32, Place), MarketTrade>;

/// All trades in the files of a folder whose name ends as a reader asks for.
pub fn in_folder(folder: &Path) -> Trades {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    let mut trades = Trades::new();
    for path in files {
        add(&mut trades, File::open(&path).unwrap(), &path.display().to_string());
    }
    trades
}

/// The same of files in memory.
pub fn in_memory<'f>(files: impl Iterator<Item = (&'f Path, &'f [u8])>) -> Trades {
    let mut trades = Trades::new();
    for (path, bytes) in files.filter(|(path, _)| path.extension().is_some_and(|end| end == "parquet")) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        add(&mut trades, file, &path.display().to_string());
    }
    trades
}

fn add(trades: &mut Trades, file: File, name: &str) {
    let reader = SerializedFileReader::new(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut before = None;
    for row in reader.get_row_iter(None).unwrap() {
        let (key, trade) = trade(&row.unwrap());
        assert!(before < Some(key), "{name} is not sorted: {before:?} stands before {key:?}");
        before = Some(key);
        assert!(trades.insert(key, trade).is_none(), "{name}: a trade is there twice: {key:?}");
    }
}

fn trade(row: &Row) -> ((u32, Place), MarketTrade) {
    let fields: BTreeMap<&str, &Field> = row.get_column_iter().map(|(name, field)| (name.as_str(), field)).collect();
    let number = |name| match fields[name] {
        Field::UByte(number) => u64::from(*number),
        Field::UShort(number) => u64::from(*number),
        Field::UInt(number) => u64::from(*number),
        Field::ULong(number) => *number,
        Field::TimestampMillis(number) => *number as u64,
        other => panic!("{name} is {other:?}"),
    };
    let intent = |name| match fields[name] {
        Field::Str(word) => (1..=4).filter_map(Intent::from_code).find(|intent| intent.word() == word).unwrap(),
        other => panic!("{name} is {other:?}"),
    };
    let place = Place {
        time: UnixMs(number("time")),
        shard: number("shard") as u16,
        sequence: Sequence(number("sequence")),
        index: number("event") as u32,
    };
    let trade = MarketTrade {
        price: Price::new(number("price") as u8).unwrap(),
        quantity: Quantity(number("quantity") as u32),
        maker: OrderId(number("maker_order")),
        maker_account: AccountId(number("maker_account") as u32),
        maker_intent: intent("maker_intent"),
        taker: OrderId(number("taker_order")),
        taker_account: AccountId(number("taker_account") as u32),
        taker_intent: intent("taker_intent"),
    };
    ((MarketId(number("market") as u32).0, place), trade)
}

/// Of all trades, those before a command of each shard: what files that reach it have to hold.
pub fn before(all: &Trades, next: &[u64]) -> Trades {
    let is_before = |place: &Place| place.sequence.0 < next[usize::from(place.shard)];
    all.iter().filter(|((_, place), _)| is_before(place)).map(|(key, trade)| (*key, *trade)).collect()
}

/// How far each shard is listed.
pub fn listed(manifest: &Manifest, shards: u16) -> Vec<u64> {
    (0..shards).map(|shard| manifest.last(shard).map_or(0, |last| last.next)).collect()
}

/// Fails where what was found is not all that there was of each shard before some command. Says how much that is.
pub fn assert_is_a_beginning(found: &Trades, all: &Trades, shards: u16, when: &str) -> usize {
    let mut next = vec![0; usize::from(shards)];
    for (_, place) in found.keys() {
        let next = &mut next[usize::from(place.shard)];
        *next = (*next).max(place.sequence.0 + 1);
    }
    assert_same(found, &before(all, &next), when);
    found.len()
}

/// Fails with the first trade that differs.
pub fn assert_same(found: &Trades, expected: &Trades, when: &str) {
    for (key, trade) in expected {
        assert_eq!(found.get(key), Some(trade), "{when}: {key:?}");
    }
    let more = found.keys().find(|key| !expected.contains_key(key));
    assert!(more.is_none(), "{when}: nothing led to {more:?}");
}
