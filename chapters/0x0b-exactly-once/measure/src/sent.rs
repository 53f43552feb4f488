//! Which orders a load sends.

/// Which orders are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Each under the next number.
    New,
    /// Without numbers.
    WithoutNumbers,
    /// The last ones again.
    Again,
    /// Each [`TIMES`] times.
    Stormy,
}

/// How often a storming client sends each order: once, and ten times again.
pub const TIMES: u64 = 11;
