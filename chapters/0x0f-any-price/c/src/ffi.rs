//! The functions of `include/any_price.h`.
//!
//! A caller owns the result of `any_price_create` until it passes it to `any_price_destroy`. Nothing here unwinds into
//! C: no function of the ladder panics. A callback has to return. A C++ exception that leaves it ends the process. If it
//! leaves with `longjmp`, the book is in the middle of a command and may only be destroyed. A null pointer is refused:
//! nothing is done.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use any_price::contract::{Book as _, Side};

use crate::words::{AnyPriceBook, AnyPriceCommand, AnyPriceEvent};

/// Receives the events.
pub type Callback = Option<unsafe extern "C" fn(context: *mut c_void, event: *const AnyPriceEvent)>;

/// A new book.
#[unsafe(no_mangle)]
pub extern "C" fn any_price_create() -> *mut AnyPriceBook {
    Box::into_raw(Box::default())
}

/// Destroys a book; null is allowed.
///
/// # Safety
/// `book` is null or came from [`any_price_create`], and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_destroy(book: *mut AnyPriceBook) {
    if !book.is_null() {
        // SAFETY: it came from `Box::into_raw`, and this is the only place where it is freed.
        drop(unsafe { Box::from_raw(book) });
    }
}

/// Applies a command, and calls the callback with each event, after the events of a batch that found no room. Without a
/// callback the command's events are lost, and those of a batch go on waiting. False, and nothing done, if the book or the
/// command is null.
///
/// # Safety
/// `book` as for [`any_price_destroy`], and no other thread uses it during the call; `command` is null or aligned and
/// initialised; `callback` is null or may be called with `context`, and returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_apply(
    book: *mut AnyPriceBook,
    command: *const AnyPriceCommand,
    callback: Callback,
    context: *mut c_void,
) -> bool {
    // SAFETY: guaranteed by the caller.
    let (Some(book), Some(command)) = (unsafe { book.as_mut() }, unsafe { command.as_ref() }) else { return false };
    let Some(callback) = callback else {
        book.apply_untold(command);
        return true;
    };
    book.apply(command, |event| {
        // SAFETY: the caller guarantees that the callback may be called with this context during the call; the event
        // lives until it returns.
        unsafe { callback(context, &raw const event) }
    });
    true
}

/// Applies commands in order until all are done or the array of events is full. Returns how many are done, and writes
/// into `written` how many events there are. Events that found no room come first in the next call. 0, and nothing
/// done, if the book, the events or `written` is null, or the commands are null and `count` is not 0.
///
/// # Safety
/// `book` as for [`any_price_apply`]; `commands` is null or an initialised array of `count`, `events` is null or an array
/// of `room` that may be written, `written` is null or may be written. Events and `written` need not be initialised. All
/// are aligned, and none of them overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_batch(
    book: *mut AnyPriceBook,
    commands: *const AnyPriceCommand,
    count: usize,
    events: *mut MaybeUninit<AnyPriceEvent>,
    room: usize,
    written: *mut usize,
) -> usize {
    // SAFETY: guaranteed by the caller.
    let (Some(book), false) = (unsafe { book.as_mut() }, written.is_null()) else { return 0 };
    // SAFETY: it is not null, and the caller guarantees that it may be written.
    unsafe { written.write(0) };
    if events.is_null() || commands.is_null() && count > 0 {
        return 0;
    }
    let commands = match count {
        // An empty vector of C++ may have no array at all.
        0 => &[],
        // SAFETY: it is not null, and the caller guarantees its length and that nothing else writes it.
        _ => unsafe { std::slice::from_raw_parts(commands, count) },
    };
    // SAFETY: it is not null, and the caller guarantees its length and that nothing else uses it. It need not be
    // initialised.
    let events = unsafe { std::slice::from_raw_parts_mut(events, room) };
    let (done, events) = book.batch(commands, events);
    // SAFETY: as above.
    unsafe { written.write(events) };
    done
}

/// The best price of a side into `price`; false, and nothing written, if the side is empty.
///
/// # Safety
/// `book` as for [`any_price_apply`]; `price` is null or aligned, and may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_best(book: *const AnyPriceBook, side: u32, price: *mut i64) -> bool {
    // SAFETY: guaranteed by the caller.
    let book = unsafe { book.as_ref() };
    let Some(best) = book.zip(side_of(side)).and_then(|(book, side)| book.ladder.best(side)) else { return false };
    if !price.is_null() {
        // SAFETY: it is not null, and the caller guarantees that it may be written. It need not be initialised.
        unsafe { price.write(best) };
    }
    true
}

/// The quantity that rests at a price; 0 if the book or the side is invalid.
///
/// # Safety
/// `book` as for [`any_price_apply`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_quantity_at(book: *const AnyPriceBook, side: u32, price: i64) -> u64 {
    // SAFETY: guaranteed by the caller.
    let book = unsafe { book.as_ref() };
    book.zip(side_of(side)).map_or(0, |(book, side)| book.ladder.quantity_at(side, price))
}

fn side_of(number: u32) -> Option<Side> {
    Side::BOTH.get(number as usize).copied()
}
