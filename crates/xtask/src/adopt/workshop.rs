//! The folder in which an agent's tests meet our modules.

use hookrail_testkit::folders;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A folder of the agent's source with tests of hooks, and which of its files count.
type Folder = (&'static str, fn(&str) -> bool);

const FOLDERS: [Folder; 2] = [("hooks", |_| true), ("core", |name| name.contains("HookTriggers"))];

/// Modules of the agent that its tests replace or look at, as little of them as that takes.
const STAND_INS: [(&str, &str); 3] = [
    (
        "debug/index.ts",
        "export class DebugLogger { static getLogger() { return new DebugLogger(); } debug() {} log() {} warn() {} error() {} }\n",
    ),
    ("utils/events.ts", "export const coreEvents = { emitFeedback() {} };\n"),
    ("logging/debug-logger.ts", "export class DebugLogger { log() {} warn() {} }\n"),
];

/// A temporary folder with the agent's tests, our modules in place of the agent's, and nothing where the tests only take types.
pub(super) struct Workshop {
    folder: tempfile::TempDir,
    tests: BTreeSet<String>,
}

impl Workshop {
    /// `source` is the agent's, `compat` our module.
    pub fn set_up(source: &Path, compat: &Path, modules: Option<&Path>) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("src");
        let ours = format!("export * from {:?};\n", compat.display().to_string());
        let mut tests = BTreeSet::new();
        for (name, counts) in FOLDERS {
            for file in folders::files_ending(&source.join(name), ".ts")? {
                let (Ok(path), Some(name)) =
                    (file.strip_prefix(source), file.file_name().and_then(|name| name.to_str()))
                else {
                    continue;
                };
                if !counts(name) {
                    continue;
                }
                if name.ends_with(".test.ts") {
                    write(&target.join(path), &fs::read_to_string(&file)?)?;
                    tests.insert(format!("src/{}", path.display()));
                } else {
                    write(&target.join(path), &ours)?;
                }
            }
        }
        let workshop = Self { folder, tests };
        workshop.fill_gaps(&target)?;
        if let Some(modules) = modules {
            link(&modules.canonicalize()?, &workshop.path().join("node_modules"))?;
        }
        Ok(workshop)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The test files, relative to the folder.
    pub fn tests(&self) -> BTreeSet<String> {
        self.tests.clone()
    }

    /// Whatever else the tests import from the agent is there, and empty.
    fn fill_gaps(&self, target: &Path) -> io::Result<()> {
        for test in &self.tests {
            let file = self.path().join(test);
            let text = fs::read_to_string(&file)?;
            let folder = file.parent().unwrap_or(target);
            for import in relative_imports(&text) {
                let path = normal(&folder.join(import)).with_extension("ts");
                if path.exists() || !path.starts_with(target) {
                    continue;
                }
                let known = STAND_INS.iter().find(|(name, _)| path.ends_with(name));
                write(&path, known.map_or("export {};\n", |(_, text)| text))?;
            }
        }
        Ok(())
    }
}

/// Every quoted text in a module that is a relative path to another one.
fn relative_imports(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split(['\'', '"']);
    quoted.filter(|text| (text.starts_with("./") || text.starts_with("../")) && text.ends_with(".js"))
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
        path
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checkout in small, laid out like the agent's.
    fn checkout() -> tempfile::TempDir {
        let checkout = tempfile::tempdir().unwrap();
        let test =
            "import { HookSystem } from '../hookSystem.js';\nimport type { Config } from '../../config/config.js';\n";
        for (path, text) in [
            ("hooks/hookSystem.ts", "export class HookSystem { secret = 'theirs' }"),
            ("hooks/__tests__/system.test.ts", test),
            ("hooks/notes.md", "not a module"),
            ("core/coreToolHookTriggers.ts", "export const theirs = 1;"),
            ("core/lifecycleHookTriggers.test.ts", "const { x } = await import('../debug/index.js');"),
            ("core/somethingElse.test.ts", "no business of ours"),
        ] {
            write(&checkout.path().join(path), text).unwrap();
        }
        checkout
    }

    #[test]
    fn tests_are_copied_and_every_module_of_hooks_is_ours() {
        let checkout = checkout();
        let workshop = Workshop::set_up(checkout.path(), Path::new("/ours/index.js"), None).unwrap();
        let expected = ["src/core/lifecycleHookTriggers.test.ts", "src/hooks/__tests__/system.test.ts"];
        assert_eq!(workshop.tests().into_iter().collect::<Vec<_>>(), expected);
        let read = |path: &str| fs::read_to_string(workshop.path().join("src").join(path)).unwrap();
        for module in ["hooks/hookSystem.ts", "core/coreToolHookTriggers.ts"] {
            assert_eq!(read(module), "export * from \"/ours/index.js\";\n", "{module}");
        }
        assert_eq!(read("config/config.ts"), "export {};\n");
        assert!(read("debug/index.ts").contains("class DebugLogger"));
        assert!(!workshop.path().join("src/core/somethingElse.test.ts").exists());
    }
}
