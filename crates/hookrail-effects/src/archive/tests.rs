//! Archives that the real programs make.

use super::members;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a script of the shell in a folder of its own, and returns the names in the file `out` that it makes.
fn made_by(script: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let ended = Command::new("sh").args(["-ec", script]).current_dir(folder.path()).output().unwrap();
    assert!(ended.status.success(), "{script}: {}", String::from_utf8_lossy(&ended.stderr));
    let names = members(&fs::read(folder.path().join("out")).unwrap());
    names.map(|mut names| {
        names.sort();
        names
    })
}

#[expect(clippy::disallowed_methods, reason = "a test may look for a program of the machine")]
fn exists(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|folder| Path::new(&folder).join(program).exists())
}

#[test]
fn members_of_what_tar_zip_and_python_make_are_found() {
    let tree = "mkdir -p a/b; echo x > a/b/c; seq 5000 > a/d; echo y > .hidden;";
    let long = "x".repeat(90);
    let deep = format!("mkdir -p {long}/{long}; echo x > {long}/{long}/f;");
    let deep_name = format!("{long}/{long}/f");
    let zipped = "python3 -c \"import zipfile; z = zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED); [z.write(n) for n in ('a', 'a/b/c', 'a/d', '.hidden')]; z.comment = b'PK comment'; z.close()\"";
    let usual: &[&str] = &[".hidden", "a/b/c", "a/d"];
    let cases: Vec<(String, Vec<&str>)> = vec![
        (format!("{tree} tar cf out a .hidden"), usual.to_vec()),
        (format!("{tree} tar czf out a .hidden"), usual.to_vec()),
        (format!("{tree} tar cf - a .hidden | gzip -1 > out"), usual.to_vec()),
        (format!("{tree} tar cf - a .hidden | gzip -9 > out"), usual.to_vec()),
        (format!("{tree} tar --format=pax -cf out a .hidden"), usual.to_vec()),
        (format!("{tree} tar --format=v7 -cf out a .hidden"), usual.to_vec()),
        (format!("{tree} tar --format=gnu -czf out a .hidden"), usual.to_vec()),
        (format!("{deep} tar --format=gnu -cf out ?*"), vec![&deep_name]),
        (format!("{deep} tar --format=ustar -cf out ?*"), vec![&deep_name]),
        (format!("{deep} tar --format=pax -czf out ?*"), vec![&deep_name]),
        ("echo x > a; ln -s a l; tar cf out a l".to_owned(), vec!["a", "l"]),
        (format!("{tree} {zipped}"), usual.to_vec()),
    ];
    for (script, expected) in &cases {
        if script.contains("python3") && !exists("python3") {
            continue;
        }
        assert_eq!(
            made_by(script).as_deref(),
            Some(&expected.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..]),
            "{script}"
        );
    }
}

#[test]
fn what_cannot_be_told_is_none() {
    let cases = [
        ("no archive", "echo hello > out"),
        ("something empty", ": > out"),
        (
            "another compression",
            "echo x > a; tar cf - a | (command -v bzip2 >/dev/null && bzip2 || cat /dev/null) > out",
        ),
        ("a tar file that is cut short", "seq 5000 > a; tar cf - a | head -c 2000 > out"),
        ("a gzip file that is cut short", "seq 90000 > a; tar czf - a | head -c 2000 > out"),
        ("something below a link", "mkdir d; ln -s d l; tar cf out l; rm l; mkdir l; echo x > l/f; tar rf out l/f"),
        ("something else that is compressed", "seq 9999 | gzip > out"),
    ];
    for (what, script) in cases {
        assert_eq!(made_by(script), None, "{what}");
    }
}

#[test]
fn random_bytes_are_never_more_than_unknown() {
    // A generator of numbers that needs no crate; the seed is arbitrary.
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    for start in [&b"PK"[..], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0], &[]] {
        for length in [0, 1, 22, 511, 600, 5000] {
            for _ in 0..50 {
                let bytes: Vec<u8> =
                    start.iter().copied().chain(std::iter::repeat_with(&mut next).take(length)).collect();
                let _ = members(&bytes);
            }
        }
    }
}
