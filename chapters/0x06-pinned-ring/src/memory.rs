//! The parts of the machine that the ring uses: shared ownership, atomics, and slots of raw memory.
//!
//! The ring uses nothing else from `std`, so that the model check can give it `loom`'s atomics and
//! watched slots instead (`tests/ring_loom.rs`) without one `cfg` in the ring.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::{ptr, slice};

pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A circle of slots. A position counts up forever; its slot is `position % capacity`.
///
/// Slots do not synchronise: the ring decides who may write or read which slot, and when.
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
    pub fn new(capacity: usize) -> Slots<T> {
        assert!(capacity.is_power_of_two(), "a ring's capacity must be a power of two, not {capacity}");
        let mut cells = Vec::with_capacity(capacity);
        // Without this the compiler may request zeroed memory and skip the writing: then the system
        // only promises the pages, and provides each at its first touch.
        black_box(cells.as_mut_ptr());
        cells.resize_with(capacity, || UnsafeCell::new(MaybeUninit::zeroed()));
        Slots(cells.into_boxed_slice())
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.0.len()
    }

    /// Copies `items` into the slots from `position` on.
    ///
    /// # Safety
    /// There are no more `items` than slots, and no other thread uses these slots meanwhile.
    #[inline]
    pub unsafe fn write(&self, position: u64, items: &[T]) {
        debug_assert!(items.len() <= self.capacity());
        let start = self.index(position);
        // SAFETY: `index` is inside the allocation.
        let target = unsafe { self.first().add(start) };
        if let [item] = items {
            // A plain store: a copy whose length is known only at run time would be a call. SAFETY:
            // the caller promises that no other thread uses this slot.
            return unsafe { target.write(*item) };
        }
        let (before_wrap, after_wrap) = items.split_at(items.len().min(self.capacity() - start));
        // SAFETY: `start + before_wrap.len()` and `after_wrap.len()` are at most the capacity, so
        // both copies stay inside the allocation; the caller promises that no other thread uses
        // these slots, so `items` does not lie in them either.
        unsafe {
            ptr::copy_nonoverlapping(before_wrap.as_ptr(), target, before_wrap.len());
            ptr::copy_nonoverlapping(after_wrap.as_ptr(), self.first(), after_wrap.len());
        }
    }

    /// The items from `position` on, in place: `count` of them, or fewer where the circle's end cuts them in two.
    ///
    /// # Safety
    /// These slots have been written, and no thread writes them while the slice is alive.
    #[inline]
    pub unsafe fn read(&self, position: u64, count: usize) -> &[T] {
        let start = self.index(position);
        let count = count.min(self.capacity() - start);
        // SAFETY: `start + count` is at most the capacity; the caller promises that the slots hold
        // items and do not change.
        unsafe { slice::from_raw_parts(self.first().add(start), count) }
    }

    #[inline]
    fn index(&self, position: u64) -> usize {
        position as usize & (self.capacity() - 1)
    }

    /// The first slot. `UnsafeCell` and `MaybeUninit` have the layout of what they hold, and the
    /// cell is what permits writing through a shared reference.
    #[inline]
    fn first(&self) -> *mut T {
        self.0.as_ptr().cast_mut().cast()
    }
}
