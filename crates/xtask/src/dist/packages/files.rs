//! A tree of files in memory, and the containers it is packed into: tar, zip and ar. All are reproducible: no times, no owners.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, Write};

/// One file of a package.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Relative, with slashes; a folder ends with one.
    pub path: String,
    pub mode: u32,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), mode: 0o644, bytes: text.into().into_bytes() }
    }

    pub fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode: 0o644, bytes: bytes.into() }
    }

    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode: 0o755, bytes: bytes.into() }
    }

    pub fn folder(path: impl Into<String>, mode: u32) -> Self {
        Self { path: path.into(), mode, bytes: Vec::new() }
    }

    fn is_folder(&self) -> bool {
        self.path.ends_with('/')
    }
}

/// The earliest time that a zip archive can hold, 1980-01-01, which old tools do not take for an error.
const MTIME: u64 = 315_532_800;

/// A tar archive (ustar), with the folders that the files are in.
pub fn tar(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut archive = Vec::new();
    let mut folders: Vec<String> = entries.iter().filter(|it| it.is_folder()).map(|it| it.path.clone()).collect();
    for entry in entries {
        for (end, _) in entry.path.trim_end_matches('/').match_indices('/') {
            let folder = entry.path.get(..=end).unwrap_or_default();
            if folder != "./" && !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
                tar_member(&mut archive, &Entry::folder(folder, 0o755))?;
            }
        }
        tar_member(&mut archive, entry)?;
    }
    archive.resize(archive.len() + 1024, 0);
    Ok(archive)
}

fn tar_member(archive: &mut Vec<u8>, entry: &Entry) -> io::Result<()> {
    let (prefix, name) = split_name(&entry.path)?;
    let mut header = Vec::with_capacity(512);
    push_field(&mut header, name.as_bytes(), 100);
    push_field(&mut header, format!("{:07o}", entry.mode).as_bytes(), 8);
    push_field(&mut header, b"0000000", 8);
    push_field(&mut header, b"0000000", 8);
    push_field(&mut header, format!("{:011o}", entry.bytes.len()).as_bytes(), 12);
    push_field(&mut header, format!("{MTIME:011o}").as_bytes(), 12);
    header.extend_from_slice(b"        ");
    header.push(if entry.is_folder() { b'5' } else { b'0' });
    push_field(&mut header, b"", 100);
    header.extend_from_slice(b"ustar\x0000");
    push_field(&mut header, b"root", 32);
    push_field(&mut header, b"root", 32);
    push_field(&mut header, b"0000000", 8);
    push_field(&mut header, b"0000000", 8);
    push_field(&mut header, prefix.as_bytes(), 155);
    header.resize(512, 0);
    // The sum is over the header with blanks in its place.
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header.splice(148..156, format!("{sum:06o}\0 ").into_bytes());
    archive.extend_from_slice(&header);
    archive.extend_from_slice(&entry.bytes);
    archive.resize(archive.len().next_multiple_of(512), 0);
    Ok(())
}

fn push_field(header: &mut Vec<u8>, value: &[u8], width: usize) {
    header.extend_from_slice(value);
    header.resize(header.len() + width.saturating_sub(value.len()), 0);
}

/// A long name is cut at a slash into two fields.
fn split_name(path: &str) -> io::Result<(&str, &str)> {
    if path.len() <= 100 {
        return Ok(("", path));
    }
    let cut = path.match_indices('/').map(|(at, _)| at).find(|at| path.len() - at - 1 <= 100 && *at <= 155);
    let parts = cut.and_then(|at| Some((path.get(..at)?, path.get(at + 1..)?)));
    parts.ok_or_else(|| io::Error::other(format!("`{path}` is too long a name for a tar archive")))
}

pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub fn tar_gz(entries: &[Entry]) -> io::Result<Vec<u8>> {
    gzip(&tar(entries)?)
}

