//! What feed, tap and readers share is made of: atomics, fences and shared ownership.
//!
//! [`ring`](crate::ring) and [`shown`](crate::shown) name nothing else of `std`'s, so that the model check can hand them
//! `loom`'s instead (`tests/ring_loom.rs`, `tests/shown_loom.rs`) without one `cfg` in them.

pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicU64, Ordering, fence};
