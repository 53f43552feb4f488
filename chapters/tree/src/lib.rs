//! Checks of the tree itself.
//!
//! Chapters are near-copies. What keeps them honest is each one's manifest, which says what its step adds, changes
//! and removes and how many lines that may take ([`neighbours`]), and a few limits on every crate ([`rooms`]).
//! `tests/repository.rs` asks both of this repository; each check's own tests show on made-up trees that it bites.
#![forbid(unsafe_code)]

pub mod files;
pub mod neighbours;
pub mod rooms;
