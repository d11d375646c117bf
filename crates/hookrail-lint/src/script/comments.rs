use super::Language;

/// The text with comments turned into spaces, byte by byte, so that every place stays where it is. Quotes are followed
/// within a line only: an apostrophe in a here-document must not hide the rest of the file.
pub(super) fn blank(text: &str, language: Language) -> String {
    let mut in_block = false;
    let lines = text.split('\n').map(|line| {
        let (kept, block) = match language {
            Language::Shell | Language::Python => (kept_before_hash(line), false),
            Language::Node => kept_of_script(line, in_block),
        };
        in_block = block;
        kept
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn kept_before_hash(line: &str) -> String {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() || before == ';' => return keep(line, at),
            (None, '"' | '\'') if before != '\\' => quote = Some(c),
            (Some(open), c) if c == open && before != '\\' => quote = None,
            _ => {}
        }
        before = c;
    }
    line.to_owned()
}

fn kept_of_script(line: &str, mut in_block: bool) -> (String, bool) {
    let mut kept = String::with_capacity(line.len());
    let mut quote = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if in_block {
            if rest.starts_with("*/") {
                in_block = false;
                taken = 2;
            }
            kept.push_str(&" ".repeat(taken));
        } else if quote.is_none() && rest.starts_with("//") {
            kept.push_str(&" ".repeat(rest.len()));
            break;
        } else if quote.is_none() && rest.starts_with("/*") {
            in_block = true;
            kept.push_str("  ");
            taken = 2;
        } else {
            match quote {
                None if "\"'`".contains(c) => quote = Some(c),
                Some(open) if open == c && !kept.ends_with('\\') => quote = None,
                _ => {}
            }
            kept.push(c);
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    (kept, in_block)
}

fn keep(line: &str, until: usize) -> String {
    let kept = line.get(..until).unwrap_or_default();
    format!("{kept}{}", " ".repeat(line.len() - until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_nothing_else_moves() {
        let cases = [
            (Language::Shell, "exit 1 # no", "exit 1     "),
            (Language::Shell, "# exit 1", "        "),
            (Language::Shell, "echo \"# é\" $# ${#a}", "echo \"# é\" $# ${#a}"),
            (Language::Python, "x = '#' # é", "x = '#'     "),
            (Language::Node, "a('//') // b", "a('//')     "),
            (Language::Node, "a /* b\nc */ d", "a     \n     d"),
            (Language::Node, "fetch('http://x')", "fetch('http://x')"),
        ];
        for (language, text, expected) in cases {
            let blanked = blank(text, language);
            assert_eq!(blanked, expected);
            assert_eq!(blanked.len(), text.len());
        }
    }
}
