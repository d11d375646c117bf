/// The deepest JSON that is written. The parser refuses to go much deeper, and what cannot be read back is lost.
pub(crate) const MAX_DEPTH: usize = 120;

/// So many brackets can be counted in a byte.
const PIECE: usize = 128;

/// Whether valid JSON is deeper than that. Most has fewer brackets than it may have levels.
pub(crate) fn is_too_deep(json: &[u8]) -> bool {
    // One bit tells the two apart. Counted in bytes, a piece at a time, many are compared at once.
    let in_piece = |piece: &[u8]| usize::from(piece.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>());
    let brackets: usize = json.chunks(PIECE).map(in_piece).sum();
    brackets > MAX_DEPTH && depth(json) > MAX_DEPTH
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
    fn the_parser_reads_what_may_be_written() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH)).is_ok());
        assert!(serde_json::from_str::<Value>(&nested(MAX_DEPTH + 20)).is_err());
    }
}
