//! Maps an order's id to its location, for any ids that clients choose, and never grows all at once.
//!
//! A **bucket** is a cache line: twelve locations, and for each a **tag** of seven bits of the id's hash, so that one
//! look at the line identifies the order, or shows that there is none, in all but about one of twenty cases. The hash
//! is keyed with random numbers drawn when the book is created: without knowing them, nobody can choose ids that
//! collide. Ids that find their bucket full are linked to it through the orders themselves.
//!
//! The table grows by **linear hashing** (Litwin, 1980): whenever there are more than `LOAD` ids per bucket, one bucket
//! is added and takes its share from one other. No order waits for all ids to move. Costs: one line to find, to insert
//! or to remove; a split reads the ids of one bucket. Memory: 64 bytes per `LOAD` ids.

use std::hash::{BuildHasher, RandomState};

use crate::contract::Id;
use crate::ladder::blocks::{Blocks, Place};
use crate::ladder::slab::NONE;

/// The maximum average number of ids per bucket. A bucket that is not split yet may have twice as many.
const LOAD: usize = 6;
/// How many ids fit into a bucket.
const LANES: usize = 12;
/// How many buckets are allocated together: 4 KiB.
const CHUNK: usize = 64;

// ANCHOR: bucket
/// The locations of ids whose hashes start with the same bits, in a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Bucket {
    /// Seven other bits of each id's hash, plus two. 0 marks an empty lane.
    tags: [u8; LANES],
    /// The first id that found no room.
    more: Place,
    places: [Place; LANES],
}

const _: () = assert!(size_of::<Bucket>() == 64, "a bucket is a cache line");
// ANCHOR_END: bucket

/// Finds orders by their ids.
pub struct IdTable {
    chunks: Vec<Box<[Bucket; CHUNK]>>,
    /// How many buckets there are.
    buckets: usize,
    /// How many low bits of a hash choose a bucket; if that bucket does not exist yet, one bit fewer.
    mask: usize,
    /// How many ids there are.
    count: usize,
    key: [u64; 2],
}

impl Bucket {
    const EMPTY: Bucket = Bucket { tags: [0; LANES], more: NONE, places: [NONE; LANES] };

    // ANCHOR: lanes
    /// The lane with this tag for which `is_it` holds. Compares eight tags at once: subtracting one from a byte sets
    /// its highest bit if it was 0. The results of both words fit into one: each byte has a bit for lane n and one for
    /// lane n + 8.
    #[inline(always)]
    fn lane(&self, tag: u8, mut is_it: impl FnMut(Place) -> bool) -> Option<usize> {
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        let same = |tags: [u8; 8]| {
            let differs = u64::from_le_bytes(tags) ^ (ONES * u64::from(tag));
            differs.wrapping_sub(ONES) & !differs & (ONES << 7)
        };
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.tags;
        // No tag is 0xFF.
        let mut same = same([a, b, c, d, e, f, g, h]) >> 7 | same([i, j, k, l, 0xFF, 0xFF, 0xFF, 0xFF]) >> 6;
        while same != 0 {
            let bit = same.trailing_zeros() as usize;
            let lane = bit / 8 + bit % 8 * 8;
            // A 1 above a 0 looks like a match too; `is_it` decides.
            if is_it(self.places[lane]) {
                return Some(lane);
            }
            same &= same - 1;
        }
        None
    }
    // ANCHOR_END: lanes
}

/// Where in the table an id can go. Valid until the next search for a vacancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacancy {
    bucket: usize,
    tag: u8,
    /// Its lane; [`LANES`] if the bucket is full.
    lane: usize,
}

/// Where in the table an id is. Valid until the next search for a vacancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The location of its order.
    pub place: Place,
    /// Its slot in the table.
    at: Vacancy,
}

impl Default for IdTable {
    fn default() -> IdTable {
        let drawn = RandomState::new();
        IdTable::with_key([drawn.hash_one(0), drawn.hash_one(1)])
    }
}

impl IdTable {
    /// A table whose hash is keyed with these numbers. They must be unknown to the clients who choose ids.
    pub fn with_key(key: [u64; 2]) -> IdTable {
        let first = vec![Bucket::EMPTY; CHUNK].into_boxed_slice().try_into();
        IdTable { chunks: first.into_iter().collect(), buckets: 1, mask: 0, count: 0, key: [key[0], key[1] | 1] }
    }

    // ANCHOR: hash
    /// The bucket of an id, and its tag: the halves of a product, folded.
    #[inline]
    fn hash(&self, id: Id) -> (usize, u8) {
        let product = u128::from(id ^ self.key[0]) * u128::from(self.key[1]);
        let hash = product as u64 ^ (product >> 64) as u64;
        let bucket = hash as usize & self.mask;
        let bucket = if bucket < self.buckets { bucket } else { bucket & (self.mask >> 1) };
        (bucket, (hash >> 57) as u8 + 2)
    }
    // ANCHOR_END: hash

    #[inline]
    fn bucket(&self, number: usize) -> &Bucket {
        &self.chunks[number / CHUNK][number % CHUNK]
    }

    #[inline]
    fn bucket_mut(&mut self, number: usize) -> &mut Bucket {
        &mut self.chunks[number / CHUNK][number % CHUNK]
    }

