//! What a container and a value that it holds say to each other.

/// A value that a tree holds, and that notes its own reads and writes.
pub trait Housed {
    /// How many bytes it has in `std`.
    const BYTES: usize;

    /// It lies somewhere else now.
    fn moved(&mut self, home: usize);
}
