//! What a container and a value in it tell each other.

/// A value that a tree holds, and that notes its own reads and writes.
pub trait Housed {
    /// How many bytes it has in `std`.
    const BYTES: usize;

    /// Its address has changed.
    fn moved(&mut self, home: usize);
}
