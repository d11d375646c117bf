//! Numbers in sentences.

/// A number with its thousands apart.
#[must_use]
pub fn number(count: u64) -> String {
    let digits = count.to_string();
    let start = digits.len() % 3;
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index % 3 == start {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of something, whose plural has an `s`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A share in percent; 0 of nothing.
#[must_use]
pub fn share(count: u64, total: u64) -> String {
    let percent = if total == 0 { 0.0 } else { count as f64 * 100.0 / total as f64 };
    format!("{percent:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (count, expected) in [(0, "0"), (12, "12"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(count), expected);
        }
        assert_eq!((counted(1, "call"), counted(1200, "call")), ("1 call".to_owned(), "1,200 calls".to_owned()));
        assert_eq!((share(1, 3), share(0, 0)), ("33.3 %".to_owned(), "0.0 %".to_owned()));
    }
}
