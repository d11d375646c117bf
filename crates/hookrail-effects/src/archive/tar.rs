//! Tar files: POSIX, GNU and their long names.

use super::{MAX_MEMBERS, Member};

const BLOCK: usize = 512;

/// The members of a tar file; `None` if it is none, or is cut short.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    let (mut at, mut long_name) = (0, None::<String>);
    loop {
        let header = match bytes.get(at..at + BLOCK) {
            Some(header) => header,
            // Some writers leave out the empty blocks at the end.
            None if at >= bytes.len() && at > 0 => return Some(members),
            None => return None,
        };
        if header.iter().all(|byte| *byte == 0) {
            return Some(members);
        }
        let size = size(header)?;
        let content = bytes.get(at + BLOCK..)?.get(..size)?;
        match header.get(156)? {
            b'L' => long_name = Some(text(content)),
            b'x' => long_name = extended_name(content).or(long_name),
            b'K' | b'g' => {}
            kind => {
                let name = long_name.take().unwrap_or_else(|| short_name(header));
                if *kind != b'5' && !name.ends_with('/') {
                    members.push(Member { name, is_link: *kind == b'2' });
                }
            }
        }
        if members.len() > MAX_MEMBERS || !is_header(header) {
            return None;
        }
        at = at.checked_add(BLOCK)?.checked_add(size.div_ceil(BLOCK).checked_mul(BLOCK)?)?;
    }
}

/// Whether the checksum is that of the block.
fn is_header(header: &[u8]) -> bool {
    let field = 148..156;
    let sum: u64 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| if field.contains(&at) { u64::from(b' ') } else { u64::from(*byte) })
        .sum();
    header.get(field).and_then(octal) == Some(sum)
}

/// The size of a member: octal digits, or a binary number if it is large.
fn size(header: &[u8]) -> Option<usize> {
    let field = header.get(124..136)?;
    let large =
        |field: &[u8]| field.iter().skip(4).try_fold(0_u64, |sum, byte| Some(sum.checked_mul(256)? + u64::from(*byte)));
    let size = if field.first()? & 0x80 != 0 { large(field)? } else { octal(field)? };
    usize::try_from(size).ok()
}

fn octal(field: &[u8]) -> Option<u64> {
    let digits: Vec<u8> =
        field.iter().copied().skip_while(|byte| *byte == b' ').take_while(|byte| !matches!(byte, 0 | b' ')).collect();
    let text = std::str::from_utf8(&digits).ok()?;
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
}

fn short_name(header: &[u8]) -> String {
    let name = text(header.get(..100).unwrap_or_default());
    let posix = header.get(257..263) == Some(b"ustar\0");
    let prefix = if posix { text(header.get(345..500).unwrap_or_default()) } else { String::new() };
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// `path` of an extended header: records of a length, a name and a value.
fn extended_name(content: &[u8]) -> Option<String> {
    let content = String::from_utf8_lossy(content);
    let record = content.split('\n').find_map(|record| record.split_once(' ')?.1.strip_prefix("path="))?;
    Some(record.to_owned())
}
