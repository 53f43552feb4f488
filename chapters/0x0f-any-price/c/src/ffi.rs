//! The functions of `include/any_price.h`.
//!
//! A caller owns what `any_price_create` returns until it gives it to `any_price_destroy`. Nothing here unwinds into C:
//! no function of the ladder panics, and a callback that does not return leaves the book as it is in the middle of
//! its command, to be destroyed and nothing else. Numbers that mean nothing (a side that is neither 0 nor 1) are
//! refused with `false`, and so is a null pointer.

use std::ffi::c_void;

use any_price::contract::{Book, CancelReason, Command, Event, Receiver, RejectReason, Side, TimeInForce};
use any_price::ladder::Ladder;

/// An answer; see the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyPriceEvent {
    /// 1 filled, 2 rested, 3 reduced, 4 cancelled, 5 rejected.
    pub kind: u32,
    /// Why it was cancelled or rejected, else 0.
    pub reason: u32,
    /// The order; of a fill, the one that rested.
    pub id: u64,
    /// Of a fill, the order that came; else 0.
    pub taker: u64,
    /// Of a fill and of an order that rests; else 0.
    pub price: i64,
    /// How much.
    pub quantity: u32,
}

/// Takes the answers.
pub type Callback = Option<unsafe extern "C" fn(context: *mut c_void, event: *const AnyPriceEvent)>;

/// A C function and what it wants to be given.
struct Called {
    callback: Callback,
    context: *mut c_void,
}

impl Receiver for Called {
    fn event(&mut self, event: Event) {
        let Some(callback) = self.callback else { return };
        let none = AnyPriceEvent { kind: 0, reason: 0, id: 0, taker: 0, price: 0, quantity: 0 };
        let event = match event {
            Event::Filled { maker, taker, price, quantity } => {
                AnyPriceEvent { kind: 1, id: maker, taker, price, quantity, ..none }
            }
            Event::Rested { id, price, quantity } => AnyPriceEvent { kind: 2, id, price, quantity, ..none },
            Event::Reduced { id, quantity } => AnyPriceEvent { kind: 3, id, quantity, ..none },
            Event::Cancelled { id, quantity, reason } => {
                let reason = match reason {
                    CancelReason::Asked => 1,
                    CancelReason::Replaced => 2,
                    CancelReason::ImmediateOrCancel => 3,
                    CancelReason::NoLiquidity => 4,
                };
                AnyPriceEvent { kind: 4, reason, id, quantity, ..none }
            }
            Event::Rejected { id, reason } => {
                let reason = match reason {
                    RejectReason::ZeroQuantity => 1,
                    RejectReason::DuplicateId => 2,
                    RejectReason::UnknownId => 3,
                    RejectReason::WouldCross => 4,
                    RejectReason::CannotFill => 5,
                };
                AnyPriceEvent { kind: 5, reason, id, ..none }
            }
        };
        // SAFETY: the caller of `any_price_*` gave a function of this type, and promised that it may be called with
        // this context while the call lasts; the event lives until the function returns.
        unsafe { callback(self.context, &raw const event) }
    }
}

fn side(number: u32) -> Option<Side> {
    Side::BOTH.get(number as usize).copied()
}

fn time_in_force(number: u32) -> Option<TimeInForce> {
    [TimeInForce::Gtc, TimeInForce::Ioc, TimeInForce::Fok, TimeInForce::PostOnly].get(number as usize).copied()
}

/// Applies a command, if there is one and a book.
///
/// # Safety
/// `book` is null or came from [`any_price_create`], was not destroyed, and nobody else uses it meanwhile.
unsafe fn apply(book: *mut Ladder, command: Option<Command>, callback: Callback, context: *mut c_void) -> bool {
    // SAFETY: what the caller promises.
    let (Some(book), Some(command)) = (unsafe { book.as_mut() }, command) else { return false };
    book.apply(command, &mut Called { callback, context });
    true
}

/// A new book.
#[unsafe(no_mangle)]
pub extern "C" fn any_price_create() -> *mut Ladder {
    Box::into_raw(Box::default())
}

/// Ends a book; null is fine.
///
/// # Safety
/// `book` is null or came from [`any_price_create`], and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_destroy(book: *mut Ladder) {
    if !book.is_null() {
        // SAFETY: it came from `Box::into_raw`, and this is the only time that it is given back.
        drop(unsafe { Box::from_raw(book) });
    }
}

/// A new order with a limit.
///
/// # Safety
/// `book` as for [`any_price_destroy`], with nobody else using it; `callback` may be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_limit(
    book: *mut Ladder,
    id: u64,
    side_number: u32,
    price: i64,
    quantity: u32,
    time_in_force_number: u32,
    callback: Callback,
    context: *mut c_void,
) -> bool {
    let command = side(side_number)
        .zip(time_in_force(time_in_force_number))
        .map(|(side, time_in_force)| Command::Limit { id, side, price, quantity, time_in_force });
    // SAFETY: what the caller promises.
    unsafe { apply(book, command, callback, context) }
}

/// A new order without a limit.
///
/// # Safety
/// As for [`any_price_limit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_market(
    book: *mut Ladder,
    id: u64,
    side_number: u32,
    quantity: u32,
    callback: Callback,
    context: *mut c_void,
) -> bool {
    let command = side(side_number).map(|side| Command::Market { id, side, quantity });
    // SAFETY: what the caller promises.
    unsafe { apply(book, command, callback, context) }
}

/// Cancels an order.
///
/// # Safety
/// As for [`any_price_limit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_cancel(
    book: *mut Ladder,
    id: u64,
    callback: Callback,
    context: *mut c_void,
) -> bool {
    // SAFETY: what the caller promises.
    unsafe { apply(book, Some(Command::Cancel { id }), callback, context) }
}

/// Gives an order another price or quantity.
///
/// # Safety
/// As for [`any_price_limit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_replace(
    book: *mut Ladder,
    id: u64,
    price: i64,
    quantity: u32,
    callback: Callback,
    context: *mut c_void,
) -> bool {
    // SAFETY: what the caller promises.
    unsafe { apply(book, Some(Command::Replace { id, price, quantity }), callback, context) }
}

/// The best price of a side into `price`; false, and nothing written, when nobody is there.
///
/// # Safety
/// `book` as for [`any_price_limit`]; `price` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_best(book: *const Ladder, side_number: u32, price: *mut i64) -> bool {
    // SAFETY: what the caller promises.
    let book = unsafe { book.as_ref() };
    let Some(best) = book.zip(side(side_number)).and_then(|(book, side)| book.best(side)) else { return false };
    // SAFETY: what the caller promises.
    if let Some(price) = unsafe { price.as_mut() } {
        *price = best;
    }
    true
}

/// How much rests at a price; 0 where there is no book or no such side.
///
/// # Safety
/// `book` as for [`any_price_limit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_quantity_at(book: *const Ladder, side_number: u32, price: i64) -> u64 {
    // SAFETY: what the caller promises.
    let book = unsafe { book.as_ref() };
    book.zip(side(side_number)).map_or(0, |(book, side)| book.quantity_at(side, price))
}
