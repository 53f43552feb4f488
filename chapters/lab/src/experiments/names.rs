//! A market's name: interned, copied, or a number.
//!
//! **Expected:** a pool that keeps each name once saves an allocation for every order, so it must be faster.
//!
//! **Compared:** what an order carries to name its market. `interned` looks the name up in a pool behind a read-write
//! lock and takes an `Arc<str>`; `copied` copies the text into a `String`; `number` carries a `u32`, and the name is
//! looked up only to be shown. An order lives for 1,024 orders, then it is dropped, like a resting order.
//!
//! **Left out:** the book's own lookup by the name, which is one more hash for the first two; and names so long that
//! copying them costs more than a cache line.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::{Arc, RwLock};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting};
use crate::pattern::Pattern;
use crate::threads::{cores, together};
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "names",
    title: (
        "Does a pool of interned market names beat copying the name, or a number?",
        "市场名放进驻留池，比复制名字快吗？比用编号呢？",
    ),
    per: ("an order", "每单"),
    on_request: false,
    prepare,
};

const MARKETS: usize = 64;
/// Orders that are alive at one time.
const ALIVE: usize = 1_024;

fn market_names() -> Vec<String> {
    (0..MARKETS).map(|market| format!("NEXT-PRESIDENT-{market:03}")).collect()
}

// ANCHOR: pool
/// Names that are stored once and shared.
#[derive(Default)]
struct Pool {
    names: RwLock<HashSet<Arc<str>>>,
}

impl Pool {
    fn intern(&self, name: &str) -> Arc<str> {
        if let Ok(names) = self.names.read()
            && let Some(known) = names.get(name)
        {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        if let Ok(mut names) = self.names.write() {
            names.insert(Arc::clone(&new));
        }
        new
    }
}
// ANCHOR_END: pool

/// Every thread stamps `count` orders with `field` and keeps the last of them alive. The result adds up the last
/// letters of all names, read through the field.
fn stamp<'n, F>(
    names: &'n [String],
    count: usize,
    threads: usize,
    field: impl Fn(u32, &'n str) -> F + Sync,
    last_letter: impl Fn(&F) -> u8 + Sync,
) -> Sample {
    let asked = Pattern::list(1, count, MARKETS);
    together(threads, count, |_| {
        let mut alive: Vec<F> = Vec::with_capacity(ALIVE);
        let mut sum = 0;
        for (at, &market) in asked.iter().enumerate() {
            let order = field(market, black_box(&names[market as usize]));
            sum += u64::from(last_letter(&order));
            match alive.get_mut(at % ALIVE) {
                Some(old) => *old = order,
                None => alive.push(order),
            }
        }
        black_box(&alive);
        sum
    })
}

fn last(name: &str) -> u8 {
    name.as_bytes().last().copied().unwrap_or_default()
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let count = setting.size.of(2_000_000);
    let many = cores().max(2);
    let cases = [
        (1, "one_thread", words("one thread", "1 个线程")),
        (many, "all_threads", words(format!("{many} threads"), format!("{many} 个线程"))),
    ];
    let cases = cases.into_iter().map(|(threads, name, label)| {
        let names = Arc::new(market_names());
        let [by_pool, by_copy, by_number] = std::array::from_fn(|_| Arc::clone(&names));
        Case::new(name, label)
            .with("copied", words("a String, copied", "复制成 String"), move || {
                Ok(stamp(&by_copy, count, threads, |_, name| name.to_owned(), |name| last(name)))
            })
            .with("interned", words("Arc<str> from a pool", "驻留池里的 Arc<str>"), move || {
                let pool = Pool::default();
                by_pool.iter().for_each(|name| drop(pool.intern(name)));
                Ok(stamp(&by_pool, count, threads, |_, name| pool.intern(name), |name| last(name)))
            })
            .with("number", words("a number", "编号"), move || {
                Ok(stamp(&by_number, count, threads, |id, _| id, |&id| last(&by_number[id as usize])))
            })
    });
    Ok(Prepared { cases: cases.collect(), left_out: Vec::new() })
}
