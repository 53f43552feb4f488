//! How large a request may be.

/// The most bytes of a body: some thousand orders.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// The most bytes of a head: addresses here are short, and a key is 68 characters.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;
