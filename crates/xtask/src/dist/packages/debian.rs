//! A Debian package, with manual pages and completions where Debian looks for them.

use super::files::{Entry, ar, gzip, tar_gz};
use super::{ABOUT, Contents, Package, REPOSITORY, VERSION};
use std::io;

pub fn make(contents: &Contents) -> io::Result<Option<Package>> {
    let Some(architecture) = contents.target.debian else { return Ok(None) };
    let files = files(contents)?;
    let size: usize = files.iter().map(|entry| entry.bytes.len()).sum();
    let depends = if contents.is_static { "" } else { "Depends: libc6, libgcc-s1\n" };
    let control = format!(
        "Package: hookrail\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: hookrail contributors <{REPOSITORY}/issues>\nInstalled-Size: {}\n{depends}Section: devel\nPriority: optional\nHomepage: {REPOSITORY}\nDescription: {ABOUT}\n Native hooks, rules about what a call does, a journal and the programs to look at it,\n for Claude Code, Codex, Gemini CLI and other agents.\n",
        size.div_ceil(1024)
    );
    let control = tar_gz(&[Entry::text("./control", control)])?;
    let package = ar(&[("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &tar_gz(&files)?)])?;
    Ok(Some(Package::new(format!("hookrail_{VERSION}_{architecture}.deb"), package)))
}

fn files(contents: &Contents) -> io::Result<Vec<Entry>> {
    let mut files: Vec<Entry> = contents.programs("./usr/bin/").collect();
    for page in &contents.manual {
        files.push(Entry::data(format!("./usr/share/man/man1/{}.gz", page.path), gzip(&page.bytes)?));
    }
    for (name, path) in [
        ("hookrail.bash", "bash-completion/completions/hookrail"),
        ("_hookrail", "zsh/vendor-completions/_hookrail"),
        ("hookrail.fish", "fish/vendor_completions.d/hookrail.fish"),
    ] {
        let script = contents.completions.iter().find(|entry| entry.path == name);
        files.extend(script.map(|script| Entry::data(format!("./usr/share/{path}"), script.bytes.clone())));
    }
    let document =
        |name: &str| contents.documents.iter().find(|entry| entry.path == name).map(|it| it.bytes.as_slice());
    let changelog = gzip(document("CHANGELOG.md").unwrap_or_default())?;
    files.push(Entry::data("./usr/share/doc/hookrail/changelog.gz", changelog));
    let licences = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"].map(|name| document(name).unwrap_or_default());
    files.push(Entry::data("./usr/share/doc/hookrail/copyright", licences.join(&b"\n\n"[..])));
    Ok(files)
}
