//! The books of 0x01 and 0x05, compiled once more so that every read and write of theirs is noted.
//!
//! The sources are the chapters' own: `build.rs` writes them down again with a note at each place that is read or
//! written. What is built and measured as a chapter knows nothing of it. A note has an address and a length; what lies
//! there, [`Cell`]s say. The containers of `std` that 0x01 takes are stand-ins here, which note what those of `std`
//! touch, with their sizes.
//!
//! What is not observed: what is handed over and given back (the order, its fills, its events), the accounts, and the
//! work of the memory's allocator.
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
