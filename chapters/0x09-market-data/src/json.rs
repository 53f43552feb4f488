//! The same messages as JSON, for people and for programs that like it better.
//!
#![doc = "```json"]
#![doc = include_str!("../messages/book.json")]
#![doc = "```"]
//!
//! In a whole book `from` is null, and prices that `depth` does not name are empty. The checksum is that of the binary
//! message that says the same, so a digit that has changed on the way is noticed here too.

mod text;

use serde::{Deserialize, Serialize};

use crate::message::{FORMAT, MESSAGE_BYTES_MAX, Message, Unreadable, checksum};
use text::Text;

/// A longer text is refused unread: it is more than twice what a whole book takes.
pub const JSON_BYTES_MAX: usize = 8192;

/// What a text is, whatever it says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    format: u8,
    message: Text,
    checksum: u32,
}

/// What a text of any format has.
#[derive(Deserialize)]
struct Format {
    format: u8,
}

impl Message {
    /// The message in these bytes, be they binary or JSON.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(bytes: &[u8]) -> Result<Message, Unreadable> {
        if bytes.first() == Some(&b'{') { from_json(bytes) } else { Message::decode(bytes) }
    }
}

/// Writes a message as one line of JSON, without the line's end, behind what `text` holds.
pub fn to_json(message: &Message, text: &mut Vec<u8>) {
    let sealed = Sealed { format: FORMAT, message: Text::of(message), checksum: binary_checksum(message) };
    // A vector takes everything, and the fields are numbers, words and lists of them: nothing here can fail.
    let written = serde_json::to_writer(text, &sealed);
    debug_assert!(written.is_ok(), "{written:?}");
}

/// The message that this text is.
///
/// # Errors
/// What is wrong with it.
pub fn from_json(text: &[u8]) -> Result<Message, Unreadable> {
    if text.len() > JSON_BYTES_MAX {
        return Err(Unreadable::Json(format!("{} bytes, and none has more than {JSON_BYTES_MAX}", text.len())));
    }
    // The format first: another one may have other fields.
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
