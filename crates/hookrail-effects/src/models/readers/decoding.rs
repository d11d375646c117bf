//! Readers for programs that encode and decode.

use super::Reading;
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::shell;

/// `base64` and its relatives: what is decoded from a known text is known.
pub(super) fn decoder(r: &mut Reading<'_, '_, '_>) -> Flow {
    let decodes = r.parsed.has(&["-d", "-D", "--decode", "-r", "-base64"]);
    let base64 = matches!(r.call.program.as_str(), "base64" | "openssl" | "basenc");
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
    let text = input.text.as_deref().filter(|_| base64 && decodes).and_then(from_base64);
    Flow { text, ..Flow::unknown(taint) }
}

/// Decodes base64, white space ignored; `None` if it is no base64 or no text.
fn from_base64(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0u32, 0);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = buffer << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}
