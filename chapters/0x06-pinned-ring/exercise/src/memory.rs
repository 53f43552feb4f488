//! The parts of the machine that the ring uses: shared ownership, atomics, and slots of raw memory.
//!
//! The ring uses nothing else from `std`, so that the model check can give it `loom`'s atomics and
//! watched slots instead (`tests/ring_loom.rs`) without one `cfg` in the ring.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A circle of slots. A position counts up forever; its slot is `position % capacity`.
///
/// Slots do not synchronise: the ring decides who may write or read which slot, and when.
#[allow(dead_code)] // until you use it
pub struct Slots<T>(Box<[UnsafeCell<MaybeUninit<T>>]>);

// SAFETY: shared slots are reached only through `write` and `read`, whose callers promise that no
// slot is written while another thread uses it. The rest is that `T` moves to another thread
// (`Send`), and that several consumers read the same `T` at once (`Sync`).
unsafe impl<T: Send + Sync> Sync for Slots<T> {}

impl<T: Copy> Slots<T> {
    /// Allocates the slots and touches every page of them: a first touch costs 1 to 3 µs, which no
    /// command should have to wait for.
    ///
    /// # Panics
    /// Panics unless `capacity` is a power of two (then a mask finds the slot, not a division).
    pub fn new(_capacity: usize) -> Slots<T> {
        todo!("step 1: the ring")
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        todo!("step 1: the ring")
    }

    /// Copies `items` into the slots from `position` on.
    ///
    /// # Safety
    /// There are no more `items` than slots, and no other thread uses these slots meanwhile.
    pub unsafe fn write(&self, _position: u64, _items: &[T]) {
        todo!("step 1: the ring")
    }

    /// The items from `position` on, in place: `count` of them, or fewer where the circle's end cuts them in two.
    ///
    /// # Safety
    /// These slots have been written, and no thread writes them while the slice is alive.
    pub unsafe fn read(&self, _position: u64, _count: usize) -> &[T] {
        todo!("step 1: the ring")
    }
}
