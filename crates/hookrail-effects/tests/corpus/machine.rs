//! The machine that the labelled calls speak of, in memory.

use hookrail_core::FileKind;
use hookrail_effects::{Machine, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

pub const HOME: &str = "/home/dev";
pub const PROJECT: &str = "/home/dev/code/shop";

#[derive(Debug, Default)]
pub struct Fixture {
    files: BTreeMap<PathBuf, String>,
    folders: BTreeSet<PathBuf>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Fixture {
    /// What the calls' machine has in its home and its project.
    pub fn new() -> Self {
        let mut all = Self::default();
        for name in [
            ".ssh/id_rsa",
            ".ssh/id_ed25519",
            ".ssh/id_ed25519.pub",
            ".ssh/known_hosts",
            ".ssh/config",
            ".ssh/authorized_keys",
            ".aws/credentials",
            ".config/gh/hosts.yml",
            ".netrc",
            ".npmrc",
            ".kube/config",
            ".bashrc",
            ".zshrc",
            ".bash_history",
            ".zsh_history",
            ".gitconfig",
            ".claude/settings.json",
            "Documents/thesis.md",
            ".cargo/registry/src/index-1/serde-1.0.0/src/lib.rs",
            "code/other/README.md",
            "code/other/src/main.rs",
            "code/other/.git/HEAD",
        ] {
            all.file(&format!("{HOME}/{name}"), "x");
        }
        for name in [
            "Downloads",
            "Pictures",
            ".codex",
            ".gemini",
            ".cursor",
            ".config/systemd/user",
            ".config/fish",
            "Library/LaunchAgents",
        ] {
            all.folder(&format!("{HOME}/{name}"));
        }
        for name in [
            "src/main.rs",
            "README.md",
            "src/app.ts",
            "src/cart.ts",
            "src/env.ts",
            "src/legacy/old_cart.ts",
            "src/secrets/vault.ts",
            "src/config.ts",
            "src/git/hooks/useBranch.ts",
            "src/pricing.ts",
            "tests/fixtures/dummy.pem.txt",
            "docs/danger.md",
            "docs/credentials.md",
            "scripts/build.sh",
            "scripts/clean.sh",
            "data/orders.csv",
            "data/backup.sql",
            "infra/prod/main.tf",
            "k8s/api.yaml",
            "Makefile",
            ".env.example",
            ".github/workflows/ci.yml",
            "CLAUDE.md",
            "analysis/churn.ipynb",
            ".husky/pre-commit",
            ".claude/settings.json",
            ".env",
            ".env.local",
            "node_modules/react/index.js",
            "dist/app.js",
            "build/a.o",
            "src/wip.ts",
            "slides.html",
        ] {
            all.file(&format!("{PROJECT}/{name}"), "a\n");
        }
        for name in [
            "migrations",
            "prisma",
            "runbooks",
            ".claude/worktrees/sweet-davinci",
            ".claude/commands",
            ".claude/agents",
            ".vscode",
            ".hookrail",
            "terraform",
            "target/debug/incremental",
            "coverage",
            ".next",
            ".venv/bin",
        ] {
            all.folder(&format!("{PROJECT}/{name}"));
        }
        all.file(
            &format!("{PROJECT}/package.json"),
            r#"{"name":"shop","version":"1.0.0","scripts":{"test":"vitest"}}"#,
        );
        all.file(&format!("{PROJECT}/.git/HEAD"), "ref: refs/heads/feat/login\n");
        all.file(&format!("{PROJECT}/.git/config"), "[remote \"origin\"]\n\turl = https://github.com/acme/shop.git\n");
        all.links.insert(format!("{PROJECT}/cfg-link").into(), format!("{HOME}/.aws/credentials").into());
        all.folder("/tmp/shop");
        all
    }

    fn file(&mut self, path: &str, text: &str) {
        self.folder(Path::new(path).parent().unwrap().to_str().unwrap());
        self.files.insert(path.into(), text.to_owned());
    }

    fn folder(&mut self, path: &str) {
        self.folders.extend(Path::new(path).ancestors().map(Path::to_owned));
    }

    pub fn around(&self) -> Surroundings {
        Surroundings { home: Some(HOME.into()), ..Surroundings::unknown(Path::new(PROJECT)) }
    }
}

impl Machine for Fixture {
    fn env(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some(HOME.to_owned()),
            "USER" => Some("dev".to_owned()),
            _ => None,
        }
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if self.links.contains_key(path) {
            return Some(FileKind::Link);
        }
        if self.files.contains_key(path) {
            return Some(FileKind::File);
        }
        self.folders.contains(path).then_some(FileKind::Folder)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let mut real = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => {
                    real.pop();
                }
                other => real.push(other),
            }
            if let Some(target) = self.links.get(&real) {
                real.clone_from(target);
            }
        }
        real
    }

    fn list(&self, folder: &Path) -> Option<Vec<String>> {
        let all = self.files.keys().chain(&self.folders).chain(self.links.keys());
        let inside = all
            .filter(|path| path.parent() == Some(folder))
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
        let names: BTreeSet<String> = inside.collect();
        self.folders.contains(folder).then(|| names.into_iter().collect())
    }

    fn read_small(&self, path: &Path) -> Option<String> {
        self.files.get(&self.resolve(path)).cloned()
    }
}
