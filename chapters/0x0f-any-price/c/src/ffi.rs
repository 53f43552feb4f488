//! The functions of `include/any_price.h`.
//!
//! A caller owns the result of `any_price_create` until it passes it to `any_price_destroy`. Nothing here unwinds into
//! C: no function of the ladder panics. If a callback does not return, the book is left in the middle of a command and
//! may only be destroyed. Invalid numbers (a side that is neither 0 nor 1) are rejected with `false`, and so is a null
//! pointer.

use std::ffi::c_void;

use any_price::contract::{Book, CancelReason, Command, Event, Receiver, RejectReason, Side, TimeInForce};
use any_price::ladder::Ladder;

/// An event; see the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyPriceEvent {
    /// 1 filled, 2 rested, 3 reduced, 4 cancelled, 5 rejected.
    pub kind: u32,
    /// Why it was cancelled or rejected, otherwise 0.
    pub reason: u32,
    /// The order; for a fill, the resting one.
    pub id: u64,
    /// For a fill, the incoming order; otherwise 0.
    pub taker: u64,
    /// For a fill and a resting order; otherwise 0.
    pub price: i64,
    /// The quantity.
    pub quantity: u32,
}

/// Receives the events.
pub type Callback = Option<unsafe extern "C" fn(context: *mut c_void, event: *const AnyPriceEvent)>;

/// A C function and the context to pass to it.
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
        // SAFETY: the caller of `any_price_*` passed a function of this type, and guarantees that it may be called with
        // this context during the call; the event lives until the function returns.
        unsafe { callback(self.context, &raw const event) }
    }
}

fn side(number: u32) -> Option<Side> {
    Side::BOTH.get(number as usize).copied()
}

fn time_in_force(number: u32) -> Option<TimeInForce> {
    [TimeInForce::Gtc, TimeInForce::Ioc, TimeInForce::Fok, TimeInForce::PostOnly].get(number as usize).copied()
}

/// Applies a command, if both the command and the book are valid.
///
/// # Safety
/// `book` is null or came from [`any_price_create`], was not destroyed, and no other thread uses it during the call.
unsafe fn apply(book: *mut Ladder, command: Option<Command>, callback: Callback, context: *mut c_void) -> bool {
    // SAFETY: guaranteed by the caller.
    let (Some(book), Some(command)) = (unsafe { book.as_mut() }, command) else { return false };
    book.apply(command, &mut Called { callback, context });
    true
}

/// A new book.
#[unsafe(no_mangle)]
pub extern "C" fn any_price_create() -> *mut Ladder {
    Box::into_raw(Box::default())
}

/// Destroys a book; null is allowed.
///
/// # Safety
/// `book` is null or came from [`any_price_create`], and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_destroy(book: *mut Ladder) {
    if !book.is_null() {
        // SAFETY: it came from `Box::into_raw`, and this is the only place where it is freed.
        drop(unsafe { Box::from_raw(book) });
    }
}

/// A new limit order.
///
/// # Safety
/// `book` as for [`any_price_destroy`], and no other thread uses it; `callback` may be called with `context`.
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
    // SAFETY: guaranteed by the caller.
    unsafe { apply(book, command, callback, context) }
}

/// A new market order.
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
    // SAFETY: guaranteed by the caller.
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
    // SAFETY: guaranteed by the caller.
    unsafe { apply(book, Some(Command::Cancel { id }), callback, context) }
}

/// Changes an order's price or quantity.
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
    // SAFETY: guaranteed by the caller.
    unsafe { apply(book, Some(Command::Replace { id, price, quantity }), callback, context) }
}

/// The best price of a side into `price`; false, and nothing written, if the side is empty.
///
/// # Safety
/// `book` as for [`any_price_limit`]; `price` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_best(book: *const Ladder, side_number: u32, price: *mut i64) -> bool {
    // SAFETY: guaranteed by the caller.
    let book = unsafe { book.as_ref() };
    let Some(best) = book.zip(side(side_number)).and_then(|(book, side)| book.best(side)) else { return false };
    // SAFETY: guaranteed by the caller.
    if let Some(price) = unsafe { price.as_mut() } {
        *price = best;
    }
    true
}

/// The quantity that rests at a price; 0 if the book or the side is invalid.
///
/// # Safety
/// `book` as for [`any_price_limit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn any_price_quantity_at(book: *const Ladder, side_number: u32, price: i64) -> u64 {
    // SAFETY: guaranteed by the caller.
    let book = unsafe { book.as_ref() };
    book.zip(side(side_number)).map_or(0, |(book, side)| book.quantity_at(side, price))
}
