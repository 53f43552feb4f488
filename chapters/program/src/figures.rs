//! Figures for people that are the same in every language.

/// A whole number with its thousands separated: "100,000".
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::from(if value <= -0.5 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [(0.0, "0"), (100.0, "100"), (999.6, "1,000"), (-1_234_567.0, "-1,234,567")] {
            assert_eq!(grouped(value), text);
        }
    }
}
