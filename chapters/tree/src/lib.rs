//! Checks of the tree itself.
//!
//! Chapters are near-copies. Each one's manifest keeps them consistent: it says what its step adds, changes and
//! removes and how many lines that may take ([`neighbours`]). A few limits apply to every crate ([`rooms`]). No crate
//! and no module uses what uses it ([`circles`]), what is written has the same bytes everywhere ([`byte_order`]),
//! comments and messages are plain English ([`plain`]), and what CI does is in scripts ([`workflows`]).
//! `tests/repository.rs` runs all checks on this repository; each check's own tests show on made-up trees that it is
//! effective.
#![forbid(unsafe_code)]

pub mod byte_order;
pub mod circles;
pub mod files;
pub mod neighbours;
pub mod plain;
pub mod rooms;
pub mod uses;
pub mod workflows;
