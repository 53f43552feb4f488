//! Reading little-endian integers, and enums that are bytes on disk.

/// The `u32` that starts at `bytes[at]`. The caller knows that four bytes are there.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The `u64` that starts at `bytes[at]`. The caller knows that eight bytes are there.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Gives an enum with numbered variants the list of them and a conversion from a byte, and, where each has a
/// word for people, that word.
macro_rules! codes {
    ($name:ident { $($variant:ident),+ $(,)? }) => {
        impl $name {
            /// Every variant, in the order of their codes.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The variant that this byte stands for.
            pub fn from_code(code: u8) -> Option<$name> {
                $name::ALL.iter().copied().find(|&variant| variant as u8 == code)
            }
        }
    };
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        codes!($name { $($variant),+ });

        impl $name {
            /// The variant's word.
            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }
    };
}
pub(crate) use codes;
