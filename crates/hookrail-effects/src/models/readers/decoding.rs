//! Readers for programs that encode and decode.

use super::{Reading, filters};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::shell;

/// `base64` and its relatives: what is decoded from a known text is known.
pub(super) fn decoder(r: &mut Reading<'_, '_, '_>) -> Flow {
    let decodes = r.parsed.has(&["-d", "-D", "--decode", "-r", "-base64"]);
    let mut input = r.call.stdin.clone();
    // `xxd -r hex file` writes its second operand.
    if r.call.program == "xxd"
        && let [first, out] = r.parsed.operands.clone().as_slice()
    {
        r.touch(Act::FsRead, first, Extent::Single);
        r.touch(Act::FsWrite, out, Extent::Single);
        return Flow::default();
    }
    let named: Vec<Arg> = r.parsed.values(&["-i", "-in", "--identity"]).chain(&r.parsed.operands).cloned().collect();
    for file in &named {
        input = shell::read(r.analysis, r.shell, file);
    }
    if let Some(out) = r.parsed.value(&["-o", "-out"]).cloned() {
        r.touch(Act::FsWrite, &out, Extent::Single);
    }
    let mut taint = input.taint.clone();
    taint.decoded |= decodes;
    let input = shell::with_content(r.analysis, &input);
    let text = input.text.as_deref().filter(|_| decodes).and_then(|text| decode(text, encoding(r)?));
    Flow { text, origin: input.text.map(Into::into), ..Flow::unknown(taint) }
}

/// How a text stands for bytes: the number of bits of a character, and what the characters stand for.
#[derive(Clone, Copy)]
struct Encoding {
    bits: u32,
    value: fn(u8) -> Option<u8>,
}

const BASE64: Encoding = Encoding {
    bits: 6,
    value: |c| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    },
};
const BASE32: Encoding = Encoding {
    bits: 5,
    value: |c| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'2'..=b'7' => Some(c - b'2' + 26),
        _ => None,
    },
};
const HEX: Encoding =
    Encoding { bits: 4, value: |c| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok()) };

/// What a program decodes, where that is known; `xxd -r` without `-p` reads a dump with addresses.
fn encoding(r: &Reading<'_, '_, '_>) -> Option<Encoding> {
    match r.call.program.as_str() {
        "base64" => Some(BASE64),
        "openssl" if r.parsed.has(&["-base64", "-a", "-d"]) => Some(BASE64),
        "base32" => Some(BASE32),
        "basenc" if r.parsed.has(&["--base64", "--base64url"]) => Some(BASE64),
        "basenc" if r.parsed.has(&["--base32"]) => Some(BASE32),
        "basenc" if r.parsed.has(&["--base16"]) => Some(HEX),
        "xxd" if r.parsed.has(&["-p", "-ps"]) => Some(HEX),
        _ => None,
    }
}

/// Decodes a text, white space ignored; `None` if it is not encoded so, or not a text.
fn decode(text: &str, encoding: Encoding) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0u32, 0);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        buffer = (buffer << encoding.bits | u32::from((encoding.value)(c)?)) & 0xffff;
        bits += encoding.bits;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Decodes a text from base64.
pub(crate) fn from_base64(text: &str) -> Option<String> {
    decode(text, BASE64)
}

/// Decodes a text from hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<String> {
    decode(text, HEX)
}

/// `rev` turns every line around.
pub(super) fn rev(r: &mut Reading<'_, '_, '_>) -> Flow {
    let text = filters::input(r, &r.parsed.operands);
    let turned =
        text.map(|text| text.lines().map(|line| line.chars().rev().chain(['\n']).collect::<String>()).collect());
    filters::flow(r.by_usage(), turned)
}

/// `tr` exchanges, deletes or squeezes characters.
pub(super) fn tr(r: &mut Reading<'_, '_, '_>) -> Flow {
    let names = r.call.stdin.names.clone();
    if !names.is_empty() {
        return Flow { names, text: None, ..r.by_usage() };
    }
    let text = filters::input(r, &[]).and_then(|text| translated(r, &text));
    filters::flow(r.by_usage(), text)
}

/// What `tr` makes of a text; `None` if that is not simple.
fn translated(r: &Reading<'_, '_, '_>, text: &str) -> Option<String> {
    if r.parsed.has(&["-c", "-C", "--complement", "-t", "--truncate-set1"]) {
        return None;
    }
    let from = characters(r.first())?;
    let squeezes = r.parsed.has(&["-s", "--squeeze-repeats"]);
    let mut changed = if r.parsed.has(&["-d", "--delete"]) {
        text.chars().filter(|c| !from.contains(c)).collect()
    } else if r.parsed.operands.len() < 2 {
        text.to_owned()
    } else {
        let to = characters(r.word(1))?;
        // The last character of a shorter set stands for all that are left.
        let exchange = |c: char| match from.iter().rposition(|known| *known == c) {
            Some(at) => to.get(at).or(to.last()).copied(),
            None => Some(c),
        };
        text.chars().map(exchange).collect::<Option<String>>()?
    };
    if squeezes {
        let last = if r.parsed.operands.len() < 2 { r.first() } else { r.word(1) };
        let set = characters(last)?;
        let mut before = None;
        changed.retain(|c| before.replace(c) != Some(c) || !set.contains(&c));
    }
    Some(changed)
}

/// The characters of a set: ranges, classes of letters and digits, and escapes.
fn characters(set: &str) -> Option<Vec<char>> {
    let mut rest: Vec<char> = Vec::new();
    let mut chars = set.chars();
    while let Some(c) = chars.next() {
        rest.push(match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                digit @ '0'..='7' => {
                    let more = chars.as_str().chars().take(2).take_while(|c| c.is_digit(8)).count();
                    let digits: String = std::iter::once(digit).chain(chars.by_ref().take(more)).collect();
                    char::from_u32(u32::from_str_radix(&digits, 8).ok()?)?
                }
                other => other,
            },
            other => other,
        });
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = rest.get(at).copied() {
        let class = rest.get(at..)?.iter().collect::<String>();
        let named = [("[:upper:]", 'A'..='Z'), ("[:lower:]", 'a'..='z'), ("[:digit:]", '0'..='9')];
        if let Some((name, letters)) = named.into_iter().find(|(name, _)| class.starts_with(name)) {
            found.extend(letters);
            at += name.len();
        } else if class.starts_with("[:") || class.starts_with("[=") {
            return None;
        } else if let (Some('-'), Some(last)) = (rest.get(at + 1), rest.get(at + 2)) {
            found.extend(first..=*last);
            at += 3;
        } else {
            found.push(first);
            at += 1;
        }
        if found.len() > 1024 {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_characters_are_written_out() {
        for (set, expected) in [
            ("a-d", "abcd"),
            ("n-za-m", "nopqrstuvwxyzabcdefghijklm"),
            ("\\n\\101", "\nA"),
            ("[:digit:]x", "0123456789x"),
            ("-a", "-a"),
        ] {
            assert_eq!(characters(set).map(String::from_iter).as_deref(), Some(expected), "{set}");
        }
        assert_eq!(characters("[:punct:]"), None);
    }

    #[test]
    fn texts_are_decoded_in_each_encoding() {
        for (text, encoding) in [("cm0gYQ==", BASE64), ("OJWSAYI=", BASE32), ("72 6D 20 61", HEX)] {
            assert_eq!(decode(text, encoding).as_deref(), Some("rm a"), "{text}");
        }
        assert_eq!(decode("?", BASE64), None);
    }
}
