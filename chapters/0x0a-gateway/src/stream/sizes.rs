//! How large a message may be.

/// The most bytes of a message, and of a frame: a thousand orders.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
