//! How this program came onto the machine, told by where it lies and what lies around it.

use hookrail_core::World;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installation {
    Npm,
    Pip,
    Dpkg,
    Homebrew,
    Installer,
    Cargo,
    /// Out of a build folder.
    Build,
    Unknown,
}

impl Installation {
    /// `program` is the file itself, with links resolved.
    pub fn of(program: &Path, world: &dyn World) -> Self {
        let folder = program.parent().unwrap_or(program);
        let has_part = |name: &str| program.components().any(|part| part.as_os_str() == name);
        let found = [
            (Self::Npm, has_part("node_modules")),
            (Self::Homebrew, has_part("Cellar")),
            (Self::Pip, is_beside_python_package(folder)),
            (Self::Dpkg, is_in_dpkg_database(folder)),
            (Self::Installer, receipts(world).iter().any(|receipt| names(receipt, program))),
            (Self::Cargo, cargo_homes(world).iter().any(|home| folder == home.join("bin"))),
            (Self::Build, folder.join(".cargo-lock").is_file() || has_part("released")),
        ];
        found.into_iter().find(|(_, holds)| *holds).map_or(Self::Unknown, |(installation, _)| installation)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pip => "pip",
            Self::Dpkg => "dpkg",
            Self::Homebrew => "Homebrew",
            Self::Installer => "installer",
            Self::Cargo => "cargo",
            Self::Build => "a build of the sources",
            Self::Unknown => "unknown",
        }
    }

    /// How a newer version is installed the same way.
    pub fn update(self) -> &'static str {
        match self {
            Self::Npm => "`npm install hookrail@latest`",
            Self::Pip => "`pip install --upgrade hookrail-cli`",
            Self::Dpkg => "download the new .deb and run `dpkg -i` on it",
            Self::Homebrew => "`brew upgrade hookrail`",
            Self::Installer => "run the installer again",
            Self::Cargo => "`cargo binstall hookrail-cli`, or `cargo install` from the new sources",
            Self::Build => "update the sources and build again",
            Self::Unknown => "see the page `Install` of the book",
        }
    }
}

/// `PREFIX/bin/hookrail` with `PREFIX/lib/python3.x/site-packages/hookrail_cli`; on Windows `PREFIX\Scripts` with
/// `PREFIX\Lib\site-packages`; with `pip install --target DIR`, `DIR/bin` with `DIR/hookrail_cli`.
fn is_beside_python_package(folder: &Path) -> bool {
    let Some(prefix) = folder.parent() else { return false };
    let has_module = |packages: &Path| packages.join("hookrail_cli").is_dir();
    let versions = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut packages = versions.flat_map(|python| [python.join("site-packages"), python.join("dist-packages")]);
    packages.any(|it| has_module(&it)) || has_module(&prefix.join("Lib/site-packages")) || has_module(prefix)
}

/// The database lies in the same root as `/usr/bin`, also in a container's.
fn is_in_dpkg_database(folder: &Path) -> bool {
    let root = folder.strip_suffix("usr/bin");
    root.is_some_and(|root| root.join("var/lib/dpkg/info/hookrail.list").is_file())
}

trait StripSuffix {
    fn strip_suffix(&self, end: &str) -> Option<PathBuf>;
}

impl StripSuffix for Path {
    fn strip_suffix(&self, end: &str) -> Option<PathBuf> {
        let root = self.ends_with(end).then(|| self.ancestors().nth(Path::new(end).components().count()))?;
        root.map(Path::to_path_buf)
    }
}

/// Where the installers note which file they wrote.
fn receipts(world: &dyn World) -> Vec<PathBuf> {
    let below =
        |variable: &str, path: &str| Some(PathBuf::from(world.env(variable).filter(|it| !it.is_empty())?).join(path));
    let places = [
        ("XDG_DATA_HOME", "hookrail/installer"),
        ("HOME", ".local/share/hookrail/installer"),
        ("LOCALAPPDATA", "hookrail/installer"),
    ];
    places.iter().filter_map(|(variable, path)| below(variable, path)).collect()
}

fn names(receipt: &Path, program: &Path) -> bool {
    let noted = std::fs::read_to_string(receipt).ok();
    noted.and_then(|noted| Path::new(noted.trim()).canonicalize().ok()).is_some_and(|noted| noted == program)
}

fn cargo_homes(world: &dyn World) -> Vec<PathBuf> {
    let named = world.env("CARGO_HOME").map(PathBuf::from);
    let usual = ["HOME", "USERPROFILE"].iter().filter_map(|name| Some(PathBuf::from(world.env(name)?).join(".cargo")));
    named.into_iter().chain(usual).filter_map(|home| home.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_engine::RealWorld;

    #[test]
    fn where_a_program_lies_tells_how_it_was_installed() {
        let cases: [(&str, &[&str], Installation); 10] = [
            ("p/node_modules/@hookrail/linux-x64/bin/hookrail", &[], Installation::Npm),
            ("opt/homebrew/Cellar/hookrail/1.0.0/bin/hookrail", &[], Installation::Homebrew),
            ("venv/bin/hookrail", &["venv/lib/python3.12/site-packages/hookrail_cli/__init__.py"], Installation::Pip),
            ("Python/Scripts/hookrail.exe", &["Python/Lib/site-packages/hookrail_cli/__init__.py"], Installation::Pip),
            ("vendored/bin/hookrail", &["vendored/hookrail_cli/__init__.py"], Installation::Pip),
            ("venv/bin/hookrail", &["venv/lib/python3.12/site-packages/hookrail/__init__.py"], Installation::Unknown),
            ("usr/bin/hookrail", &["var/lib/dpkg/info/hookrail.list"], Installation::Dpkg),
            ("usr/bin/hookrail", &["var/lib/dpkg/info/other.list"], Installation::Unknown),
            ("target/debug/hookrail", &["target/debug/.cargo-lock"], Installation::Build),
            ("somewhere/hookrail", &[], Installation::Unknown),
        ];
        for (program, around, expected) in cases {
            let root = tempfile::tempdir().unwrap();
            for file in around.iter().chain([&program]) {
                let path = root.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            let program = root.path().join(program).canonicalize().unwrap();
            assert_eq!(Installation::of(&program, &RealWorld::default()), expected, "{}", program.display());
        }
    }
}
