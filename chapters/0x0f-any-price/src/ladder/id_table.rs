//! Maps an order's id to its slot, for any ids that clients choose, and never grows all at once.
//!
//! A **bucket** is half a cache line: five slots, and for each a **tag** of seven bits of the id's hash, so that one
//! look at the bucket identifies the order, or shows that there is none, in all but about one of fifty cases. The hash is
//! keyed with random numbers drawn when the book is created: a client that does not know them cannot choose ids that
//! collide. Ids that find their bucket full are linked to it through the orders themselves.
//!
//! The table grows by **linear hashing** (Litwin, 1980): whenever there are more than `LOAD` ids per bucket, one bucket
//! is added and takes its share from one other. No order waits for all ids to move. Costs: one line to find, to insert
//! or to remove; a split reads the ids of one bucket. Memory: 32 bytes per `LOAD` ids.

use std::hash::{BuildHasher, RandomState};

use crate::contract::Id;
use crate::ladder::orders::Orders;
use crate::ladder::slab::{NONE, Slot};

/// The maximum average number of ids per bucket. A bucket that is not split yet may have twice as many.
const LOAD: usize = 2;
/// How many ids fit into a bucket.
const LANES: usize = 5;
/// How many buckets are allocated together: 4 KiB.
const CHUNK: usize = 128;

// ANCHOR: bucket
/// The slots of ids whose hashes start with the same bits.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Bucket {
    /// A byte per lane: seven other bits of its id's hash, plus two. 0 marks an empty lane. Three bytes have no lane.
    tags: u64,
    slots: [Slot; LANES],
    /// The first id that found no room.
    more: Slot,
}

const _: () = assert!(size_of::<Bucket>() == 32, "two buckets are a cache line");
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

/// A one in each byte.
const ONES: u64 = u64::from_le_bytes([1; 8]);

impl Bucket {
    const EMPTY: Bucket = Bucket { tags: 0xFFFF_FF00_0000_0000, slots: [NONE; LANES], more: NONE };

    // ANCHOR: lanes
    /// The highest bit of every byte that is this tag. Compares all tags at once: subtracting one from a byte sets its
    /// highest bit if it was 0. The lowest of these bits is right; a 1 above a 0 looks like a 0 too.
    #[inline(always)]
    fn lanes(&self, tag: u8) -> u64 {
        let differs = self.tags ^ (ONES * u64::from(tag));
        differs.wrapping_sub(ONES) & !differs & (ONES << 7)
    }

    /// The lane with this tag for which `is_it` holds.
    #[inline(always)]
    fn lane(&self, tag: u8, mut is_it: impl FnMut(Slot) -> bool) -> Option<(usize, Slot)> {
        let mut lanes = self.lanes(tag);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize / 8;
            let slot = *self.slots.get(lane)?;
            if is_it(slot) {
                return Some((lane, slot));
            }
            lanes &= lanes - 1;
        }
        None
    }
    // ANCHOR_END: lanes

    #[inline(always)]
    fn set(&mut self, lane: usize, tag: u8) {
        self.tags = self.tags & !(0xFF << (8 * lane)) | u64::from(tag) << (8 * lane);
    }
}

/// The bucket of an id, and its tag. Valid until the next [`IdTable::grow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    bucket: usize,
    tag: u8,
}

