//! The containers of `std` that 0x01's book takes, or what stands in for them: they answer as those do, lie in memory as
//! those do, and note what they read and write there. Sizes and offsets are taken from types of the same shape.

pub use map::HashMap;
pub use queue::VecDeque;
pub use tree::BTreeMap;

mod map;
mod queue;
mod tree;

/// A value that a tree holds, and that notes its own reads and writes.
pub trait Housed {
    /// How many bytes it has in `std`.
    const BYTES: usize;

    /// It lies somewhere else now.
    fn moved(&mut self, home: usize);
}
