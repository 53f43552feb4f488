//! Rows as bytes: numbers one after another, little-endian, and nothing between them.

/// Writes a row.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Adds a number.
    #[must_use]
    pub fn put<const N: usize>(mut self, bytes: [u8; N]) -> Writer {
        self.0.extend_from_slice(&bytes);
        self
    }
}

/// Reads a row. What is not there, or more than there should be, makes it none.
pub struct Reader<'b>(pub &'b [u8]);

impl Reader<'_> {
    /// The next bytes.
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    /// The next number of 16 bits.
    pub fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    /// The next number of 32 bits.
    pub fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// The next number of 64 bits.
    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// The row, if nothing is left.
    pub fn end<T>(self, row: T) -> Option<T> {
        self.0.is_empty().then_some(row)
    }
}
