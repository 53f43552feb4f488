//! The mistakes, by number.

pub const HONEST: u8 = 0;
pub const ACKNOWLEDGES_BEFORE_SYNC: u8 = 1;
pub const IGNORES_SYNC_ERRORS: u8 = 2;
pub const RETRIES_SYNC: u8 = 3;
pub const IGNORES_SHORT_WRITES: u8 = 4;
pub const CHECKS_NO_CHECKSUM: u8 = 5;
pub const SKIPS_DAMAGED_FRAMES: u8 = 6;
pub const APPLIES_TWICE: u8 = 7;
pub const TRUSTS_THE_CACHE: u8 = 8;
pub const EMPTIES_THE_LEDGER_FIRST: u8 = 9;
pub const TAKES_NO_LOCK: u8 = 10;
pub const CUTS_TOO_EAGERLY: u8 = 11;
pub const ACCEPTS_A_SIBLING: u8 = 12;
pub const MARKS_BEFORE_SYNC: u8 = 13;
pub const CHANGES_LOG_BY_LOG: u8 = 14;
pub const CALLS_EVERYTHING_TORN: u8 = 15;
pub const TAKES_WHAT_DECODES: u8 = 16;
/// These flaws are in the reading of a log.
pub const CARELESS: [u8; 8] = [
    CHECKS_NO_CHECKSUM,
    SKIPS_DAMAGED_FRAMES,
    APPLIES_TWICE,
    TRUSTS_THE_CACHE,
    CUTS_TOO_EAGERLY,
    ACCEPTS_A_SIBLING,
    CALLS_EVERYTHING_TORN,
    TAKES_WHAT_DECODES,
];
