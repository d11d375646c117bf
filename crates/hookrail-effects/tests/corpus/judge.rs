//! A few rules over effects, as a pack of safety rules would have them: effects must be enough to decide.

use hookrail_effects::{Act, Effect, Effects, Location, Sure};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    None,
    Ask,
    Deny,
}

pub fn judge(effects: &Effects) -> Verdict {
    effects.list.iter().map(one).max().unwrap_or(Verdict::None)
}

fn one(effect: &Effect) -> Verdict {
    use Location as At;
    let target = effect.on.target.as_deref().unwrap_or_default();
    let local = effect.on.host.as_deref().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "::1"));
    let far = matches!(
        effect.place,
        At::Home | At::Outside | At::System | At::Vcs | At::Rc | At::Agent | At::Device | At::Remote
    );
    match effect.act {
        Act::FsDelete | Act::FsMove if far => Verdict::Deny,
        Act::FsDelete if effect.place == At::Unknown => Verdict::Ask,
        Act::FsDelete => match &effect.on.path {
            Some(path) if effect.place == At::Project && (path.recursive || path.pattern) => Verdict::Ask,
            _ => Verdict::None,
        },
        Act::FsPermissions if far => Verdict::Deny,
        Act::FsWrite if matches!(effect.place, At::Outside | At::System | At::Vcs | At::Device) => Verdict::Deny,
        Act::SecretRead if effect.sure == Sure::Certain || effect.on.path.is_some() => Verdict::Ask,
        Act::SecretPrint | Act::SecretSend => Verdict::Ask,
        Act::NetListen if !local => Verdict::Ask,
        Act::NetSend if effect.on.program.as_deref() == Some("rsync") => Verdict::Ask,
        Act::NetFetch
            if effect
                .on
                .host
                .as_deref()
                .is_some_and(|host| host == "169.254.169.254" || host.matches('.').count() > 2) =>
        {
            Verdict::Ask
        }
        Act::NetFetch if effect.on.url.as_deref().is_some_and(|url| url.starts_with("file://")) => Verdict::Ask,
        Act::ExecRemote | Act::ExecDecoded | Act::ExecPrivileged => Verdict::Deny,
        Act::ExecDynamic if !target.is_empty() => Verdict::Deny,
        Act::GitForce | Act::GitRewrite => Verdict::Deny,
        Act::GitDiscard => Verdict::Ask,
        Act::GitPush if effect.on.branch.as_deref() == Some("main") => Verdict::Ask,
        Act::DbDestroy | Act::InfraDestroy | Act::ContainerDestroy => Verdict::Deny,
        Act::InfraWrite => Verdict::Ask,
        Act::PackageInstall if effect.place == At::System || effect.on.url.is_some() => Verdict::Ask,
        Act::PackagePublish => Verdict::Deny,
        Act::HostPersist | Act::HostPower | Act::HostDisk | Act::HostService | Act::GuardChange => Verdict::Deny,
        Act::HostProcess if target.starts_with("all") || target.starts_with("name:") || target == "fork-bomb" => {
            Verdict::Ask
        }
        _ => Verdict::None,
    }
}
