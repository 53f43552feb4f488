//! The building blocks that feed, tap and readers share: atomics, fences and shared ownership.
//!
//! [`ring`](crate::ring) and [`slate`](crate::slate) use nothing else from `std`, so the model check can substitute
//! `loom`'s types (`tests/ring_loom.rs`, `tests/slate_loom.rs`) without a single `cfg` in them.

pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicU64, Ordering, fence};
