//! What no file of this repository may hold, and how it is laid out.
#![allow(clippy::unwrap_used, reason = "a broken expectation must fail the test")]

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Every file under version control, or about to be.
fn files() -> Vec<String> {
    let git = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(git).current_dir(ROOT).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    String::from_utf8(listed.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
}

/// A key that could be used: PEM with a body, a secret key of minisign, or DER of PKCS #8 or SEC 1.
fn holds_private_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let pem = text.match_indices("PRIVATE KEY-----").any(|(at, _)| {
        let body = text[at..].split_once("-----").map_or("", |(_, rest)| rest).trim_start_matches(['\r', '\n']);
        body.chars().take(64).filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/')).count() == 64
    });
    let minisign = text.contains(concat!("RWRTY0", "Iy"));
    // SEQUENCE, INTEGER 0 or 1, then an algorithm's SEQUENCE or the key's OCTET STRING.
    let der = bytes.first() == Some(&0x30)
        && bytes.windows(4).take(8).any(|part| matches!(part, [2, 1, 0, 0x30] | [2, 1, 1, 4]));
    pem || minisign || der
}

#[test]
fn no_file_holds_a_private_key() {
    let found: Vec<String> = files()
        .into_iter()
        .filter(|file| std::fs::read(Path::new(ROOT).join(file)).is_ok_and(|bytes| holds_private_key(&bytes)))
        .collect();
    assert!(found.is_empty(), "make keys in the tests that need them: {found:?}");
}

#[test]
fn private_keys_are_recognised_and_their_names_are_not() {
    let body = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgabcdefghijklmnopqrstuvwxyz0123456789";
    let pem = |kind: &str| format!("-----BEGIN {kind}PRIVATE {}-----\n{body}\n", "KEY");
    assert!(holds_private_key(pem("").as_bytes()) && holds_private_key(pem("RSA ").as_bytes()));
    assert!(holds_private_key(&[0x30, 0x81, 0x87, 2, 1, 0, 0x30, 0x13]));
    assert!(!holds_private_key(format!("\"-----BEGIN PRIVATE {}-----\", \"other\"", "KEY").as_bytes()));
    assert!(!holds_private_key(b"plain text"));
}

/// The files whose path begins and ends so, with their text.
fn texts(beginning: &str, ending: &str) -> Vec<(String, String)> {
    let wanted = files().into_iter().filter(|file| file.starts_with(beginning) && file.ends_with(ending));
    let read = |file: String| Some((file.clone(), std::fs::read_to_string(Path::new(ROOT).join(&file)).ok()?));
    wanted.filter_map(read).collect()
}

#[test]
fn no_crate_is_a_handful_of_lines() {
    for (manifest, _) in texts("crates/", "/Cargo.toml") {
        let folder = manifest.trim_end_matches("Cargo.toml");
        let lines: usize = texts(&format!("{folder}src/"), ".rs").iter().map(|(_, text)| text.lines().count()).sum();
        assert!(lines > 300, "{folder} has {lines} lines: fold it into the crate that uses it");
    }
}

#[test]
fn no_source_file_has_more_than_six_hundred_lines() {
    let long: Vec<(String, usize)> = texts("crates/", ".rs")
        .into_iter()
        .filter(|(file, _)| file.contains("/src/"))
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > 600)
        .collect();
    assert!(long.is_empty(), "take these apart: {long:?}");
}

#[test]
fn what_is_shipped_depends_on_no_example() {
    let manifests = texts("crates/", "/Cargo.toml").into_iter().chain(texts("Cargo.toml", ""));
    for (file, text) in manifests {
        let named = text.lines().find(|line| line.contains("path = ") && line.contains("examples/"));
        assert_eq!(named, None, "{file}");
    }
}

#[test]
fn the_commands_have_errors_with_a_kind_and_not_bare_texts() {
    for (file, text) in texts("crates/hookrail-cli/src/", ".rs") {
        let ends = [", String> {", ", String>;", ", String> =", ", String>)"];
        let bare = text.lines().find(|line| line.contains("Result<") && ends.iter().any(|end| line.contains(end)));
        assert_eq!(bare, None, "{file}");
    }
}

/// Keys of JSON in a source text that are not in snake case.
fn camel_case_keys(text: &str) -> Vec<&str> {
    let is_camel = |key: &&str| {
        let letters = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
        letters && key.starts_with(|c: char| c.is_ascii_lowercase()) && key.contains(|c: char| c.is_ascii_uppercase())
    };
    let keys = text.split("\": ").filter_map(|before| before.rsplit('"').next());
    keys.filter(is_camel).collect()
}

/// Formats of others: SARIF, MCP, and the files and events of agents.
const FOREIGN_FORMATS: [&str; 4] = ["validate/sarif.rs", "verify/mcp_server.rs", "verify/canary.rs", "demo/project.rs"];

#[test]
fn what_commands_print_as_json_has_keys_in_snake_case() {
    assert_eq!(camel_case_keys(r#"json!({ "dry_run": 1, "hookRuns": 2, "a": "bC" })"#), ["hookRuns"]);
    for (file, text) in texts("crates/hookrail-cli/src/commands/", ".rs") {
        if !FOREIGN_FORMATS.iter().any(|foreign| file.ends_with(foreign)) {
            assert_eq!(camel_case_keys(&text), [""; 0], "{file}");
        }
    }
}

/// Words that the glossary of the project replaces: a sentence names what acts, such as a user, an agent or a process.
const REPLACED_WORDS: [&str; 4] = ["somebody", "nobody", "everybody", "anybody"];

#[test]
fn what_a_person_reads_has_no_word_that_the_glossary_replaces() {
    let pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"].map(|page| texts(page, ""));
    let rules = texts("crates/hookrail-rules/src/safety/", ".toml");
    let pages = pages.into_iter().flatten().chain(texts("docs/src/", ".md")).chain(rules);
    for (file, text) in pages {
        let words = text.split(|c: char| !c.is_alphabetic() && c != '_').map(str::to_lowercase);
        let found: Vec<String> = words.filter(|word| REPLACED_WORDS.contains(&word.as_str())).collect();
        assert_eq!(found, [""; 0], "{file}");
    }
}
