//! The machines that releases are made for: one row each. Tests compare the rows with the workflows, so that what is shipped is
//! compiled and run by a check.

/// A machine, by the names that each way of installing has for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// As rustc names it.
    pub triple: &'static str,
    /// `process.platform` and `process.arch` of Node.
    pub node: (&'static str, &'static str),
    /// The platform of a Python wheel.
    pub wheel: &'static str,
    /// The architecture of a Debian package.
    pub debian: Option<&'static str>,
    /// The architecture of an OCI image; such images are for Linux.
    pub oci: Option<&'static str>,
    /// The blocks of a Homebrew formula that it belongs in: system and processor.
    pub homebrew: Option<(&'static str, &'static str)>,
    /// The machine of GitHub Actions that compiles it.
    pub runner: &'static str,
}

// A statically linked binary needs no C library, so one for GNU/Linux also serves systems with musl.
pub const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        node: ("linux", "x64"),
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
        oci: Some("amd64"),
        homebrew: Some(("linux", "intel")),
        runner: "ubuntu-24.04",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        node: ("linux", "arm64"),
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
        oci: Some("arm64"),
        homebrew: Some(("linux", "arm")),
        runner: "ubuntu-24.04-arm",
    },
    Target {
        triple: "aarch64-apple-darwin",
        node: ("darwin", "arm64"),
        wheel: "macosx_11_0_arm64",
        debian: None,
        oci: None,
        homebrew: Some(("macos", "arm")),
        runner: "macos-14",
    },
    Target {
        triple: "x86_64-apple-darwin",
        node: ("darwin", "x64"),
        wheel: "macosx_10_12_x86_64",
        debian: None,
        oci: None,
        homebrew: Some(("macos", "intel")),
        runner: "macos-14",
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        node: ("win32", "x64"),
        wheel: "win_amd64",
        debian: None,
        oci: None,
        homebrew: None,
        runner: "windows-2022",
    },
];

impl Target {
    pub fn find(triple: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.triple == triple)
    }

    pub fn is_windows(&self) -> bool {
        self.triple.contains("-windows-")
    }

    /// File names of the programs there: the one that people type, and the one that agents start.
    pub fn programs(&self) -> [&'static str; 2] {
        if self.is_windows() { ["hookrail.exe", "hookrail-hook.exe"] } else { ["hookrail", "hookrail-hook"] }
    }

    /// The program that people type.
    pub fn program(&self) -> &'static str {
        let [program, _] = self.programs();
        program
    }

    /// What the npm package with the binary is called; the Node client computes the same name.
    pub fn npm_package(&self) -> String {
        format!("@hookrail/{}-{}", self.node.0, self.node.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn workflow(name: &str) -> String {
        let path = Path::new(crate::ROOT).join(".github/workflows").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The rows `{ os: …, target: … }` of a workflow's matrix.
    fn matrix(workflow: &str) -> Vec<(&str, &str)> {
        let rows = workflow.lines().filter_map(|line| line.trim().strip_prefix("- { os: ")?.strip_suffix(" }"));
        rows.filter_map(|row| row.split_once(", target: ")).collect()
    }

    #[test]
    fn every_shipped_target_is_compiled_on_pull_requests_and_nothing_else_is_released() {
        let rows: Vec<(&str, &str)> = TARGETS.iter().map(|target| (target.runner, target.triple)).collect();
        for name in ["ci.yml", "release.yml"] {
            assert_eq!(matrix(&workflow(name)), rows, "the matrix of {name} and TARGETS differ");
        }
    }

    #[test]
    fn every_workflow_that_lists_targets_runs_the_packager_on_them() {
        for (name, command) in [
            ("ci.yml", "cargo xtask dist --target ${{ matrix.target }} --test"),
            ("release.yml", "cargo xtask dist --target ${{ matrix.target }}"),
        ] {
            assert!(workflow(name).contains(command), "{name} does not run `{command}`");
        }
    }

    #[test]
    fn no_two_targets_share_a_package() {
        for (at, target) in TARGETS.iter().enumerate() {
            for other in &TARGETS[at + 1..] {
                assert_ne!(target.node, other.node);
                assert_ne!(target.wheel, other.wheel);
                assert_ne!(target.triple, other.triple);
            }
        }
    }
}
