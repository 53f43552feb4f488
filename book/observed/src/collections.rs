//! The containers of `std` that 0x01's book uses, or stand-ins for them: they answer like those, use memory like
//! those, and note what they read and write there. Sizes and offsets are taken from types of the same shape.

pub use map::HashMap;
pub use queue::VecDeque;
pub use tree::BTreeMap;

mod housed;
mod map;
mod queue;
mod tree;
