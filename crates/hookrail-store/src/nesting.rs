/// The deepest JSON that is written. The parser refuses to go much deeper, and what cannot be read back is lost.
pub(crate) const MAX_DEPTH: usize = 120;

/// Whether valid JSON is deeper than that. Most has fewer brackets than it may have levels.
pub(crate) fn is_too_deep(json: &[u8]) -> bool {
    let (words, rest) = json.as_chunks();
    let rest: usize = rest.iter().map(|byte| usize::from(byte | 0x20 == b'{')).sum();
    // Few words have any, and then they are counted: too many at most, which is counted again below.
    let brackets = words.iter().map(|word| brackets(u64::from_le_bytes(*word))).sum::<usize>() + rest;
    brackets > MAX_DEPTH && depth(json) > MAX_DEPTH
}

/// How many of eight bytes open an array or an object, compared all at once; perhaps some more.
fn brackets(word: u64) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // One bit tells the two brackets apart. What is one of them is zero then.
    let others = (word | (ONES * 0x20)) ^ (ONES * b'{' as u64);
    let zeros = others.wrapping_sub(ONES) & !others & (ONES * 0x80);
    if zeros == 0 { 0 } else { zeros.count_ones() as usize }
}

/// How many arrays and objects of valid JSON are inside each other at most.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn brackets_count_outside_of_strings_only() {
        let cases = [("1", 0), ("{}", 1), (r#"[[],[[]],{}]"#, 3), (r#"{"[[":"{{\"[[","a":["\\",[]]}"#, 3)];
        for (json, expected) in cases {
            serde_json::from_str::<Value>(json).unwrap();
            assert_eq!(depth(json.as_bytes()), expected, "{json}");
        }
        let text = format!("[\"{}\"]", "[{".repeat(MAX_DEPTH));
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for (json, expected) in [(text, false), (nested(MAX_DEPTH), false), (nested(MAX_DEPTH + 1), true)] {
            assert_eq!(is_too_deep(json.as_bytes()), expected, "{json}");
        }
    }

    #[test]
    fn brackets_are_found_wherever_they_stand() {
        for (at, bracket) in (0..8).flat_map(|at| [(at, b'['), (at, b'{')]) {
            let mut word = *b"(})]|;x ";
            assert_eq!(brackets(u64::from_le_bytes(word)), 0);
            word[at] = bracket;
            assert_eq!(brackets(u64::from_le_bytes(word)), 1, "{at}");
        }
        let nested = |before: usize| format!("\"{}\"{}", "x".repeat(before), "[".repeat(MAX_DEPTH + 1));
        assert!((0..16).all(|before| is_too_deep(nested(before).as_bytes())));
    }

    #[test]
    fn the_parser_reads_what_may_be_written() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH)).is_ok());
        assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH + 20)).is_err());
    }
}