/// A zip archive with compressed files.
pub fn zip(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = small(archive.len())?;
        let mut crc = flate2::Crc::new();
        crc.update(&entry.bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&entry.bytes)?;
        let packed = encoder.finish()?;
        let name = u16::try_from(entry.path.len()).map_err(io::Error::other)?;
        // Version 2.0, UTF-8 names, deflated, 1980-01-01, then sizes.
        let mut common = Vec::new();
        for field in [20_u16, 1 << 11, 8, 0, (1 << 5) | 1] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [crc.sum(), small(packed.len())?, small(entry.bytes.len())?] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&name.to_le_bytes());
        common.extend_from_slice(&[0, 0]);
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&common);
        archive.extend_from_slice(entry.path.as_bytes());
        archive.extend_from_slice(&packed);
        // Made on Unix, so that the mode counts.
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&((0o100_000 | entry.mode) << 16).to_le_bytes());
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(entry.path.as_bytes());
    }
    let count = u16::try_from(entries.len()).map_err(io::Error::other)?.to_le_bytes();
    let (start, size) = (small(archive.len())?, small(directory.len())?);
    archive.extend_from_slice(&directory);
    archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    archive.extend_from_slice(&[count, count].concat());
    archive.extend_from_slice(&[size.to_le_bytes(), start.to_le_bytes()].concat());
    archive.extend_from_slice(&[0, 0]);
    Ok(archive)
}

fn small(size: usize) -> io::Result<u32> {
    u32::try_from(size).map_err(|_| io::Error::other("a file is too large for a zip archive"))
}

/// An `ar` archive, which a Debian package is.
pub fn ar(members: &[(&str, &[u8])]) -> io::Result<Vec<u8>> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        writeln!(archive, "{name:<16}{MTIME:<12}{:<6}{:<6}{:<8}{:<10}`", 0, 0, "100644", bytes.len())?;
        archive.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Cannot fail: a string grows.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 as npm writes checksums.
pub fn base64(bytes: &[u8]) -> String {
    let digit = |bits: u32| STANDARD.get((bits & 63) as usize).map_or('=', |byte| char::from(*byte));
    let group = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        let digits = [18, 12, 6, 0].map(|shift| digit(bits >> shift));
        digits.into_iter().take(chunk.len() + 1).chain(std::iter::repeat_n('=', 3 - chunk.len())).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// Base64 as wheels write checksums: safe in URLs, without padding.
pub fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn checksums_are_written_as_the_standards_give_them() {
        assert_eq!(hex(&sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }

    fn sample() -> Vec<Entry> {
        let deep = format!("{}/end", ["a-rather-long-folder-name"; 5].join("/"));
        vec![Entry::program("bin/run", "#!/bin/sh\necho ran\n"), Entry::text(deep, "deep"), Entry::data("empty", "")]
    }

    /// What other tools unpack is what was packed, with modes.
    fn check(archive: &[u8], name: &str, unpack: &[&str]) {
        let Ok(version) = Command::new(unpack[0]).arg("--version").output() else { return };
        assert!(version.status.success(), "{unpack:?}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), archive).unwrap();
        let ran = Command::new(unpack[0]).args(&unpack[1..]).arg(name).current_dir(folder.path()).status().unwrap();
        assert!(ran.success(), "{unpack:?}");
        for entry in sample() {
            let path = folder.path().join(&entry.path);
            assert_eq!(std::fs::read(&path).unwrap(), entry.bytes, "{}", entry.path);
            #[cfg(unix)]
            if name.ends_with("gz") {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, entry.mode, "{}", entry.path);
            }
        }
    }

    #[test]
    fn other_tools_unpack_what_was_packed() {
        check(&tar_gz(&sample()).unwrap(), "a.tar.gz", &["tar", "-xzf"]);
        check(&zip(&sample()).unwrap(), "a.zip", &["python3", "-c", UNZIP]);
    }

    const UNZIP: &str =
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall('.')";

    #[test]
    fn packing_twice_gives_the_same_bytes_and_a_name_that_does_not_fit_is_refused() {
        assert_eq!(tar_gz(&sample()).unwrap(), tar_gz(&sample()).unwrap());
        assert_eq!(zip(&sample()).unwrap(), zip(&sample()).unwrap());
        assert!(tar(&[Entry::data("x".repeat(300), "")]).is_err());
    }
}
