//! From an order's name to its place, whatever names clients choose, without ever growing all at once.
//!
//! A **bucket** is a cache line: twelve places, and for each a **tag** of seven bits of the name's hash, so that a look
//! at the line says, but for one look in some twenty, which order it is or that there is none. The hash is keyed with
//! numbers drawn when the book is made: who does not know them can't choose names that meet. Who finds their bucket
//! full is linked to it through the orders themselves.
//!
//! The table grows as **linear hashing** does (Litwin, 1980): whenever there are more than `LOAD` names a bucket,
//! one more bucket is added and takes its share from one other. No order waits for all names to move.
//! Costs: one line to find, to insert or to remove; a split reads the names of one bucket. Memory: 64 bytes for
//! `LOAD` names.

use std::hash::{BuildHasher, RandomState};

use crate::contract::Id;
use crate::ladder::blocks::{Blocks, Place};
use crate::ladder::slab::NONE;

/// How many names there are to a bucket, on average, at most. In what is not split yet there may be twice as many.
const LOAD: usize = 6;
/// How many names fit into a bucket.
const LANES: usize = 12;
/// How many buckets lie side by side: 4 KiB.
const CHUNK: usize = 64;

// ANCHOR: bucket
/// Places of names whose hashes begin alike, in a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Bucket {
    /// Seven other bits of each name's hash, plus two. Nobody is where 0 is.
    tags: [u8; LANES],
    /// The first of those who found no room.
    more: Place,
    places: [Place; LANES],
}

const _: () = assert!(size_of::<Bucket>() == 64, "a bucket is a cache line");
// ANCHOR_END: bucket

/// Finds orders by their names.
pub struct IdTable {
    chunks: Vec<Box<[Bucket; CHUNK]>>,
    /// How many buckets there are.
    buckets: usize,
    /// As many low bits of a hash as choose a bucket; where there is none yet, one bit less does.
    mask: usize,
    /// How many names there are.
    count: usize,
    key: [u64; 2],
}

impl Bucket {
    const EMPTY: Bucket = Bucket { tags: [0; LANES], more: NONE, places: [NONE; LANES] };

    // ANCHOR: lanes
    /// A lane that has this tag and whose place is the one. Eight tags are compared at once: a byte of a word turns
    /// its highest bit on when one is taken from it and it was 0. Both words' answers fit into one: a byte has a bit
    /// for lane n and one for lane n + 8.
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
            // Above a 0 a 1 looks like one, too; `is_it` tells.
            if is_it(self.places[lane]) {
                return Some(lane);
            }
            same &= same - 1;
        }
        None
    }
    // ANCHOR_END: lanes
}

/// Where in the table a name may stand. It holds until the next vacancy is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacancy {
    bucket: usize,
    tag: u8,
    /// Its lane; [`LANES`] when there is no room.
    lane: usize,
}

/// Where in the table a name is. It holds until the next vacancy is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where its order is.
    pub place: Place,
    /// Where it stands.
    at: Vacancy,
}

impl Default for IdTable {
    fn default() -> IdTable {
        let drawn = RandomState::new();
        IdTable::with_key([drawn.hash_one(0), drawn.hash_one(1)])
    }
}

impl IdTable {
    /// A table whose hash is keyed with these numbers. Nobody who chooses names may know them.
    pub fn with_key(key: [u64; 2]) -> IdTable {
        let first = vec![Bucket::EMPTY; CHUNK].into_boxed_slice().try_into();
        IdTable { chunks: first.into_iter().collect(), buckets: 1, mask: 0, count: 0, key: [key[0], key[1] | 1] }
    }

    // ANCHOR: hash
    /// The bucket of a name, and its tag: the halves of a product, folded.
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
    /// Where the order of this name is.
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

    /// The same for a name whose place is known.
    #[inline]
    pub fn find_at(&self, id: Id, place: Place) -> Found {
        let (bucket, tag) = self.hash(id);
        let lane = self.bucket(bucket).lane(tag, |other| other == place);
        Found { place, at: Vacancy { bucket, tag, lane: lane.unwrap_or(LANES) } }
    }

    /// Where a name may stand; none when it is there.
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

    /// The first lane that nobody is in.
    #[inline]
    fn room(&self, bucket: usize, tag: u8) -> Vacancy {
        Vacancy { bucket, tag, lane: self.bucket(bucket).lane(0, |_| true).unwrap_or(LANES) }
    }

    // ANCHOR: insert
    /// Adds a name where it may stand, with the place of its order.
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

    /// Removes a name. It may come back to where it stood.
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

    /// Puts a name where it belongs now.
    fn put_again(&mut self, id: Id, place: Place, blocks: &mut Blocks) {
        let (bucket, tag) = self.hash(id);
        self.put(self.room(bucket, tag), place, blocks);
    }

    // ANCHOR: split
    /// Adds a bucket, which takes its share from the one that had it until now.
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

    /// How many names there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many names found no room in their buckets.
    pub fn crowded(&self, blocks: &Blocks) -> usize {
        let first = self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|bucket| bucket.more);
        let chain = |place: Place| Some(place).filter(|place| *place != NONE);
        first.flat_map(|place| std::iter::successors(chain(place), |&place| chain(blocks.order(place).1.link))).count()
    }

    /// How many orders a look at a name's line leaves to be looked at: those with its tag.
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
