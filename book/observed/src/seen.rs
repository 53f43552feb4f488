//! Reads and writes, noted where they happen.

use std::cell::RefCell;

/// A read or a write of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The first byte's address, which is the process's own or one that [`home`] or [`block`] assigned.
    pub address: usize,
    /// How many bytes.
    pub bytes: usize,
    /// Whether they were written.
    pub is_write: bool,
}

impl Access {
    /// Whether it touches any of these bytes.
    pub fn meets(&self, address: usize, bytes: usize) -> bool {
        self.address < address + bytes && address < self.address + self.bytes
    }
}

/// Assigned addresses begin here, where no process has its own memory.
const FIRST: usize = usize::MAX / 2;

thread_local! {
    /// `None` while nothing is recorded.
    static ACCESSES: RefCell<Option<Vec<Access>>> = const { RefCell::new(None) };
    static NEXT: std::cell::Cell<usize> = const { std::cell::Cell::new(FIRST + 1) };
}

/// What `run` reads and writes, in order.
pub fn during<R>(run: impl FnOnce() -> R) -> (R, Vec<Access>) {
    ACCESSES.set(Some(Vec::new()));
    let result = run();
    (result, ACCESSES.take().unwrap_or_default())
}

/// Notes an access.
pub fn note(address: usize, bytes: usize, is_write: bool) {
    ACCESSES
        .with_borrow_mut(|accesses| accesses.iter_mut().for_each(|all| all.push(Access { address, bytes, is_write })));
}

/// Assigns addresses directly after the last ones.
pub fn home(bytes: usize) -> usize {
    let home = NEXT.get();
    NEXT.set(home + bytes.next_multiple_of(8));
    home
}

/// Assigns addresses for a block of memory. It begins on its own line.
pub fn block(bytes: usize) -> usize {
    NEXT.set(NEXT.get().next_multiple_of(64));
    home(bytes)
}

/// The address of a place.
pub fn address<T: ?Sized>(place: &T) -> usize {
    std::ptr::from_ref(place).cast::<u8>().addr()
}

/// A place that is read.
pub fn read<T: ?Sized>(place: &T) -> &T {
    note(address(place), size_of_val(place), false);
    place
}

/// A place that is written.
pub fn written<T>(place: &mut T) -> &mut T {
    note(address(place), size_of::<T>(), true);
    place
}

/// A place that is read and written.
pub fn changed<T>(place: &mut T) -> &mut T {
    read(place);
    written(place)
}

/// Puts a value in the place of another.
pub fn replace<T>(place: &mut T, value: T) -> T {
    std::mem::replace(changed(place), value)
}

/// Takes the last element of a vector.
pub fn pop<T>(list: &mut Vec<T>) -> Option<T> {
    read(list);
    read(list.last()?);
    written(list).pop()
}

/// Adds an element to a vector.
pub fn push<T>(list: &mut Vec<T>, value: T) {
    changed(list).push(value);
    list.last_mut().map(written);
}

/// Something that is indexed. A vector or a box is read to find its elements, an array is at its own
/// address.
pub trait Base {
    /// Notes that read.
    fn note(&self) {}
}

impl<T, const LEN: usize> Base for [T; LEN] {}

impl<T> Base for Vec<T> {
    fn note(&self) {
        read(self);
    }
}

impl<T: ?Sized> Base for Box<T> {
    fn note(&self) {
        read(self);
    }
}

/// Something is indexed.
pub fn base(base: &impl Base) {
    base.note();
}
