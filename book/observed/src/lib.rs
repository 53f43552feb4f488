//! The books of 0x01 and 0x05, compiled again so that each of their reads and writes is noted.
//!
//! The sources are the chapters' own: `build.rs` writes them again with a note at each place that is read or written.
//! The chapters that are built and measured are not affected. A note has an address and a length; [`Cell`]s say what
//! is there. The containers of `std` that 0x01 uses are stand-ins here, which note what the real ones touch, with
//! their sizes.
//!
//! Not observed: what is passed in and out (the order, its fills, its events), the accounts, and the work of the
//! allocator.
#![forbid(unsafe_code)]

mod cells;
pub mod collections;
pub mod seen;

pub use cells::{Block, Cell, Cells, Touched, touched, unexplained};

/// The chapters' files, with notes.
macro_rules! chapter {
    ($module:literal: $($file:ident)*) => {
        $(
            #[allow(missing_docs, unused, clippy::all, clippy::unwrap_used, reason = "the chapter's own file, with notes")]
            pub mod $file {
                include!(concat!(env!("OUT_DIR"), "/", $module, "-", stringify!($file), ".rs"));
            }
        )*
    };
}

pub mod array;
pub mod array_cells;
pub mod naive;
pub mod naive_cells;
