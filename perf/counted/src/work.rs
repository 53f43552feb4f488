//! What a piece of work is.

/// The most times that a work is done, and the number that it prepares for.
pub const TIMES_MAX: usize = 10_000;

/// A piece of work whose instructions are counted.
pub struct Work {
    /// Its name in the record.
    pub name: &'static str,
    /// What one time is.
    pub unit: &'static str,
    /// How often it has to be counted: a hash map has random keys, and where they lead to many collisions
    /// or to a map that is cleaned up once more, only the median of several runs says anything.
    pub rounds: usize,
    /// Prepares, and then works once for each of these numbers, which are below [`TIMES_MAX`].
    pub run: fn(&[usize]),
}