    // ANCHOR: find
    /// Finds the order with this id.
    #[inline(always)]
    pub fn find(&self, id: Id, blocks: &Blocks) -> Option<Found> {
        let (number, tag) = self.hash(id);
        let bucket = self.bucket(number);
        if let Some(lane) = bucket.lane(tag, |place| blocks.order(place).1.id == id) {
            return Some(Found { place: bucket.places[lane], at: Vacancy { bucket: number, tag, lane } });
        }
        let mut place = bucket.more;
        while place != NONE && blocks.order(place).1.id != id {
            place = blocks.order(place).1.link;
        }
        (place != NONE).then_some(Found { place, at: Vacancy { bucket: number, tag, lane: LANES } })
    }
    // ANCHOR_END: find

    /// The same for an id whose location is known.
    #[inline]
    pub fn find_at(&self, id: Id, place: Place) -> Found {
        let (bucket, tag) = self.hash(id);
        let lane = self.bucket(bucket).lane(tag, |other| other == place);
        Found { place, at: Vacancy { bucket, tag, lane: lane.unwrap_or(LANES) } }
    }

    /// Where an id can go; none if it is in the table.
    #[inline(always)]
    pub fn vacancy(&mut self, id: Id, blocks: &mut Blocks) -> Option<Vacancy> {
        if self.count >= self.buckets * LOAD {
            self.split(blocks);
        }
        if self.find(id, blocks).is_some() {
            return None;
        }
        let (bucket, tag) = self.hash(id);
        Some(self.room(bucket, tag))
    }

    /// The first empty lane.
    #[inline]
    fn room(&self, bucket: usize, tag: u8) -> Vacancy {
        Vacancy { bucket, tag, lane: self.bucket(bucket).lane(0, |_| true).unwrap_or(LANES) }
    }

    // ANCHOR: insert
    /// Adds an id at a vacancy, with the location of its order.
    #[inline]
    pub fn insert(&mut self, vacancy: Vacancy, place: Place, blocks: &mut Blocks) {
        self.count += 1;
        self.put(vacancy, place, blocks);
    }

    #[inline]
    fn put(&mut self, Vacancy { bucket, tag, lane }: Vacancy, place: Place, blocks: &mut Blocks) {
        let bucket = self.bucket_mut(bucket);
        if lane < LANES {
            (bucket.tags[lane], bucket.places[lane]) = (tag, place);
        } else {
            blocks.order_mut(place).1.link = std::mem::replace(&mut bucket.more, place);
        }
    }

    /// Removes an id. It may be inserted again at the same vacancy.
    #[inline]
    pub fn remove(&mut self, found: Found, blocks: &mut Blocks) -> Vacancy {
        self.count -= 1;
        let Vacancy { bucket, lane, .. } = found.at;
        if lane < LANES {
            self.bucket_mut(bucket).tags[lane] = 0;
        } else {
            self.unlink(found, blocks);
        }
        found.at
    }
    // ANCHOR_END: insert

    /// Moves an id to where it belongs now.
    fn put_again(&mut self, id: Id, place: Place, blocks: &mut Blocks) {
        let (bucket, tag) = self.hash(id);
        self.put(self.room(bucket, tag), place, blocks);
    }

    // ANCHOR: split
    /// Adds a bucket, which takes its share from the bucket that had it until now.
    #[cold]
    fn split(&mut self, blocks: &mut Blocks) {
        if self.buckets > self.mask {
            self.mask = 2 * self.mask + 1;
        }
        if self.buckets == self.chunks.len() * CHUNK
            && let Ok(chunk) = vec![Bucket::EMPTY; CHUNK].into_boxed_slice().try_into()
        {
            self.chunks.push(chunk);
        }
        let old = self.buckets & (self.mask >> 1);
        let bucket = std::mem::replace(self.bucket_mut(old), Bucket::EMPTY);
        self.buckets += 1;
        for lane in (0..LANES).filter(|&lane| bucket.tags[lane] != 0) {
            let place = bucket.places[lane];
            self.put_again(blocks.order(place).1.id, place, blocks);
        }
        let mut place = bucket.more;
        while place != NONE {
            let order = *blocks.order(place).1;
            self.put_again(order.id, place, blocks);
            place = order.link;
        }
    }
    // ANCHOR_END: split

    #[cold]
    fn unlink(&mut self, Found { place, at }: Found, blocks: &mut Blocks) {
        let next = blocks.order(place).1.link;
        let bucket = self.bucket_mut(at.bucket);
        if bucket.more == place {
            bucket.more = next;
            return;
        }
        let mut before = bucket.more;
        while blocks.order(before).1.link != place {
            before = blocks.order(before).1.link;
        }
        blocks.order_mut(before).1.link = next;
    }

    /// How many ids there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many ids found no room in their buckets.
    pub fn crowded(&self, blocks: &Blocks) -> usize {
        let first = self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|bucket| bucket.more);
        let chain = |place: Place| Some(place).filter(|place| *place != NONE);
        first.flat_map(|place| std::iter::successors(chain(place), |&place| chain(blocks.order(place).1.link))).count()
    }

    /// How many orders have to be checked for an id after looking at its line: those with its tag.
    pub fn likely(&self, id: Id) -> usize {
        let (bucket, tag) = self.hash(id);
        let mut likely = 0;
        self.bucket(bucket).lane(tag, |_| {
            likely += 1;
            false
        });
        likely
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Bucket>() + self.chunks.capacity() * size_of::<usize>()
    }
}
