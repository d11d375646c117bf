//! Aliases in git's configuration.

use crate::repository::Repository;
use hookrail_core::World;
use std::path::PathBuf;

/// What an alias stands for, from the repository's, the user's or the machine's configuration. A file that cannot be read
/// defines none.
pub(super) fn find_alias(name: &str, repository: &Repository, world: &dyn World) -> Option<String> {
    let home = world.env("HOME").map(PathBuf::from);
    let config = world.env("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.clone()?.join(".config")));
    let files = [
        Some(repository.common_dir.join("config")),
        home.map(|home| home.join(".gitconfig")),
        config.map(|config| config.join("git/config")),
        Some(PathBuf::from("/etc/gitconfig")),
    ];
    files.into_iter().flatten().find_map(|file| {
        let bytes = world.read(&file).ok().flatten()?;
        alias_in(&String::from_utf8_lossy(&bytes), name)
    })
}

/// The last definition in a file counts.
fn alias_in(text: &str, name: &str) -> Option<String> {
    let mut within = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            within = section.trim_end_matches(']').trim().eq_ignore_ascii_case("alias");
        } else if within
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case(name)
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_read_from_its_section_alone() {
        let text =
            "[user]\n\tci = no\n[alias]\n\tst = status\n\tCI = commit -v\n\tx = \"!git commit\"\n[other]\nst = no\n";
        for (name, expected) in
            [("ci", Some("commit -v")), ("st", Some("status")), ("x", Some("!git commit")), ("y", None)]
        {
            assert_eq!(alias_in(text, name).as_deref(), expected, "{name}");
        }
    }
}
