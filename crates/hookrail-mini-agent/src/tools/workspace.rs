use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The directory that files may be read from and written to.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The real path of a file that exists or may be created, if it is inside; links are followed before that is decided.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("`{path}` is outside the working directory");
        let wanted = self.root.join(path);
        let mut existing = wanted.as_path();
        let mut missing = Vec::new();
        let mut real = loop {
            match existing.canonicalize() {
                Ok(real) => break real,
                // A link to nowhere is not missing: writing to it would create what it points to.
                Err(error) if error.kind() != ErrorKind::NotFound || existing.is_symlink() => {
                    return Err(format!("`{path}` cannot be reached: {error}"));
                }
                Err(_) => {
                    let (Some(name), Some(parent)) = (existing.file_name(), existing.parent()) else {
                        return Err(outside());
                    };
                    missing.push(name);
                    existing = parent;
                }
            }
        };
        real.extend(missing.into_iter().rev());
        if real.starts_with(&self.root) { Ok(real) } else { Err(outside()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::project::TempProject;

    #[test]
    fn only_what_is_really_inside_is_inside() {
        let project = TempProject::new().file("inside/a.txt", "").file("outside/b.txt", "");
        let root = project.at("inside");
        let workspace = Workspace::new(&root);
        #[cfg(unix)]
        for (target, link) in [("../outside", "way-out"), ("a.txt", "way-in"), ("../outside/new.txt", "nowhere")] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        let inside = [
            ("a.txt", "a.txt"),
            ("./a.txt", "a.txt"),
            ("new/deep/file.txt", "new/deep/file.txt"),
            ("../inside/a.txt", "a.txt"),
            #[cfg(unix)]
            ("way-in", "a.txt"),
        ];
        for (path, real) in inside {
            assert_eq!(workspace.resolve(path), Ok(root.join(real)), "{path}");
        }
        assert_eq!(workspace.resolve(root.join("a.txt").to_str().unwrap()), Ok(root.join("a.txt")));

        let outside = ["..", "../outside/b.txt", "../outside/new.txt", "/etc/passwd", "new/../../outside/b.txt"];
        #[cfg(unix)]
        let outside = outside.into_iter().chain(["way-out/b.txt", "way-out/new.txt", "nowhere"]);
        for path in outside {
            let refusal = workspace.resolve(path).unwrap_err();
            assert!(refusal.starts_with(&format!("`{path}` ")), "{refusal}");
        }
    }
}
