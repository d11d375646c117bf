//! Takes the first sentence of each native hook's documentation, so that `hookrail list` can say what a hook is for
//! without a second copy of it, and the name of the target.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[expect(clippy::disallowed_methods, reason = "how Cargo talks to a build script")]
fn main() -> io::Result<()> {
    let packs = Path::new("../hookrail-packs/src");
    println!("cargo:rerun-if-changed={}", packs.display());
    let mut table = String::from("&[\n");
    for file in sources(packs)? {
        if let Some((id, sentence)) = about(&fs::read_to_string(&file)?) {
            // Cannot fail: a string grows.
            let _ = writeln!(table, "    ({id:?}, {sentence:?}),");
        }
    }
    table.push_str("]\n");
    let folder = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    // `hookrail self version` names it; crates only know the parts.
    println!("cargo:rustc-env=HOOKRAIL_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    fs::write(folder.join("abouts.rs"), table)
}

/// Every source file, sorted, so that the result is always the same.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The id of the hook in a file, and the first paragraph of the comment above its type.
fn about(source: &str) -> Option<(&str, String)> {
    let implementation = source.split("impl NativeHook for ").nth(1)?;
    let name = implementation.split(|c: char| !c.is_alphanumeric()).next()?;
    let id = implementation.split("fn id(").nth(1)?.split('"').nth(1)?;
    let before = source.split(&format!("\npub struct {name}")).next()?;
    let mut comment: Vec<&str> = before
        .lines()
        .rev()
        .skip_while(|line| line.starts_with("#["))
        .map_while(|line| line.strip_prefix("///"))
        .collect();
    comment.reverse();
    let paragraph: Vec<&str> = comment.iter().map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
    Some((id, paragraph.join(" ")))
}
