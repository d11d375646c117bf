//! Patterns of texts and of paths.

use crate::condition::Sense;
use hookrail_effects::{Effect, PathObject, matches_glob};
use std::path::Path;

/// Whether a pattern matches a text. A star stands for any text, a slash included.
pub(crate) fn matches_text(pattern: &str, text: &str) -> bool {
    let is_glob = pattern.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['));
    if is_glob { matches_glob(pattern, text) } else { pattern == text }
}

/// Whether a pattern of hosts matches one. `localhost` is the machine itself by any of its names.
pub(crate) fn matches_host(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.to_ascii_lowercase(), host.to_ascii_lowercase());
    let host = host.trim_end_matches('.');
    matches_text(&pattern, host) || pattern == "localhost" && is_loopback(host)
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "::1" | "0.0.0.0" | "[::1]") || host.ends_with(".localhost") || host.starts_with("127.")
}

/// The folders that patterns of paths start from, each by its own name and by where links lead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    pub home: Vec<Box<Path>>,
    pub project: Vec<Box<Path>>,
}

/// A pattern of paths, made absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathGlob {
    parts: Vec<String>,
}

/// What a pattern of paths is to the path of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathMatch {
    No,
    Yes,
    /// The path is a folder that is treated with all that is in it, and something in it may match.
    Below,
}

/// Whether a pattern matches the path of an effect. `Below` is for the caller to look into, where the tree must tell.
pub(crate) fn matches_path(
    pattern: &str,
    effect: &Effect,
    path: &PathObject,
    roots: &Roots,
    sense: Sense,
) -> PathMatch {
    let globs = absolute(pattern, roots);
    let names = [Some(path.resolved.as_path()), path.through.as_deref()];
    let mut names = names.into_iter().flatten();
    match sense {
        Sense::Permits => {
            let covered = |name: &Path| globs.iter().any(|glob| glob.covers(name, path.pattern));
            if names.all(covered) { PathMatch::Yes } else { PathMatch::No }
        }
        Sense::Forbids => {
            let reaches_below = path.recursive || effect.act.reaches_below();
            let mut best = PathMatch::No;
            for name in names {
                for glob in &globs {
                    match glob.reaches(name, path.pattern, reaches_below) {
                        PathMatch::Yes => return PathMatch::Yes,
                        PathMatch::Below => best = PathMatch::Below,
                        PathMatch::No => {}
                    }
                }
            }
            best
        }
    }
}

/// Whether a pattern names a path that exists; for looking below a folder.
pub(crate) fn names_path(pattern: &str, path: &Path, roots: &Roots) -> bool {
    absolute(pattern, roots).iter().any(|glob| glob.covers(path, false))
}

/// The absolute forms of a pattern: relative to the project, below `~`, or, for a bare name, in every folder.
fn absolute(pattern: &str, roots: &Roots) -> Vec<PathGlob> {
    let trimmed = pattern.trim_end_matches('/');
    if trimmed == "~" {
        return roots.home.iter().map(|home| PathGlob::at(home, "")).collect();
    }
    if let Some(rest) = trimmed.strip_prefix("~/") {
        return roots.home.iter().map(|home| PathGlob::at(home, rest)).collect();
    }
    if trimmed.starts_with('/') || pattern == "/" {
        return vec![PathGlob::at(Path::new(""), trimmed)];
    }
    if !trimmed.contains('/') && trimmed != "." && trimmed != "**" {
        return vec![PathGlob { parts: vec!["**".to_owned(), trimmed.to_owned()] }];
    }
    if trimmed.starts_with("**/") {
        return vec![PathGlob::at(Path::new(""), trimmed)];
    }
    roots.project.iter().map(|project| PathGlob::at(project, trimmed)).collect()
}

