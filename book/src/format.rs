//! Numbers as a reader of each language writes them: 8.1 million and 810 万, 1.2 µs, 130× and 130 倍.
//!
//! The digits shown are significant digits; trailing zeros are dropped. A line never breaks between a number
//! and its unit.

use results::language::Language;
use serde_json::Value;
use std::fmt;

/// Keeps a number and its unit on one line.
const NBSP: char = '\u{a0}';

/// How a value is shown: a name and, where it makes sense, the number of significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A large count: `8.1 million`, `810 万`.
    Si(usize),
    /// A duration; the record's value is in nanoseconds times the factor.
    Time {
        /// Nanoseconds in one unit of the record's value.
        unit_ns: u64,
        /// Significant digits.
        digits: usize,
    },
    /// A factor: `130×`, `130 倍`.
    Times(usize),
    /// A share of one: `48%`.
    Percent(usize),
    /// Bytes, in decimal units: `1.2 MB`.
    Bytes(usize),
    /// Memory, in binary units: `24 GiB`.
    Gibibytes,
    /// All digits, grouped: `100,000`.
    Int,
    /// As the record has it, numbers and text alike.
    Raw,
}

impl Format {
    /// Parses a format's name, e.g. `si2`, `ns`, `us3`, `x`, `pct`, `bytes`, `gib`, `int`, `raw`.
    pub fn parse(name: &str) -> Result<Format, String> {
        let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = name[word.len()..].parse::<usize>().ok().filter(|d| (1..=9).contains(d));
        if word.len() < name.len() && digits.is_none() {
            return Err(format!("`{name}`: the digits shown must be 1 to 9"));
        }
        let time = |unit_ns| Format::Time { unit_ns, digits: digits.unwrap_or(3) };
        Ok(match word {
            "si" => Format::Si(digits.unwrap_or(2)),
            "ns" => time(1),
            "us" => time(1_000),
            "ms" => time(1_000_000),
            "s" => time(1_000_000_000),
            "x" => Format::Times(digits.unwrap_or(2)),
            "pct" => Format::Percent(digits.unwrap_or(2)),
            "bytes" => Format::Bytes(digits.unwrap_or(3)),
            "gib" => Format::Gibibytes,
            "int" => Format::Int,
            "raw" => Format::Raw,
            _ => return Err(format!("no format `{name}` (there are: si ns us ms s x pct bytes gib int raw)")),
        })
    }

    /// Checks that a time is read in the unit that its field's name says: `p50_ns` is in nanoseconds.
    ///
    /// # Errors
    /// Which format it takes.
    pub fn fits(self, path: &str) -> Result<(), String> {
        let Format::Time { unit_ns, digits } = self else { return Ok(()) };
        let named = |word: &str| {
            let field = word.split('[').next().unwrap_or(word);
            let unit = field.rsplit('_').next().unwrap_or(field);
            [("ns", 1), ("us", 1_000), ("ms", 1_000_000)].into_iter().find(|(name, _)| *name == unit)
        };
        match path.split(['.', ':']).rev().find_map(named) {
            Some((name, of)) if of != unit_ns => Err(format!("`{path}` is in {name}: use the format `{name}{digits}`")),
            _ => Ok(()),
        }
    }

    /// Shows a record's value.
    pub fn value(self, value: &Value, lang: Language) -> Result<String, String> {
        match (self, value) {
            (Format::Raw, Value::String(text)) => Ok(text.clone()),
            (Format::Raw, Value::Number(number)) => Ok(number.to_string()),
            (_, Value::Number(number)) => Ok(self.number(number.as_f64().unwrap_or(f64::NAN), lang)),
            (_, other) => Err(format!("{other} is not a number; use the format `raw` for words")),
        }
    }

    /// Shows a number.
    pub fn number(self, x: f64, lang: Language) -> String {
        match self {
            Format::Si(digits) => count(x, digits, lang),
            Format::Time { unit_ns, digits } => duration(x * unit_ns as f64, digits),
            Format::Times(digits) => {
                lang.pick(format!("{}×", significant(x, digits)), format!("{}{NBSP}倍", significant(x, digits)))
            }
            Format::Percent(digits) => format!("{}%", significant(x * 100.0, digits)),
            Format::Bytes(digits) => scaled(x, digits, &[(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")]),
            Format::Gibibytes => format!("{:.0}{NBSP}GiB", x / f64::from(1_u32 << 30)),
            Format::Int => group(&format!("{:.0}", x)),
            Format::Raw => format!("{x}"),
        }
    }
}

/// The name that [`Format::parse`] reads.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Si(digits) => write!(f, "si{digits}"),
            Format::Time { unit_ns: 1, digits } => write!(f, "ns{digits}"),
            Format::Time { unit_ns: 1_000, digits } => write!(f, "us{digits}"),
            Format::Time { unit_ns: 1_000_000, digits } => write!(f, "ms{digits}"),
            Format::Time { digits, .. } => write!(f, "s{digits}"),
            Format::Times(digits) => write!(f, "x{digits}"),
            Format::Percent(digits) => write!(f, "pct{digits}"),
            Format::Bytes(digits) => write!(f, "bytes{digits}"),
            Format::Gibibytes => f.write_str("gib"),
            Format::Int => f.write_str("int"),
            Format::Raw => f.write_str("raw"),
        }
    }
}

