//! A client's number for a request: a lane and a number in it, as JSON, a query and a header have them.
//!
//! ```text
//! order           lane u8 in the high bits, number of 56 bits    one u64, the client_order_id of the command
//! anything else   lane u8 in the high bits, number of 24 bits    one u32, the request of the command
//! ```
//!
//! 0x0a logs the number and promises nothing for it. What it is good for is 0x0b's lesson.

use serde::Deserialize;

use crate::problem::{Problem, Why};

/// How many bits of an order's 64 are the number; the lane stands above them.
pub const NUMBER_BITS: u32 = 56;

/// How many bits of another request's 32 are the number.
pub const SHORT_NUMBER_BITS: u32 = 24;

/// A request's number as a client says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// The lane: one for each device or program of an account.
    pub lane: Option<u8>,
    /// The number in the lane, 0 or none for a request without one.
    pub number: Option<u64>,
}

impl Numbered {
    /// The number of an order.
    ///
    /// # Errors
    /// A lane without a number, and a number above 2^56 - 1.
    pub fn long(self) -> Result<u64, Problem> {
        self.of_bits(NUMBER_BITS)
    }

    /// The number of a cancellation, a deposit or a withdrawal.
    ///
    /// # Errors
    /// A lane without a number, and a number above 2^24 - 1.
    pub fn short(self) -> Result<u32, Problem> {
        self.of_bits(SHORT_NUMBER_BITS).map(|number| number as u32)
    }

    fn of_bits(self, bits: u32) -> Result<u64, Problem> {
        let bad = |what: String| Err(Problem::because(Why::BadRequest, what));
        match self {
            Numbered { lane: None, number: None } => Ok(0),
            Numbered { lane: Some(_), number: None } => bad("A lane needs a number.".into()),
            Numbered { number: Some(0), .. } => Ok(0),
            Numbered { number: Some(number), .. } if number >> bits > 0 => {
                bad(format!("This number is at most {}: go on in another lane.", (1u64 << bits) - 1))
            }
            Numbered { lane, number: Some(number) } => Ok(u64::from(lane.unwrap_or_default()) << bits | number),
        }
    }

    /// A number in the form of the header `Idempotency-Key`: lane and number with a hyphen between them, with or without
    /// quotation marks, as in `3-18`.
    ///
    /// # Errors
    /// Any other form.
    pub fn of_header(value: &[u8]) -> Result<Numbered, Problem> {
        let text = std::str::from_utf8(value).ok().map(|text| text.trim().trim_matches('"'));
        let parts = text.and_then(|text| text.split_once('-'));
        let parsed = parts.and_then(|(lane, number)| Some((digits(lane)?, digits(number)?)));
        let numbered = parsed.and_then(|(lane, number)| {
            let lane = u8::try_from(lane).ok()?;
            Some(Numbered { lane: Some(lane), number: Some(number) })
        });
        let what = "Idempotency-Key is a lane of 0 to 255 and a number that rises, as in 3-18.";
        numbered.ok_or_else(|| Problem::because(Why::BadRequest, what))
    }
}

/// A number in digits alone: `parse` would take a sign as well.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lane: Option<u8>, number: Option<u64>) -> Numbered {
        Numbered { lane, number }
    }

    #[test]
    fn lane_and_number_share_the_bits() {
        assert_eq!(numbered(Some(3), Some(18)).long().ok(), Some(3 << 56 | 18));
        assert_eq!(numbered(Some(255), Some((1 << 56) - 1)).long().ok(), Some(u64::MAX));
        assert_eq!(numbered(Some(255), Some((1 << 24) - 1)).short().ok(), Some(u32::MAX));
        assert_eq!(numbered(None, Some(18)).short().ok(), Some(18));
        assert_eq!([numbered(None, None), numbered(Some(3), Some(0))].map(|none| none.long().ok()), [Some(0); 2]);
        assert!(numbered(Some(0), Some(1 << 56)).long().is_err() && numbered(None, Some(1 << 24)).short().is_err());
        assert!(numbered(Some(1), None).long().is_err(), "a lane alone");
    }

    #[test]
    fn a_header_has_one_form() {
        let three = Some(numbered(Some(3), Some(18)));
        assert_eq!([&b"3-18"[..], b"\"3-18\"", b" 3-18 "].map(|text| Numbered::of_header(text).ok()), [three; 3]);
        for wrong in [&b""[..], b"18", b"-18", b"3-", b"256-1", b"3-+18", b"3-18-1", b"a-b", b"\xff-1"] {
            assert!(Numbered::of_header(wrong).is_err(), "{wrong:?}");
        }
    }
}
