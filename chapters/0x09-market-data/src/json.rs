//! The same messages as JSON, for people and for programs that prefer it.
//!
#![doc = "```json"]
#![doc = include_str!("../messages/book.json")]
#![doc = "```"]
//!
//! In a whole book `from` is null, and prices that `depth` leaves out are empty. The checksum is that of the equivalent
//! binary message, so a digit that changed in transit is detected here too.

mod text;

use serde::{Deserialize, Serialize};

use crate::message::{FORMAT, MESSAGE_BYTES_MAX, Message, Unreadable, checksum};
use text::Text;

/// A longer text is rejected without reading it: this is more than twice the size of a whole book.
pub const JSON_BYTES_MAX: usize = 8192;

/// The envelope of every message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    format: u8,
    message: Text,
    checksum: u32,
}

/// The field that every format has.
#[derive(Deserialize)]
struct Format {
    format: u8,
}

impl Message {
    /// Reads a message from binary or JSON bytes.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(bytes: &[u8]) -> Result<Message, Unreadable> {
        if bytes.first() == Some(&b'{') { from_json(bytes) } else { Message::decode(bytes) }
    }
}

/// Appends a message to `text` as one line of JSON, without the line end.
pub fn to_json(message: &Message, text: &mut Vec<u8>) {
    let sealed = Sealed { format: FORMAT, message: Text::of(message), checksum: binary_checksum(message) };
    // Writing to a vector can't fail, and neither can serializing numbers, words and lists of them.
    let written = serde_json::to_writer(text, &sealed);
    debug_assert!(written.is_ok(), "{written:?}");
}

/// Reads a message from JSON.
///
/// # Errors
/// What is wrong with it.
pub fn from_json(text: &[u8]) -> Result<Message, Unreadable> {
    if text.len() > JSON_BYTES_MAX {
        return Err(Unreadable::Json(format!("{} bytes, but no message has more than {JSON_BYTES_MAX}", text.len())));
    }
    // Check the format first: another format may have other fields.
    let Format { format } = read(text)?;
    if format != FORMAT {
        return Err(Unreadable::Format { found: format });
    }
    let sealed: Sealed = read(text)?;
    let message = sealed.message.message().map_err(Unreadable::Contradiction)?;
    message.check()?;
    let (says, gives) = (sealed.checksum, binary_checksum(&message));
    if says == gives { Ok(message) } else { Err(Unreadable::Checksum { says, gives }) }
}

fn read<'t, T: Deserialize<'t>>(text: &'t [u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(text).map_err(|error| Unreadable::Json(error.to_string()))
}

fn binary_checksum(message: &Message) -> u32 {
    checksum(message.encode(&mut [0; MESSAGE_BYTES_MAX]))
}