impl PathGlob {
    fn at(root: &Path, rest: &str) -> Self {
        let root = names(root).map(str::to_owned);
        let rest = rest.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned);
        Self { parts: root.chain(rest).collect() }
    }

    /// Whether the pattern names a path or a folder above it, for certain.
    fn covers(&self, path: &Path, is_pattern: bool) -> bool {
        let path: Vec<&str> = names(path).collect();
        let fits = |pattern: &str, name: &str| {
            if is_pattern && is_glob(name) { pattern == "*" || pattern == name } else { matches_text(pattern, name) }
        };
        walk(&self.parts, &path, &fits) == Walked::Named
    }

    /// Whether the pattern may name a path, a folder above it or, if what is done reaches that far, something below it.
    fn reaches(&self, path: &Path, is_pattern: bool, reaches_below: bool) -> PathMatch {
        let path: Vec<&str> = names(path).collect();
        let fits = |pattern: &str, name: &str| {
            matches_text(pattern, name)
                || is_pattern && is_glob(name) && (is_glob(pattern) || name == "**" || matches_glob(name, pattern))
        };
        match walk(&self.parts, &path, &fits) {
            Walked::Named => PathMatch::Yes,
            // What is left of the pattern is a place of its own, or may be anywhere below.
            Walked::Above { anywhere: false } if reaches_below || is_pattern && path.last() == Some(&"**") => {
                PathMatch::Yes
            }
            Walked::Above { anywhere: true } if reaches_below => PathMatch::Below,
            Walked::Above { .. } | Walked::Elsewhere => PathMatch::No,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walked {
    /// The pattern names the path, or a folder that it is in.
    Named,
    /// The path is a folder above what the pattern names; `anywhere` if that may be at any depth.
    Above {
        anywhere: bool,
    },
    Elsewhere,
}

/// Compares part by part. Only the last `**` is ever tried again, so that the time is at most the product of the lengths.
fn walk(pattern: &[String], path: &[&str], fits: &dyn Fn(&str, &str) -> bool) -> Walked {
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(p).map(String::as_str), path.get(n)) {
            (None, _) => return Walked::Named,
            // At its end it stands for what is in the folder, and not for the folder.
            (Some("**"), Some(_)) if p + 1 == pattern.len() => return Walked::Named,
            (Some("**"), _) if p + 1 < pattern.len() => {
                retry = Some((p + 1, n));
                p += 1;
            }
            (Some(_), None) => return Walked::Above { anywhere: retry.is_some() },
            (Some(part), Some(name)) if fits(part, name) => {
                p += 1;
                n += 1;
            }
            (Some(_), Some(_)) => {
                let Some((part, from)) = retry else { return Walked::Elsewhere };
                retry = Some((part, from + 1));
                (p, n) = (part, from + 1);
            }
        }
    }
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|component| match component {
        std::path::Component::Normal(name) => name.to_str(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_effects::{Act, Location, Object, Span, Sure};

    fn roots() -> Roots {
        Roots { home: vec![Path::new("/home/me").into()], project: vec![Path::new("/home/me/shop").into()] }
    }

    fn effect(act: Act, resolved: &str, recursive: bool) -> Effect {
        let path = PathObject {
            written: resolved.into(),
            resolved: resolved.into(),
            through: None,
            pattern: is_glob(resolved),
            recursive,
            look: hookrail_effects::ReadDepth::Content,
        };
        let on = Object { path: Some(Box::new(path)), ..Object::default() };
        Effect {
            act,
            on,
            place: Location::Project,
            sure: Sure::Certain,
            unmet: false,
            span: Span::default(),
            via: Vec::new(),
        }
    }

    #[test]
    fn patterns_of_paths_are_compared_in_two_senses() {
        use PathMatch::{Below, No, Yes};
        // pattern, path, recursive, forbids, permits
        let cases = [
            ("src/**", "/home/me/shop/src/a.rs", false, Yes, Yes),
            ("src/**", "/home/me/shop/src", true, Yes, No),
            ("src/**", "/home/me/shop/src", false, No, No),
            ("src", "/home/me/shop/src/a/b.rs", false, Yes, Yes),
            ("src/", "/home/me/shop/src", false, Yes, Yes),
            ("src/*.rs", "/home/me/shop/src/a/b.rs", false, No, No),
            ("src/*.rs", "/home/me/shop/src/b.rs", false, Yes, Yes),
            ("src/keep/x", "/home/me/shop", true, Yes, No),
            (".env", "/home/me/shop/api/.env", false, Yes, Yes),
            (".env*", "/home/me/shop/.env.local", false, Yes, Yes),
            (".env", "/home/me/shop", true, Below, No),
            ("~/scratch/**", "/home/me/scratch/a", true, Yes, Yes),
            ("~/scratch/**", "/home/me/scratch", true, Yes, No),
            ("~/scratch/**", "/home/me/scratch/*", true, Yes, Yes),
            ("~/scratch/**", "/home/me/*", true, Yes, No),
            ("~", "/home/me/x", false, Yes, Yes),
            ("/etc/**", "/etc/hosts", false, Yes, Yes),
            ("/etc/**", "/home/me/shop/etc/hosts", false, No, No),
            ("**/secrets/**", "/home/me/shop/a/secrets/b", false, Yes, Yes),
            ("**/secrets/**", "/home/me/shop/a", true, Below, No),
            ("a/**/z", "/home/me/shop/a/b/c/z", false, Yes, Yes),
            ("a/**/z", "/home/me/shop/a/z", false, Yes, Yes),
            ("./src/x", "/home/me/shop/src/x", false, Yes, Yes),
            ("x.txt", "/home/me/shop/*", false, Yes, No),
        ];
        for (pattern, path, recursive, forbids, permits) in cases {
            let effect = effect(Act::FsWrite, path, recursive);
            let path = effect.on.path.as_deref().unwrap();
            assert_eq!(matches_path(pattern, &effect, path, &roots(), Sense::Forbids), forbids, "{pattern} {path:?}");
            assert_eq!(matches_path(pattern, &effect, path, &roots(), Sense::Permits), permits, "{pattern} {path:?}");
        }
    }

    #[test]
    fn hosts_know_the_names_of_the_machine_itself() {
        for (pattern, host, expected) in [
            ("localhost", "127.0.0.1", true),
            ("localhost", "api.localhost", true),
            ("localhost", "localhost.evil.org", false),
            ("*.example.com", "API.Example.com", true),
            ("*.example.com", "example.com", false),
            ("example.com", "example.com.", true),
        ] {
            assert_eq!(matches_host(pattern, host), expected, "{pattern} {host}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = "**/a/".repeat(200) + "z";
        let path = "/a".repeat(400);
        let effect = effect(Act::FsWrite, &path, false);
        let object = effect.on.path.as_deref().unwrap();
        assert_ne!(matches_path(&pattern, &effect, object, &roots(), Sense::Permits), PathMatch::Yes);
    }
}
