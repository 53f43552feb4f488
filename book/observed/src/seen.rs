//! What is read and what is written, noted where it happens.

use std::cell::RefCell;

/// A read or a write of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The first byte's address, which is the process's own or one that [`home`] or [`block`] gave out.
    pub address: usize,
    /// How many bytes.
    pub bytes: usize,
    /// Whether they were written.
    pub is_write: bool,
}

impl Access {
    /// Whether it is of any of these bytes.
    pub fn meets(&self, address: usize, bytes: usize) -> bool {
        self.address < address + bytes && address < self.address + self.bytes
    }
}

/// The addresses given out begin here, where no process has memory of its own.
const FIRST: usize = usize::MAX / 2;

thread_local! {
    /// None while nobody looks.
    static ACCESSES: RefCell<Option<Vec<Access>>> = const { RefCell::new(None) };
    static NEXT: std::cell::Cell<usize> = const { std::cell::Cell::new(FIRST + 1) };
}

/// What `run` reads and writes, in its order.
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

/// Addresses for something that stands beside what came before it.
pub fn home(bytes: usize) -> usize {
    let home = NEXT.get();
    NEXT.set(home + bytes.next_multiple_of(8));
    home
}

/// Addresses for a block of memory. It begins on a line of its own.
pub fn block(bytes: usize) -> usize {
    NEXT.set(NEXT.get().next_multiple_of(64));
    home(bytes)
}

/// Where a place lies.
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

/// What is indexed. A vector or a box is read to know where its elements are, an array is where it is.
pub trait Base {
    /// Notes that.
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
