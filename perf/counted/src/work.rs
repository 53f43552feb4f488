//! A piece of work that is counted.

/// The most times that a work is done, and the number that it prepares for.
pub const TIMES_MAX: usize = 10_000;

/// A piece of work whose instructions are counted.
pub struct Work {
    /// Its name in the record.
    pub name: &'static str,
    /// What one repetition does.
    pub unit: &'static str,
    /// How often it has to be counted: a hash map has random keys, and when they lead to many collisions
    /// or to one more cleanup of the map, only the median of several runs is meaningful.
    pub rounds: usize,
    /// Prepares, and then does the work once for each of these numbers, which are below
    /// [`TIMES_MAX`].
    pub run: fn(&[usize]),
}
