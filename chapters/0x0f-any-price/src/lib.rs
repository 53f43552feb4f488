//! 0x0f: any price. What did we gain from 99 prices, and what does a book for any price cost?
//!
//! [`contract`] says what a book is asked and answers, [`model`] what is right. Three engines stand behind it:
//! [`tree_book`] and [`vector_book`], which share their queues ([`queue_book`]), and the [`ladder`]. [`flow`]s are what
//! they are measured with, [`orders_csv`] reads flows of your own, [`measure`] is what `cargo run --release` does.
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
