//! Each layer alone: encoding and sealing a frame, syncing it, changing a price level and finding the
//! best, finding an order by its id. The layers of 0x01 (tree, hash map) run beside those of 0x05.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use market::log::{RECORD_BYTES, encode_commands, seal_frame};
use market::{
    AccountId, Command, Intent, LogId, MarketId, OrderId, Place, Price, Quantity, Sequence, Stamp, TimeInForce, UnixMs,
};

fn place(n: u32) -> Command {
    Command::Place(Place {
        market: MarketId(1),
        account: AccountId(n % 1_000),
        intent: Intent::BuyYes,
        price: 1 + (n % 99) as u8,
        quantity: 1 + n % 100,
        time_in_force: TimeInForce::Gtc,
        client_order_id: 0,
    })
}

fn frame(commands: &[Command]) -> Vec<u8> {
    let mut frame = vec![0; RECORD_BYTES];
    encode_commands(commands, &mut frame);
    seal_frame(&mut frame, LogId(1), Stamp { sequence: Sequence::FIRST, time: UnixMs::UNKNOWN });
    frame
}

fn log(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("log_append");
    for count in [1, 64, 1_024, 16_384] {
        group.throughput(Throughput::Elements(count.into()));
        let commands: Vec<_> = (0..count).map(place).collect();
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| bencher.iter(|| frame(&commands)));
    }
    group.finish();

    let mut group = criterion.benchmark_group("log_sync");
    group.sample_size(20);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk of the build");
    for count in [1, 1_024] {
        let bytes = frame(&(0..count).map(place).collect::<Vec<_>>());
        let mut file = File::create(folder.path().join("bench.log")).expect("a file");
        group.throughput(Throughput::Elements(count.into()));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| {
                file.write_all(&bytes).expect("written");
                file.sync_data().expect("synced");
            });
        });
    }
    group.finish();
}

/// How many prices are drawn before the clock starts. With few of them a processor would learn which way each
/// search in a tree goes.
const DRAWN: usize = 1 << 16;

/// Prices up to `highest` cents, as if drawn at random: the numbers from 0 on, mixed as in
/// SplitMix64.
fn prices(highest: u64) -> Vec<Price> {
    let draw = |n: u64| {
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Price::new(1 + ((mixed >> 32) % highest) as u8).unwrap_or(Price::MIN)
    };
    (0..DRAWN as u64).map(draw).collect()
}

/// An order comes to a level, another leaves its level, and the best price is read: what a book does
/// when nothing trades. 200 orders rest all the time.
fn levels(criterion: &mut Criterion) {
    const RESTING: u64 = 200;
    let prices = prices(99);
    let price = |n: u64| prices[n as usize % DRAWN];
    let mut group = criterion.benchmark_group("level_update_and_best");
    macro_rules! book {
        ($chapter:ident, $name:literal, |$n:ident| $order:expr, |$book:ident, $taker:ident| $place:expr,
         |$old:ident| $cancel:expr) => {
            group.bench_function($name, |bencher| {
                let mut $book = $chapter::book::Book::default();
                let mut n = 0_u64;
                for _ in 0..RESTING {
                    n += 1;
                    let $n = n;
                    let $taker = &$order;
                    let _ = $place;
                }
                bencher.iter(|| {
                    n += 1;
                    let $n = n;
                    let $taker = &$order;
                    let _ = std::hint::black_box($place);
                    let $old = OrderId(n - RESTING);
                    std::hint::black_box($cancel).is_ok()
                });
            });
        };
    }
    book!(
        ch01,
        "0x01 tree and map",
        |n| ch01::book::Order {
            id: OrderId(n),
            account: AccountId(1),
            intent: Intent::BuyYes,
            price: price(n),
            quantity: Quantity(10),
        },
        |book, taker| book.place(taker, TimeInForce::PostOnly),
        |old| book.cancel(AccountId(1), old)
    );
    let mut accounts = ch05::accounts::Accounts::default();
    accounts.deposit(AccountId(1), market::Cents(1));
    let holder = accounts.find(AccountId(1)).expect("it has deposited");
    let mut fills = Vec::new();
    book!(
        ch05,
        "0x05 array and table",
        |n| ch05::book::Order {
            id: OrderId(n),
            holder,
            intent: Intent::BuyYes,
            price: price(n),
            quantity: Quantity(10),
        },
        |book, taker| book.place(taker, TimeInForce::PostOnly, &mut fills),
        |old| book.cancel(old, |owner| owner == holder)
    );
    group.finish();
}

/// The levels alone, with the best price near the end of the array where a scan begins, and far from it.
fn bare_levels(criterion: &mut Criterion) {
    bare_levels_up_to(criterion, "near", 99);
    bare_levels_up_to(criterion, "far", 10);
}

/// How many orders rest while one comes and one leaves: a few at every price.
const CROWD: usize = 400;

