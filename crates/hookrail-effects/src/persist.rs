//! Files that run something later without another question.

use crate::paths::name_of;
use hookrail_core::tidy_path::{below, is_same, is_within, parts};
use std::path::Path;

/// Profiles and login items, relative to the home folder. A slash at the end means everything below.
const HOME_PROFILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
    ".ssh/authorized_keys",
    ".ssh/authorized_keys2",
    ".ssh/config",
    ".ssh/rc",
    ".ssh/environment",
    ".gitconfig",
    ".config/git/",
    ".config/fish/",
    ".config/systemd/",
    ".config/autostart/",
    ".config/environment.d/",
    ".config/nushell/",
    ".config/powershell/",
    ".config/direnv/",
    ".oh-my-zsh/",
    ".zshrc.d/",
    ".bashrc.d/",
    "Library/LaunchAgents/",
    ".local/share/systemd/",
    ".vimrc",
    ".config/nvim/",
    ".tmux.conf",
    ".screenrc",
    ".pythonrc",
    ".npmrc",
    ".pypirc",
    ".config/pip/",
    ".cargo/config.toml",
    ".docker/config.json",
];
/// The same for the whole machine.
const SYSTEM_PROFILES: &[&str] = &[
    "/etc/profile",
    "/etc/profile.d/",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh/",
    "/etc/zshrc",
    "/etc/zshenv",
    "/etc/environment",
    "/etc/crontab",
    "/etc/cron.d/",
    "/etc/cron.daily/",
    "/etc/cron.hourly/",
    "/etc/cron.weekly/",
    "/etc/cron.monthly/",
    "/etc/anacrontab",
    "/etc/rc.local",
    "/etc/rc.d/",
    "/etc/init.d/",
    "/etc/systemd/",
    "/etc/xdg/autostart/",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf.d/",
    "/etc/sudoers",
    "/etc/sudoers.d/",
    "/etc/pam.d/",
    "/etc/ssh/",
    "/etc/udev/rules.d/",
    "/etc/gitconfig",
    "/usr/lib/systemd/",
    "/lib/systemd/",
    "/Library/LaunchAgents/",
    "/Library/LaunchDaemons/",
    "/var/spool/cron/",
    "/var/at/tabs/",
];

fn listed(path: &Path, list: &[&str]) -> bool {
    // Most entries differ in one of their first letters, which are compared without a call. None has just one.
    let beginning = path.as_os_str().as_encoded_bytes().first_chunk::<2>();
    list.iter().filter(|entry| entry.as_bytes().first_chunk() == beginning).any(|entry| {
        let folder = entry.strip_suffix('/');
        folder.map_or_else(|| is_same(path, Path::new(entry)), |folder| is_within(path, Path::new(folder)))
    })
}

/// Whether a path is a profile or another file that is run or read at login.
pub(crate) fn is_profile(path: &Path, home: Option<&Path>) -> bool {
    match home.and_then(|home| below(path, home)) {
        Some(inside) => listed(inside, HOME_PROFILES),
        None => listed(path, SYSTEM_PROFILES),
    }
}

/// Whether what is written to a path runs later. Files of the project that its own tools run are not meant: they are
/// reviewed with the rest of it.
pub(crate) fn runs_later(path: &Path, home: Option<&Path>) -> bool {
    if is_profile(path, home) {
        // Read by tools, but nothing in these runs.
        return !matches!(name_of(path), ".npmrc" | ".pypirc" | ".inputrc");
    }
    in_repository_hooks(path)
}

/// `.git/hooks/x`, and `.git/config`, which can name programs that git runs.
fn in_repository_hooks(path: &Path) -> bool {
    let mut parts = parts(path).skip_while(|name| *name != b".git");
    if parts.next().is_none() {
        return false;
    }
    match (parts.next(), parts.next()) {
        (Some(b"hooks"), Some(name)) => !name.ends_with(b".sample"),
        (Some(b"hooks" | b"config" | b"config.worktree"), None) => true,
        (Some(b"info"), Some(b"attributes")) => true,
        _ => false,
    }
}

/// What text written to a path does when it is run by something else later.
pub(crate) fn is_workflow(path: &Path) -> bool {
    if matches!(name_of(path), ".gitlab-ci.yml" | "Jenkinsfile" | "azure-pipelines.yml" | "bitbucket-pipelines.yml") {
        return true;
    }
    let text = path.as_os_str().as_encoded_bytes();
    let is_in = |folder: &&str| text.windows(folder.len()).any(|part| part == folder.as_bytes());
    // Most paths have no hidden folder.
    is_in(&"/.") && ["/.github/workflows/", "/.github/actions/", "/.circleci/"].iter().any(is_in)
}
