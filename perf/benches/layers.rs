//! Each layer alone: encoding and sealing a frame, syncing it, changing a price level and finding the
//! best, finding an order by its id. The layers of 0x01 (tree, hash map) stand beside those of 0x05.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use market::log::{RECORD_BYTES, encode_command, seal_frame};
use market::{AccountId, Command, Intent, MarketId, OrderId, Place, Price, Quantity, Sequence, TimeInForce};

fn place(n: u32) -> Command {
    Command::Place(Place {
        market: MarketId(1),
        account: AccountId(n % 1_000),
        intent: Intent::BuyYes,
        price: 1 + (n % 99) as u8,
        quantity: 1 + n % 100,
        time_in_force: TimeInForce::Gtc,
    })
}

fn frame(commands: u32) -> Vec<u8> {
    let mut frame = vec![0; RECORD_BYTES];
    (0..commands).for_each(|n| frame.extend(encode_command(&place(n))));
    seal_frame(&mut frame, Sequence::FIRST);
    frame
}

fn log(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("log_append");
    for count in [1, 64, 1_024, 16_384] {
        group.throughput(Throughput::Elements(count.into()));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| bencher.iter(|| frame(count)));
    }
    group.finish();

    let mut group = criterion.benchmark_group("log_sync");
    group.sample_size(20);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk of the build");
    for count in [1, 1_024] {
        let bytes = frame(count);
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

/// A level's price for the nth update: near the best or anywhere.
fn price(n: u64) -> Price {
    Price::new(1 + (n.wrapping_mul(2_654_435_761) >> 7) as u8 % 99).unwrap_or(Price::MIN)
}

/// An order comes to a level and one leaves from another, and the best price is asked for: what a book
/// does when nothing trades. 200 orders rest all the time.
fn levels(criterion: &mut Criterion) {
    const RESTING: u64 = 200;
    let mut group = criterion.benchmark_group("level_update_and_best");
    macro_rules! book {
        ($chapter:ident, $name:literal, |$n:ident| $order:expr, |$book:ident, $taker:ident| $place:expr) => {
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
                    let old = n - RESTING;
                    std::hint::black_box($book.cancel(AccountId(1), OrderId(old))).is_ok()
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
        |book, taker| book.place(taker, TimeInForce::PostOnly)
    );
    let mut accounts = ch05::accounts::Accounts::default();
    accounts.deposit(AccountId(1), market::Cents(1_000_000));
    let holder = accounts.lock(AccountId(1), Intent::BuyYes, Price::MIN, Quantity(1)).expect("funded");
    let mut fills = Vec::new();
    book!(
        ch05,
        "0x05 array and table",
        |n| ch05::book::Order {
            id: OrderId(n),
            account: AccountId(1),
            holder,
            intent: Intent::BuyYes,
            price: price(n),
            quantity: Quantity(10),
        },
        |book, taker| book.place(taker, TimeInForce::PostOnly, &mut fills)
    );
    group.finish();
}

/// The prices of 1,024 updates, up to `highest` cents. They are made before the clock starts: a division is dearer
/// than what is measured.
fn prices(highest: u8) -> [Price; 1_024] {
    std::array::from_fn(|n| Price::new(1 + price(n as u64).cents() % highest).unwrap_or(Price::MIN))
}

/// The levels alone, with the best price near the end of the array where a scan begins, and far from it.
fn bare_levels(criterion: &mut Criterion) {
    bare_levels_up_to(criterion, "near", 99);
    bare_levels_up_to(criterion, "far", 10);
}

/// An order comes to one price and another leaves its own, and the best price is asked for.
fn bare_levels_up_to(criterion: &mut Criterion, name: &str, highest: u8) {
    let mut group = criterion.benchmark_group(format!("bare_level_and_best/{name}"));
    let prices = prices(highest);
    // Which price gets an order with the nth update, and which loses the one that it got 40 updates ago.
    let nth = |n: usize| (prices[n % prices.len()], prices[n.wrapping_sub(40) % prices.len()]);
    let mut n = 0;
    group.bench_function("BTreeMap", |bencher| {
        let mut levels = std::collections::BTreeMap::<Price, u32>::new();
        bencher.iter(|| {
            n += 1;
            let (come, gone) = nth(n);
            levels.insert(come, 1);
            levels.remove(&gone);
            levels.last_key_value().map(|(&price, _)| price)
        });
    });
    group.bench_function("array and bitmap", |bencher| {
        let (mut occupied, mut levels) = (0_u128, [0_u32; 100]);
        bencher.iter(|| {
            n += 1;
            let (come, gone) = nth(n);
            levels[come.cents() as usize] = 1;
            occupied |= 1 << come.cents();
            levels[gone.cents() as usize] = 0;
            occupied &= !(1 << gone.cents());
            occupied.checked_ilog2()
        });
    });
    group.bench_function("array and scan", |bencher| {
        let mut levels = [0_u32; 100];
        bencher.iter(|| {
            n += 1;
            let (come, gone) = nth(n);
            levels[come.cents() as usize] = 1;
            levels[gone.cents() as usize] = 0;
            levels.iter().rposition(|&quantity| quantity > 0)
        });
    });
    group.bench_function("array, bitmap and a best that is kept", |bencher| {
        let (mut best, mut occupied, mut levels) = (0, 0_u128, [0_u32; 100]);
        bencher.iter(|| {
            n += 1;
            let (come, gone) = nth(n);
            levels[come.cents() as usize] = 1;
            occupied |= 1 << come.cents();
            best = best.max(come.cents());
            levels[gone.cents() as usize] = 0;
            occupied &= !(1 << gone.cents());
            if gone.cents() == best {
                best = occupied.checked_ilog2().unwrap_or(0) as u8;
            }
            best
        });
    });
    group.finish();
}

fn ids(criterion: &mut Criterion) {
    const LIVE: u64 = 10_000;
    let mut group = criterion.benchmark_group("id_lookup");
    let ids: Vec<u64> = (1..=LIVE).map(|n| n * 3).collect();
    let map: HashMap<u64, u32> = ids.iter().zip(0..).map(|(&id, slot)| (id, slot)).collect();
    let fast: rustc_hash::FxHashMap<u64, u32> = ids.iter().zip(0..).map(|(&id, slot)| (id, slot)).collect();
    let mut table = ch05::id_table::IdTable::default();
    for (slot, &id) in ids.iter().enumerate() {
        table.insert(id, slot as u32, |slot| ids[slot as usize]);
    }
    let mut n = 0_u64;
    let mut next = move || {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (n >> 33) % (LIVE * 3)
    };
    group.bench_function("HashMap, SipHash", |bencher| bencher.iter(|| map.get(&next()).copied()));
    group.bench_function("HashMap, rustc-hash", |bencher| bencher.iter(|| fast.get(&next()).copied()));
    group.bench_function("0x05 table", |bencher| bencher.iter(|| table.find(next(), |slot| ids[slot as usize])));
    group.finish();
}

criterion_group!(benches, log, levels, bare_levels, ids);
criterion_main!(benches);
