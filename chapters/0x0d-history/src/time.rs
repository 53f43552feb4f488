//! Times as people write them: `2026-03-14T12:00:00`, always UTC. Days are counted as in the Gregorian calendar.

use market::UnixMs;

/// Days of each month in a year that is no leap year.
const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const DAY_MS: u64 = 86_400_000;

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64, month: usize) -> u64 {
    DAYS[month] + u64::from(month == 1 && is_leap(year))
}

fn days_of_year(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

/// Reads a time: as a date, with or without the time of day, or as milliseconds since 1970.
///
/// # Errors
/// What is wrong with it.
pub fn parse(said: &str) -> Result<UnixMs, String> {
    if let Ok(ms) = said.parse() {
        return Ok(UnixMs(ms));
    }
    let wrong = || "a time is written as 2026-03-14T12:00:00, in UTC, or in milliseconds since 1970".to_owned();
    let (date, time) = said.trim_end_matches('Z').split_once('T').unwrap_or((said, "0:0:0"));
    let numbers = |text: &str, by: char| -> Option<Vec<u64>> {
        text.split(by)
            .map(|part| part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit())))
            .collect()
    };
    let (date, time) = numbers(date, '-').zip(numbers(time, ':')).ok_or_else(wrong)?;
    let ([year, month, day], [hour, minute, second]) = (&date[..], &time[..]) else { return Err(wrong()) };
    let (year, month, day) = (*year, *month, *day);
    let is_day = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month as usize - 1)).contains(&day);
    if !is_day || *hour > 23 || *minute > 59 || *second > 59 {
        return Err(wrong());
    }
    let years: u64 = (1970..year).map(days_of_year).sum();
    let months: u64 = (0..month as usize - 1).map(|month| days_of(year, month)).sum();
    Ok(UnixMs((years + months + day - 1) * DAY_MS + (hour * 3_600 + minute * 60 + second) * 1_000))
}

/// A time as text.
pub fn text(UnixMs(time): UnixMs) -> String {
    let (mut days, ms, mut year) = (time / DAY_MS, time % DAY_MS, 1970);
    if days > 3_000_000 {
        return format!("{time} ms");
    }
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    let mut month = 0;
    while days >= days_of(year, month) {
        days -= days_of(year, month);
        month += 1;
    }
    let (hour, minute, second, ms) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60, ms % 1_000);
    format!("{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (said, ms) in [
            ("1970-01-01", 0),
            ("1970-01-01T00:00:01", 1_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2026-03-14T12:00:00", 1_773_489_600_000),
            ("2100-03-01", 4_107_542_400_000),
            ("1773489600000", 1_773_489_600_000),
        ] {
            assert_eq!(parse(said), Ok(UnixMs(ms)), "{said}");
            assert_eq!(parse(text(UnixMs(ms)).trim_end_matches(".000Z")), Ok(UnixMs(ms)));
        }
        for wrong in
            ["", "2026-02-29", "2026-13-01", "2026-03-14T24:00:00", "1969-12-31", "noon", "2026-03", "2026-+3-14", "-1"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(text(UnixMs(u64::MAX)), format!("{} ms", u64::MAX));
    }
}
