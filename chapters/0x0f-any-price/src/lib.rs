//! 0x0f: any price. What did 99 prices gain us, and what does a book for any price cost?
//!
//! [`contract`] defines the commands and events of a book, [`model`] the expected behaviour. Three engines implement
//! it: [`tree_book`] and [`vector_book`], which share their queues ([`queue_book`]), and the [`ladder`]. [`flow`]s are
//! the workloads, [`orders_csv`] reads flows of your own, [`measure`] is what `cargo run --release` does.
#![forbid(unsafe_code)]

pub mod contract;
pub mod flow;
pub mod fuzz;
pub mod ladder;
pub mod measure;
pub mod model;
pub mod orders_csv;
pub mod queue_book;
pub mod tree_book;
pub mod vector_book;
