//! Files that no tool may change: those that decide whether hooks run at all.

use crate::{Base, Env, FileExtent, FileRole, HookFile, Layout, agents};
use hookrail_core::tidy_path::{below, is_same, is_within};
use std::path::{Path, PathBuf};

/// How much a protected location stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One file.
    File,
    /// The folder and everything below it.
    Tree,
    /// Files directly in the folder, with one of these endings; none means every file.
    FilesIn(&'static [&'static str]),
}

/// A location that decides whether guards run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectedFile {
    /// Whose it is: the name of an agent, or `hookrail`.
    pub owner: &'static str,
    pub path: PathBuf,
    pub extent: Extent,
}

impl ProtectedFile {
    /// Whether a write to `path`, which is absolute and tidy, changes what is protected.
    ///
    /// A folder above a protected file is another question: see [`Self::is_below`].
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        match self.extent {
            Extent::File | Extent::Tree => is_within(path, &self.path),
            Extent::FilesIn(endings) => {
                let ends = || {
                    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                    endings.is_empty() || endings.contains(&ending)
                };
                is_within(path, &self.path)
                    && (is_same(path, &self.path) || (path.parent() == Some(&self.path) && ends()))
            }
        }
    }

    /// Whether removing or replacing the folder `path` takes this away.
    #[must_use]
    pub fn is_below(&self, path: &Path) -> bool {
        self.path.starts_with(path)
    }
}

/// Everything that decides about hooks in a project: the hook files of every supported agent in every scope, what agents
/// believe about them, and hookrail's own configuration and state.
///
/// A file that a variable moves is protected in both places: the next session may not have the variable. Home and project
/// are tidy, and so are the locations; some agents share one, which is then named twice.
#[must_use]
pub fn protected_files(home: Option<&Path>, project: &Path, env: Env<'_>) -> Vec<ProtectedFile> {
    let mut files = own_files(home, project, env);
    for agent in agents() {
        let scripts = agent.format.layout == Layout::Scripts;
        for file in agent.format.files_here() {
            // Where there is no home, only what has another base can be named.
            let usual = file.usual(home.unwrap_or(Path::new("")), project);
            let moved = file.moved(env).map(|path| tidy(&path));
            let paths = [Some(usual), moved].into_iter().flatten().filter(|path| path.is_absolute());
            files.extend(paths.map(|path| protected(agent.name, file, path, scripts)));
        }
    }
    files
}