/// Where in the table an id is. Valid until the next [`IdTable::grow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The slot of its order.
    pub slot: Slot,
    bucket: usize,
    /// Its lane; [`LANES`] if the bucket is full.
    lane: usize,
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
    #[inline(always)]
    pub fn home(&self, id: Id) -> Home {
        let product = u128::from(id ^ self.key[0]) * u128::from(self.key[1]);
        let hash = product as u64 ^ (product >> 64) as u64;
        let bucket = hash as usize & self.mask;
        let bucket = if bucket < self.buckets { bucket } else { bucket & (self.mask >> 1) };
        Home { bucket, tag: (hash >> 57) as u8 + 2 }
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
    pub fn find(&self, id: Id, Home { bucket: number, tag }: Home, orders: &Orders) -> Option<Found> {
        let bucket = self.bucket(number);
        if let Some((lane, slot)) = bucket.lane(tag, |slot| orders.get(slot).id == id) {
            return Some(Found { slot, bucket: number, lane });
        }
        let mut slot = bucket.more;
        while slot != NONE && orders.get(slot).id != id {
            slot = orders.get(slot).link;
        }
        (slot != NONE).then_some(Found { slot, bucket: number, lane: LANES })
    }
    // ANCHOR_END: find

    /// The same for an id whose slot is known: reads no order.
    #[inline]
    pub fn find_at(&self, Home { bucket: number, tag }: Home, slot: Slot) -> Found {
        let lane = self.bucket(number).lane(tag, |other| other == slot).map_or(LANES, |(lane, _)| lane);
        Found { slot, bucket: number, lane }
    }

    // ANCHOR: insert
    /// Adds an id, which is not in the table, with the slot of its order.
    #[inline(always)]
    pub fn insert(&mut self, home: Home, slot: Slot, orders: &mut Orders) {
        self.count += 1;
        self.put(home, slot, orders);
    }

    #[inline(always)]
    fn put(&mut self, Home { bucket, tag }: Home, slot: Slot, orders: &mut Orders) {
        let bucket = self.bucket_mut(bucket);
        let lane = bucket.lanes(0).trailing_zeros() as usize / 8;
        match bucket.slots.get_mut(lane) {
            Some(free) => {
                *free = slot;
                bucket.set(lane, tag);
            }
            None => orders.get_mut(slot).link = std::mem::replace(&mut bucket.more, slot),
        }
    }

    /// Removes an id.
    #[inline(always)]
    pub fn remove(&mut self, found: Found, orders: &mut Orders) {
        self.count -= 1;
        if found.lane < LANES {
            self.bucket_mut(found.bucket).set(found.lane, 0);
        } else {
            self.unlink(found, orders);
        }
    }
    // ANCHOR_END: insert

    // ANCHOR: split
    /// Adds a bucket if there are too few. It takes its share from the bucket that had it until now.
    #[inline]
    pub fn grow(&mut self, orders: &mut Orders) {
        if self.count >= self.buckets * LOAD {
            self.split(orders);
        }
    }

    #[cold]
    #[inline(never)]
    fn split(&mut self, orders: &mut Orders) {
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
        for (lane, slot) in bucket.slots.into_iter().enumerate() {
            if bucket.tags >> (8 * lane) & 0xFF != 0 {
                self.put(self.home(orders.get(slot).id), slot, orders);
            }
        }
        let mut slot = bucket.more;
        while slot != NONE {
            let order = *orders.get(slot);
            self.put(self.home(order.id), slot, orders);
            slot = order.link;
        }
    }
    // ANCHOR_END: split

    #[cold]
    fn unlink(&mut self, Found { slot, bucket, .. }: Found, orders: &mut Orders) {
        let next = orders.get(slot).link;
        let bucket = self.bucket_mut(bucket);
        if bucket.more == slot {
            bucket.more = next;
            return;
        }
        let mut before = bucket.more;
        while orders.get(before).link != slot {
            before = orders.get(before).link;
        }
        orders.get_mut(before).link = next;
    }

    /// How many ids there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many ids found no room in their buckets.
    pub fn crowded(&self, orders: &Orders) -> usize {
        let first = self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|bucket| bucket.more);
        let chain = |slot: Slot| Some(slot).filter(|slot| *slot != NONE);
        first.flat_map(|slot| std::iter::successors(chain(slot), |&slot| chain(orders.get(slot).link))).count()
    }

    /// How many orders have to be checked for an id after looking at its line: those with its tag.
    pub fn likely(&self, id: Id) -> u32 {
        let Home { bucket, tag } = self.home(id);
        self.bucket(bucket).lanes(tag).count_ones()
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Bucket>() + self.chunks.capacity() * size_of::<usize>()
    }
}
