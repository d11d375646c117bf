//! The hosts that a project's data belongs on anyway: its remote, package registries, this machine, and those the user lists.

use crate::pattern::matches_host;
use hookrail_core::World;
use hookrail_effects::{Repository, WorldReader};
use std::path::Path;

/// The word that stands for these hosts in a selector.
pub(crate) const OWN: &str = "@own";

/// Registries that builds and releases talk to.
const REGISTRIES: &[&str] = &[
    "localhost",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "npm.jsr.io",
    "jsr.io",
    "pypi.org",
    "*.pypi.org",
    "files.pythonhosted.org",
    "crates.io",
    "*.crates.io",
    "rubygems.org",
    "proxy.golang.org",
    "sum.golang.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "api.nuget.org",
    "packagist.org",
    "repo.packagist.org",
    "hex.pm",
    "registry-1.docker.io",
    "docker.io",
    "ghcr.io",
    "quay.io",
    "mcr.microsoft.com",
    "*.debian.org",
    "*.ubuntu.com",
];

/// Whether a host is one of them. `listed` are the patterns of the user, `remote` is the host of the project's `origin`.
pub(crate) fn is_own(host: &str, remote: Option<&str>, listed: &[String]) -> bool {
    let is_remote =
        |remote: &str| host.eq_ignore_ascii_case(remote) || host.eq_ignore_ascii_case(&format!("api.{remote}"));
    REGISTRIES.iter().copied().chain(listed.iter().map(String::as_str)).any(|pattern| matches_host(pattern, host))
        || remote.is_some_and(is_remote)
}

/// The host of `origin` in the repository around a folder.
pub(crate) fn remote_host(folder: &Path, world: &dyn World) -> Option<String> {
    let repository = Repository::around(folder, &WorldReader(world))?;
    let config = world.read(&repository.common.join("config")).ok().flatten()?;
    let config = String::from_utf8_lossy(&config);
    let mut lines = config.lines().map(str::trim).skip_while(|line| *line != "[remote \"origin\"]").skip(1);
    let url = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
        let (name, url) = line.split_once('=')?;
        (name.trim() == "url").then(|| url.trim().to_owned())
    })?;
    host_of(&url).map(str::to_ascii_lowercase)
}

/// The host of `https://host/path` or `user@host:path`.
fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('/').next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let host = rest.split(':').next().unwrap_or(rest);
    host.contains('.').then_some(host)
}