/// Whether a tidy path is a file of hooks in its usual place, or below one. A no says nothing: [`protected_files`] knows more
/// places.
#[must_use]
pub fn names_hook_file(path: &Path, home: Option<&Path>, project: &Path) -> bool {
    let inside = |base: Base| match base {
        Base::Home => home.and_then(|home| below(path, home)),
        Base::Project => below(path, project),
        Base::Root => Some(path),
    };
    let [home, project, root] = [Base::Home, Base::Project, Base::Root].map(|base| inside(base).and_then(Path::to_str));
    let files = agents().flat_map(|agent| agent.format.files_here()).filter(|file| file.reach == FileExtent::File);
    files.filter(|file| !file.folder.is_empty() && !file.file.is_empty()).any(|file| {
        let inside = match file.base {
            Base::Home => home,
            Base::Project => project,
            Base::Root => root,
        };
        let rest =
            inside.and_then(|inside| inside.strip_prefix(file.folder)?.strip_prefix('/')?.strip_prefix(file.file));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn protected(owner: &'static str, file: &HookFile, path: PathBuf, scripts: bool) -> ProtectedFile {
    let folder = |path: PathBuf| path.parent().map(Path::to_owned).unwrap_or(path);
    match file.reach {
        FileExtent::Tree => ProtectedFile { owner, path, extent: Extent::Tree },
        FileExtent::Folder if scripts && file.role != FileRole::Store => {
            ProtectedFile { owner, path: folder(path), extent: Extent::Tree }
        }
        FileExtent::Folder => {
            let endings: &[&str] = if file.file.ends_with(".json") { &["json"] } else { &["js", "mjs", "cjs", "ts"] };
            ProtectedFile { owner, path: folder(path), extent: Extent::FilesIn(endings) }
        }
        FileExtent::File => ProtectedFile { owner, path, extent: Extent::File },
    }
}

/// Without empty parts, `.` and a slash at the end. A person has set the variable: `..` stays as it is written.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

/// hookrail's own: configuration of all layers, and the state directory with cache, trust, journal and install records.
fn own_files(home: Option<&Path>, project: &Path, env: Env<'_>) -> Vec<ProtectedFile> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(|value| tidy(Path::new(&value)));
    let below = |folder: &str| home.map(|home| home.join(folder));
    let places = [
        Some(PathBuf::from("/etc/hookrail")),
        Some(project.join(".hookrail")),
        below(".hookrail"),
        below(".config/hookrail"),
        set("XDG_CONFIG_HOME").map(|folder| folder.join("hookrail")),
        below(".local/state/hookrail"),
        set("XDG_STATE_HOME").map(|folder| folder.join("hookrail")),
        set("HOOKRAIL_STATE_DIR"),
    ];
    let absolute = places.into_iter().flatten().filter(|path| path.is_absolute());
    absolute.map(|path| ProtectedFile { owner: "hookrail", path, extent: Extent::Tree }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_decides_about_hooks_is_covered_and_its_neighbours_are_not() {
        let env = |name: &str| match name {
            "CLAUDE_CONFIG_DIR" => Some("/moved/claude".to_owned()),
            "CODEX_HOME" => Some("/moved/codex".to_owned()),
            "XDG_CONFIG_HOME" => Some("/moved/config".to_owned()),
            "HOOKRAIL_STATE_DIR" => Some("/moved/state".to_owned()),
            _ => None,
        };
        let files = protected_files(Some(Path::new("/home/me")), Path::new("/p"), &env);
        let cases = [
            ("/p/.claude/settings.json", true),
            ("/p/.claude/settings.local.json", true),
            ("/p/.claude/commands/x.md", false),
            ("/home/me/.claude/settings.json", true),
            ("/moved/claude/settings.json", true),
            ("/moved/claude/plugins/p/hooks/hooks.json", true),
            ("/home/me/.claude/plugins/cache/x/hooks/hooks.json", true),
            ("/home/me/.claude.json", true),
            ("/home/me/.claude/projects/x.jsonl", false),
            ("/p/.codex/hooks.json", true),
            ("/p/.codex/config.toml", true),
            ("/moved/codex/config.toml", true),
            ("/home/me/.codex/hooks.json", true),
            ("/p/.gemini/settings.json", true),
            ("/home/me/.gemini/extensions/e/hooks/hooks.json", true),
            ("/home/me/.gemini/trustedFolders.json", true),
            ("/p/.llxprt/settings.json", true),
            ("/home/me/.config/llxprt-code/settings.json", cfg!(target_os = "linux")),
            ("/p/.qwen/settings.json", true),
            ("/p/.github/hooks/anything.json", true),
            ("/p/.github/hooks/readme.md", false),
            ("/p/.github/workflows/ci.yml", false),
            ("/home/me/.copilot/hooks/mine.json", true),
            ("/p/.cursor/hooks.json", true),
            ("/p/.cursor/rules/x.md", false),
            ("/p/.factory/hooks.json", true),
            ("/p/.factory/settings.json", true),
            ("/p/.hookrail/hookrail.toml", true),
            ("/p/.hookrail/dev-mode", true),
            ("/moved/config/hookrail/hookrail.toml", true),
            ("/home/me/.config/hookrail/hookrail.toml", true),
            ("/moved/state/journal/head", true),
            ("/home/me/.local/state/hookrail/trust.json", true),
            ("/etc/hookrail/hookrail.toml", true),
            ("/p/src/main.rs", false),
            ("/p/settings.json", false),
        ];
        for (path, expected) in cases {
            assert_eq!(files.iter().any(|file| file.covers(Path::new(path))), expected, "{path}");
        }
    }

    #[test]
    fn what_is_named_at_once_is_among_what_is_protected() {
        let (home, project) = (Path::new("/home/me"), Path::new("/p"));
        let files = protected_files(Some(home), project, &|_| None);
        for (path, expected) in [
            ("/p/.claude/settings.json", true),
            ("/p/.claude/settings.json/x", true),
            ("/p/.claude/settings.jsonc", false),
            ("/home/me/.codex/config.toml", true),
            ("/home/me/.claude", false),
            ("/q/.claude/settings.json", false),
            ("/p/src/main.rs", false),
        ] {
            let named = names_hook_file(Path::new(path), Some(home), project);
            assert_eq!(named, expected, "{path}");
            assert!(!named || files.iter().any(|file| file.covers(Path::new(path))), "{path}");
        }
    }

    #[test]
    fn a_parent_of_a_protected_file_is_known_as_one() {
        let files = protected_files(Some(Path::new("/home/me")), Path::new("/p"), &|_| None);
        for (path, expected) in [("/p/.claude", true), ("/p/.codex", true), ("/p", true), ("/p/src", false)] {
            assert_eq!(files.iter().any(|file| file.is_below(Path::new(path))), expected, "{path}");
        }
    }
}
