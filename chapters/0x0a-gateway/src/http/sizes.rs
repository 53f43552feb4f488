//! The size limits of a request.

/// The largest body, in bytes: some thousand orders.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// The largest head, in bytes: paths here are short, and a key is 68 characters.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;
