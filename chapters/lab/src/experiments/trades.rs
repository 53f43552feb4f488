//! The trades of one order: returned in a `Vec`, in a `SmallVec`, in a reused buffer, or through an arena.
//!
//! **Expected:** most orders have a few trades, so a list with space for eight on the stack saves the allocation.
//!
//! **Compared:** a function that returns the trades of an order and a caller that adds up their quantities, with 1,
//! 10, 100 and 1,000 trades for each order and with elements of 16 and of 96 bytes. The arena's list is copied out
//! before the arena is reset, because trades outlive the order that made them.
//!
//! **Left out:** what the caller does with the trades afterwards, and allocators other than the system's.

use std::hint::black_box;

use bumpalo::Bump;
use smallvec::SmallVec;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, timed};
use crate::words::{Words, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "trades",
    title: (
        "Does a list with room for eight trades on the stack beat the heap, and does an arena?",
        "在栈上留八个位置的列表，比堆上的快吗？用 arena 呢？",
    ),
    per: ("an order", "每单"),
    on_request: false,
    prepare,
};

/// An element of a list.
trait Element: Copy + 'static {
    fn nth(n: u64) -> Self;
    fn quantity(&self) -> u64;
}

/// A minimal trade.
#[derive(Clone, Copy)]
struct Small {
    maker: u64,
    quantity: u32,
    _price: u32,
}

/// A trade with everything about both sides in it.
#[derive(Clone, Copy)]
struct Large {
    trade: Small,
    _rest: [u64; 10],
}

const _: () = assert!(size_of::<Small>() == 16 && size_of::<Large>() == 96);

impl Element for Small {
    fn nth(n: u64) -> Small {
        Small { maker: n, quantity: n as u32 % 100, _price: 50 }
    }

    fn quantity(&self) -> u64 {
        u64::from(self.quantity) + (self.maker & 1)
    }
}

impl Element for Large {
    fn nth(n: u64) -> Large {
        Large { trade: Small::nth(n), _rest: [n; 10] }
    }

    fn quantity(&self) -> u64 {
        self.trade.quantity()
    }
}

// ANCHOR: ways
// Never inlined, like a matching function of a real engine: its result is passed in memory.
#[inline(never)]
fn in_vec<T: Element>(trades: u64) -> Vec<T> {
    let mut list = Vec::new();
    (0..trades).for_each(|n| list.push(T::nth(n)));
    list
}

#[inline(never)]
fn in_small_vec<T: Element>(trades: u64) -> SmallVec<[T; 8]> {
    let mut list = SmallVec::new();
    (0..trades).for_each(|n| list.push(T::nth(n)));
    list
}

#[inline(never)]
fn in_buffer<T: Element>(trades: u64, list: &mut Vec<T>) {
    list.clear();
    (0..trades).for_each(|n| list.push(T::nth(n)));
}

#[inline(never)]
fn in_arena<T: Element>(trades: u64, arena: &Bump) -> Vec<T> {
    let mut list = bumpalo::collections::Vec::new_in(arena);
    (0..trades).for_each(|n| list.push(T::nth(n)));
    list.to_vec()
}
// ANCHOR_END: ways

fn total<T: Element>(list: &[T]) -> u64 {
    black_box(list).iter().map(Element::quantity).sum()
}

fn repeat(orders: usize, trades: u64, mut order: impl FnMut(u64) -> u64) -> Sample {
    timed(orders, || (0..orders).map(|_| order(black_box(trades))).sum())
}

fn case<T: Element>(name: String, label: Words, trades: u64, orders: usize) -> Case {
    let mut buffer = Vec::<T>::new();
    let mut arena = Bump::new();
    Case::new(name, label)
        .with("vec", words("Vec", "Vec"), move || Ok(repeat(orders, trades, |trades| total(&in_vec::<T>(trades)))))
        .with("small_vec", words("SmallVec of 8", "SmallVec，内置 8 个"), move || {
            Ok(repeat(orders, trades, |trades| total(&in_small_vec::<T>(trades))))
        })
        .with("reused", words("a reused buffer", "复用的缓冲区"), move || {
            let order = |trades| {
                in_buffer(trades, &mut buffer);
                total(&buffer)
            };
            Ok(repeat(orders, trades, order))
        })
        .with("arena", words("an arena, copied out", "arena，再复制出来"), move || {
            let order = |trades| {
                let list = in_arena::<T>(trades, &arena);
                arena.reset();
                total(&list)
            };
            Ok(repeat(orders, trades, order))
        })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let mut cases = Vec::new();
    for trades in [1_u64, 10, 100, 1_000] {
        let orders = setting.size.of(8_000_000 / (trades as usize + 4)).max(3);
        let counted = crate::words::counted(trades as usize, ("trade", "trades"), "笔成交");
        let label = |bytes: &str| {
            words(format!("{} of {bytes} bytes", counted.en), format!("{}，每笔 {bytes} 字节", counted.zh))
        };
        cases.push(case::<Small>(format!("small_{trades}"), label("16"), trades, orders));
        cases.push(case::<Large>(format!("large_{trades}"), label("96"), trades, orders));
    }
    Ok(Prepared { cases, left_out: Vec::new() })
}
