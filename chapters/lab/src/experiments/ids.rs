//! Maps an order's id to its place: with SipHash, a fast hash, or no hash.
//!
//! **Expected:** the standard map's hash resists attackers and is slow, so a faster hash makes lookups fast.
//!
//! **Compared:** lookups of random ids among 10,000 and among 1,000,000 live orders, in a `HashMap` with SipHash, the
//! same with `rustc-hash`, and a table in which the id is the index. The contract counts orders from 1, so ids are
//! dense.
//!
//! **Left out:** inserts and removes; ids that an attacker chooses, which are what SipHash is for; and lookups that
//! wait for each other. These don't, so the processor works on several at a time.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hint::black_box;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, timed};
use crate::pattern::Pattern;
use crate::words::{counted, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ids",
    title: ("Does a faster hash make an id's lookup fast?", "换一个更快的哈希，按 id 查找就快了吗？"),
    per: ("a lookup", "每次查找"),
    on_request: false,
    prepare,
};

/// The place of an order by its id: any place, but not in the order of the ids.
fn place_of(id: usize) -> u32 {
    (id as u32).wrapping_mul(2_654_435_761)
}

fn find_all(asked: &[u32], find: impl Fn(u32) -> Option<u32>) -> Sample {
    timed(asked.len(), || asked.iter().filter_map(|&id| find(black_box(id))).map(u64::from).sum())
}

fn in_map<S: BuildHasher>(asked: &[u32], map: &HashMap<u64, u32, S>) -> Sample {
    find_all(asked, |id| map.get(&u64::from(id)).copied())
}

fn case(name: &str, live: usize, lookups: usize) -> Case {
    let asked: [Arc<Vec<u32>>; 3] = {
        let asked = Arc::new(Pattern::list(3, lookups, live));
        std::array::from_fn(|_| Arc::clone(&asked))
    };
    let [by_sip, by_fx, by_index] = asked;
    let sip: HashMap<u64, u32> = (0..live).map(|id| (id as u64, place_of(id))).collect();
    let fx: FxHashMap<u64, u32> = (0..live).map(|id| (id as u64, place_of(id))).collect();
    let dense: Vec<u32> = (0..live).map(place_of).collect();
    Case::new(name, counted(live, ("live order", "live orders"), "张活动订单"))
        .with("sip_hash", words("HashMap, SipHash", "HashMap，SipHash"), move || Ok(in_map(&by_sip, &sip)))
        .with("rustc_hash", words("HashMap, rustc-hash", "HashMap，rustc-hash"), move || Ok(in_map(&by_fx, &fx)))
        .with("dense", words("dense table", "按下标直取的表"), move || {
            Ok(find_all(&by_index, |id| dense.get(id as usize).copied()))
        })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let lookups = setting.size.of(4_000_000);
    let live = |full: usize| if lookups < 10_000 { full / 1_000 } else { full };
    let cases = vec![case("few", live(10_000), lookups), case("many", live(1_000_000), lookups)];
    Ok(Prepared { cases, left_out: Vec::new() })
}
