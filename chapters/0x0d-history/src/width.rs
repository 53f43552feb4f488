//! How wide a candle is.

use market::UnixMs;

/// How wide a candle is. All times are UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Width {
    /// A second.
    Second = 1,
    /// A minute.
    Minute = 2,
    /// An hour.
    Hour = 3,
    /// A day.
    Day = 4,
}

impl Width {
    /// All of them, the narrowest first.
    pub const ALL: [Width; 4] = [Width::Second, Width::Minute, Width::Hour, Width::Day];

    /// In milliseconds.
    pub const fn ms(self) -> u64 {
        match self {
            Width::Second => 1_000,
            Width::Minute => 60_000,
            Width::Hour => 3_600_000,
            Width::Day => 86_400_000,
        }
    }

    /// As clients write it.
    pub const fn word(self) -> &'static str {
        match self {
            Width::Second => "second",
            Width::Minute => "minute",
            Width::Hour => "hour",
            Width::Day => "day",
        }
    }

    /// When the candle began that holds this time.
    pub fn start(self, UnixMs(time): UnixMs) -> UnixMs {
        UnixMs(time - time % self.ms())
    }
}
