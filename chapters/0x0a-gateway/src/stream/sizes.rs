//! The size limit of a message.

/// The largest message and frame, in bytes: a thousand orders.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