/// An order comes to one price, another leaves its own, and the best price is read. A level here is only its
/// number of orders.
macro_rules! bench_levels {
    (
        $group:ident, $prices:ident, $name:literal, $levels:expr,
        |$book:ident, $price:ident| $come:expr, $go:expr, $best:expr
    ) => {
        $group.bench_function($name, |bencher| {
            let mut $book = $levels;
            for n in 0..CROWD {
                let $price = $prices[n % DRAWN];
                $come;
            }
            let mut n = CROWD;
            bencher.iter(|| {
                let $price = $prices[n % DRAWN];
                $come;
                let $price = $prices[(n - CROWD) % DRAWN];
                $go;
                n += 1;
                $best
            });
        });
    };
}

fn bare_levels_up_to(criterion: &mut Criterion, name: &str, highest: u64) {
    let mut group = criterion.benchmark_group(format!("bare_level_and_best/{name}"));
    let prices = prices(highest);
    levels_that_are_searched(&mut group, &prices);
    levels_with_a_bitmap(&mut group, &prices);
    group.finish();
}

fn levels_that_are_searched(group: &mut BenchmarkGroup<'_, WallTime>, prices: &[Price]) {
    bench_levels!(
        group,
        prices,
        "BTreeMap",
        std::collections::BTreeMap::<Price, u32>::new(),
        |book, price| *book.entry(price).or_default() += 1,
        if let Some(orders) = book.get_mut(&price) {
            *orders -= 1;
            if *orders == 0 {
                book.remove(&price);
            }
        },
        book.last_key_value().map(|(&price, _)| price)
    );
    bench_levels!(
        group,
        prices,
        "array and scan",
        [0_u32; 100],
        |book, price| book[price.cents() as usize] += 1,
        book[price.cents() as usize] -= 1,
        book.iter().rposition(|&orders| orders > 0)
    );
}

fn levels_with_a_bitmap(group: &mut BenchmarkGroup<'_, WallTime>, prices: &[Price]) {
    bench_levels!(
        group,
        prices,
        "array and bitmap",
        (0_u128, [0_u32; 100]),
        |book, price| {
            let orders = &mut book.1[price.cents() as usize];
            *orders += 1;
            if *orders == 1 {
                book.0 |= 1 << price.cents();
            }
        },
        {
            let orders = &mut book.1[price.cents() as usize];
            *orders -= 1;
            if *orders == 0 {
                book.0 &= !(1 << price.cents());
            }
        },
        book.0.checked_ilog2()
    );
    bench_levels!(
        group,
        prices,
        "array, bitmap and a cached best",
        (0_u128, [0_u32; 100], 0_u32),
        |book, price| {
            let orders = &mut book.1[price.cents() as usize];
            *orders += 1;
            if *orders == 1 {
                book.0 |= 1 << price.cents();
                book.2 = book.2.max(price.cents().into());
            }
        },
        {
            let orders = &mut book.1[price.cents() as usize];
            *orders -= 1;
            if *orders == 0 {
                book.0 &= !(1 << price.cents());
                book.2 = book.0.checked_ilog2().unwrap_or(0);
            }
        },
        book.2
    );
}

/// Ids and their links, for a table to find.
struct Ids(Vec<(u64, u32)>);

impl ch05::id_table::Entries for Ids {
    fn entry(&self, slot: u32) -> Option<(u64, u32)> {
        self.0.get(slot as usize).copied()
    }

    fn link(&mut self, slot: u32) -> &mut u32 {
        &mut self.0[slot as usize].1
    }
}

fn ids(criterion: &mut Criterion) {
    const LIVE: u64 = 10_000;
    let mut group = criterion.benchmark_group("id_lookup");
    let ids: Vec<u64> = (1..=LIVE).map(|n| n * 3).collect();
    let map: HashMap<u64, u32> = ids.iter().zip(0..).map(|(&id, slot)| (id, slot)).collect();
    let fast: rustc_hash::FxHashMap<u64, u32> = ids.iter().zip(0..).map(|(&id, slot)| (id, slot)).collect();
    let (mut table, mut entries) = (ch05::id_table::IdTable::default(), Ids(Vec::new()));
    for (slot, &id) in ids.iter().enumerate() {
        let link = table.insert(id, slot as u32, &mut entries);
        entries.0.push((id, link));
    }
    let mut n = 0_u64;
    let mut next = move || {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (n >> 33) % (LIVE * 3)
    };
    group.bench_function("HashMap, SipHash", |bencher| bencher.iter(|| map.get(&next()).copied()));
    group.bench_function("HashMap, rustc-hash", |bencher| bencher.iter(|| fast.get(&next()).copied()));
    group.bench_function("0x05 table", |bencher| bencher.iter(|| table.find(next(), &entries)));
    group.finish();
}

criterion_group!(benches, log, levels, bare_levels, ids);
criterion_main!(benches);
