//! The header that all messages share: it says what follows and whether it arrived intact.

use market::MarketId;

/// The version of the layout. Any change to the meaning of a byte increments it.
pub const FORMAT: u8 = 1;

/// The first byte of every message.
const MARK: u8 = 0x99;

/// Where the header's fields begin; every message starts with them.
pub(super) mod at {
    pub const MARK: usize = 0; // u8: 0x99
    pub const FORMAT: usize = 1; // u8: the version of this layout
    pub const KIND: usize = 2; // u8: 1 book, 2 trade, 3 missed trades
    pub const IS_FRESH: usize = 3; // u8: of a book: 1 if the feed follows the engine, or 0
    pub const LENGTH: usize = 4; // u32: bytes of the whole message
    pub const CHECKSUM: usize = 8; // u32: CRC-32C of all the other bytes
    pub const MARKET: usize = 12; // u32
    pub const BYTES: usize = 16;
}

/// The size of the longest message, a whole book.
pub const MESSAGE_BYTES_MAX: usize = 896;

/// Room for any message.
pub type Buffer = [u8; MESSAGE_BYTES_MAX];

/// Why bytes are not a message that this reader understands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// It ends too early.
    #[error("the message is truncated: {have} of at least {need} bytes arrived; ask for it again")]
    Cut {
        /// How many bytes there are.
        have: usize,
        /// How many there should be.
        need: usize,
    },
    /// Something follows it.
    #[error("the message says it has {need} bytes, but {have} arrived; pass one message at a time")]
    Long {
        /// How many bytes there are.
        have: usize,
        /// How many it says it has.
        need: usize,
    },
    /// It does not start with the mark.
    #[error("byte 0 is {found:#04x}: a message starts with 0x99, and JSON with a brace")]
    Mark {
        /// The byte.
        found: u8,
    },
    /// It has another format.
    #[error("the message is of format {found}, but this reader knows format {FORMAT}; use a reader of that format")]
    Format {
        /// The format in the message.
        found: u8,
    },
    /// A bit changed in transit.
    #[error(
        "the checksum says {says:08x} but the message has {gives:08x}: it was changed in transit; ask for it again"
    )]
    Checksum {
        /// The checksum in the message.
        says: u32,
        /// The checksum of its bytes.
        gives: u32,
    },
    /// It is intact, but what it says is impossible.
    #[error("the message can't be valid: {0}; the program that wrote it has a bug")]
    Contradiction(&'static str),
    /// It is not JSON, or has other fields.
    #[error("not a valid JSON message: {0}")]
    Json(String),
}

/// Checks the header: mark, format, length, checksum, in this order.
pub(super) fn open(bytes: &[u8]) -> Result<Fields<'_>, Unreadable> {
    let have = bytes.len();
    if have < at::BYTES {
        return Err(Unreadable::Cut { have, need: at::BYTES });
    }
    let fields = Fields(bytes);
    let (mark, format) = (fields.u8(at::MARK), fields.u8(at::FORMAT));
    if mark != MARK {
        return Err(Unreadable::Mark { found: mark });
    }
    if format != FORMAT {
        return Err(Unreadable::Format { found: format });
    }
    let need = fields.u32(at::LENGTH) as usize;
    if have != need {
        return Err(if have < need { Unreadable::Cut { have, need } } else { Unreadable::Long { have, need } });
    }
    let (says, gives) = (fields.u32(at::CHECKSUM), checksum(bytes));
    if says == gives { Ok(fields) } else { Err(Unreadable::Checksum { says, gives }) }
}

/// The checksum of a message, without the four bytes of the checksum itself.
pub(crate) fn checksum(message: &[u8]) -> u32 {
    let start = crc32c::crc32c(&message[..at::CHECKSUM]);
    crc32c::crc32c_append(start, &message[at::MARKET..])
}

/// Writes the header of a message whose other fields are in place; the checksum comes last.
pub(super) fn seal(message: &mut [u8], kind: u8, is_fresh: bool, market: MarketId) {
    message[at::MARK] = MARK;
    message[at::FORMAT] = FORMAT;
    message[at::KIND] = kind;
    message[at::IS_FRESH] = u8::from(is_fresh);
    put(message, at::LENGTH, (message.len() as u32).to_le_bytes());
    put(message, at::MARKET, market.0.to_le_bytes());
    put(message, at::CHECKSUM, checksum(message).to_le_bytes());
}

/// Writes a field.
pub(super) fn put<const BYTES: usize>(message: &mut [u8], at: usize, field: [u8; BYTES]) {
    message[at..at + BYTES].copy_from_slice(&field);
}

/// A message whose length and checksum are correct. A caller that reads a field has checked that the message is long
/// enough.
pub(super) struct Fields<'b>(&'b [u8]);

impl Fields<'_> {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn u8(&self, at: usize) -> u8 {
        self.0[at]
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    pub(super) fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    pub(super) fn bytes<const BYTES: usize>(&self, at: usize) -> [u8; BYTES] {
        let mut field = [0; BYTES];
        field.copy_from_slice(&self.0[at..at + BYTES]);
        field
    }
}
