/// How many bytes of a result a model gets to read.
const LIMIT: usize = 50_000;

/// The text, or as much of its beginning as a model can take, with a word on what is missing.
pub fn clip(text: &str) -> String {
    if text.len() <= LIMIT {
        return text.to_owned();
    }
    let (shown, rest) = text.split_at(text.floor_char_boundary(LIMIT));
    format!("{shown}\n({} more bytes are left out)", rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_beyond_the_limit_is_cut_between_characters() {
        assert_eq!(clip("short"), "short");
        let just = "x".repeat(LIMIT);
        assert_eq!(clip(&just), just);
        let long = "x".repeat(LIMIT - 1) + "üx";
        assert_eq!(clip(&long), "x".repeat(LIMIT - 1) + "\n(3 more bytes are left out)");
    }
}
