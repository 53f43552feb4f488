//! Checks of the tree itself.
//!
//! Chapters are near-copies. What keeps them honest is each one's manifest, which says what its step adds, changes
//! and removes and how many lines that may take ([`neighbours`]), and a few limits on every crate ([`rooms`]). No crate
//! and no module uses what uses it ([`circles`]), what is written has the same bytes everywhere ([`byte_order`]), and
//! what CI does stands in scripts ([`workflows`]).
//! `tests/repository.rs` asks all of this repository; each check's own tests show on made-up trees that it bites.
#![forbid(unsafe_code)]

pub mod byte_order;
pub mod circles;
pub mod files;
pub mod neighbours;
pub mod rooms;
pub mod uses;
pub mod workflows;