fn count(x: f64, digits: usize, lang: Language) -> String {
    let units: &[(f64, &str)] = lang.pick(&[(1e9, "billion"), (1e6, "million")], &[(1e8, "亿"), (1e4, "万")]);
    let rounded = round(x, digits);
    match units.iter().find(|(size, _)| rounded.abs() >= *size) {
        Some((size, unit)) => format!("{}{NBSP}{unit}", significant(x / size, digits)),
        None => significant(x, digits),
    }
}

/// A duration given in nanoseconds, in the largest unit that leaves at least one whole.
pub fn duration(ns: f64, digits: usize) -> String {
    scaled(ns, digits, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

fn scaled(x: f64, digits: usize, units: &[(f64, &str)]) -> String {
    let rounded = round(x, digits).abs();
    let (size, unit) = units.iter().find(|(size, _)| rounded >= *size).or(units.last()).unwrap_or(&(1.0, ""));
    format!("{}{NBSP}{unit}", significant(x / size, digits))
}

/// `x` rounded to `digits` significant digits.
fn round(x: f64, digits: usize) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let places = digits as i32 - 1 - x.abs().log10().floor() as i32;
    let scale = 10f64.powi(places.abs());
    if places >= 0 { (x * scale).round() / scale } else { (x / scale).round() * scale }
}

/// `x` to `digits` significant digits, grouped, without trailing zeros after the point.
fn significant(x: f64, digits: usize) -> String {
    let rounded = round(x, digits);
    if rounded == 0.0 || !rounded.is_finite() {
        return format!("{rounded}");
    }
    let decimals = (digits as i32 - 1 - rounded.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{rounded:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    group(text)
}

/// Puts a comma between groups of three digits, from four digits on.
fn group(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("−", rest));
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(format: &str, x: f64) -> [String; 2] {
        let format = Format::parse(format).unwrap();
        Language::ALL.map(|lang| format.number(x, lang).replace(NBSP, " "))
    }

    #[test]
    fn counts_follow_the_language() {
        assert_eq!(show("si2", 8_123_456.0), ["8.1 million", "810 万"]);
        assert_eq!(show("si3", 8_123_456.0), ["8.12 million", "812 万"]);
        assert_eq!(show("si2", 104_900.0), ["100,000", "10 万"]);
        assert_eq!(show("si3", 104_900.0), ["105,000", "10.5 万"]);
        assert_eq!(show("si2", 8_431.0), ["8,400", "8,400"]);
        assert_eq!(show("si2", 999_999.0), ["1 million", "100 万"]);
        assert_eq!(show("si2", 2.4e9), ["2.4 billion", "24 亿"]);
    }

    #[test]
    fn durations_pick_their_unit_after_rounding() {
        assert_eq!(show("ns", 820.4)[0], "820 ns");
        assert_eq!(show("ns2", 1_249.0)[0], "1.2 µs");
        assert_eq!(show("ns", 999_999.0)[0], "1 ms");
        assert_eq!(show("ms", 2_100.0)[0], "2.1 s");
        assert_eq!(show("ns", 0.25)[0], "0.25 ns");
    }

    #[test]
    fn ratios_shares_and_bytes() {
        assert_eq!(show("x", 131.7), ["130×", "130 倍"]);
        assert_eq!(show("x2", 3.44), ["3.4×", "3.4 倍"]);
        assert_eq!(show("pct", 0.4812), ["48%", "48%"]);
        assert_eq!(show("bytes", 1_250_000.0)[0], "1.25 MB");
        assert_eq!(show("int", 100_000.0)[0], "100,000");
    }

    #[test]
    fn a_formats_name_is_read_back() {
        for name in ["si2", "ns3", "us1", "ms2", "s4", "x2", "pct2", "bytes3", "gib", "int", "raw"] {
            assert_eq!(Format::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn an_unknown_format_lists_the_known_ones() {
        for (format, path, fits) in [
            ("ns2", "a:b[c].p50_ns.median", true),
            ("us2", "a:b[c].p50_ns.median", false),
            ("us3", "a:b[c].ns.median", false),
            ("ms2", "a:b[0.25ms].sync_at_least_ms", true),
            ("ns2", "a:b[0].p99_ms", false),
            ("s2", "a:b[0].seconds", true),
            ("si3", "a:b.append_p50_ns", true),
        ] {
            assert_eq!(Format::parse(format).unwrap().fits(path).is_ok(), fits, "{format} {path}");
        }
        assert!(Format::parse("furlongs").unwrap_err().contains("there are: si"));
        assert!(Format::parse("si0").is_err());
    }
}
