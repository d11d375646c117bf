//! The names of what a call can do.

use std::fmt;

macro_rules! acts {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What is done, as `family.verb`. The names are the vocabulary of rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Act { $($(#[$doc])* $variant,)* }

        impl Act {
            /// Every act, in the order of the book.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// `family.verb`, as rules write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

acts! {
    FsRead = "fs.read",
    FsWrite = "fs.write",
    FsDelete = "fs.delete",
    FsMove = "fs.move",
    FsPermissions = "fs.permissions",
    FsLink = "fs.link",
    /// Something that is known to hold a secret is read.
    SecretRead = "secret.read",
    /// A secret's value is printed, and so reaches the model and the transcript.
    SecretPrint = "secret.print",
    SecretSend = "secret.send",
    NetFetch = "net.fetch",
    NetSend = "net.send",
    NetListen = "net.listen",
    /// A program that no model describes.
    ExecRun = "exec.run",
    ExecTest = "exec.test",
    ExecBuild = "exec.build",
    /// Code that comes over the network is run.
    ExecRemote = "exec.remote",
    /// Code that is decoded or decrypted first is run.
    ExecDecoded = "exec.decoded",
    /// Code that is only known at run time is run.
    ExecDynamic = "exec.dynamic",
    ExecPrivileged = "exec.privileged",
    GitRead = "git.read",
    GitStage = "git.stage",
    GitCommit = "git.commit",
    GitBranch = "git.branch",
    GitPush = "git.push",
    GitForce = "git.force",
    GitRewrite = "git.rewrite",
    GitDiscard = "git.discard",
    GitConfig = "git.config",
    DbRead = "db.read",
    DbWrite = "db.write",
    DbDestroy = "db.destroy",
    InfraRead = "infra.read",
    InfraWrite = "infra.write",
    InfraDestroy = "infra.destroy",
    ContainerRun = "container.run",
    ContainerDestroy = "container.destroy",
    PackageInstall = "package.install",
    PackagePublish = "package.publish",
    /// Something that runs later, without being asked again: a profile, a crontab, a login item, a git hook.
    HostPersist = "host.persist",
    HostService = "host.service",
    HostProcess = "host.process",
    HostPower = "host.power",
    HostDisk = "host.disk",
    /// hookrail itself or an agent's hook files are changed.
    GuardChange = "guard.change",
    AgentSpawn = "agent.spawn",
    AgentAsk = "agent.ask",
}

impl Act {
    /// The act with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|act| act.name() == name)
    }

    /// The part before the dot.
    #[must_use]
    pub fn family(self) -> &'static str {
        self.name().split_once('.').map_or(self.name(), |(family, _)| family)
    }

    /// The more general act that this one also is, for rules that forbid: a rule about `git.push` holds for `git.force`.
    #[must_use]
    pub const fn implies(self) -> Option<Self> {
        match self {
            Self::SecretRead => Some(Self::FsRead),
            Self::SecretSend => Some(Self::NetSend),
            Self::GitForce => Some(Self::GitPush),
            Self::HostPersist => Some(Self::FsWrite),
            _ => None,
        }
    }

    /// Whether the act changes the path that it is about.
    #[must_use]
    pub const fn changes_path(self) -> bool {
        matches!(
            self,
            Self::FsWrite | Self::FsDelete | Self::FsMove | Self::FsPermissions | Self::FsLink | Self::HostPersist
        )
    }

    /// Whether the act only looks.
    #[must_use]
    pub const fn only_reads(self) -> bool {
        matches!(
            self,
            Self::FsRead
                | Self::SecretRead
                | Self::SecretPrint
                | Self::NetFetch
                | Self::GitRead
                | Self::DbRead
                | Self::InfraRead
                | Self::AgentAsk
        )
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Act;

    #[test]
    fn every_act_is_found_by_its_name_and_has_a_family() {
        for act in Act::ALL {
            assert_eq!(Act::parse(act.name()), Some(*act));
            assert!(act.name().starts_with(act.family()) && act.family().len() < act.name().len(), "{act}");
        }
        assert_eq!(Act::parse("fs.erase"), None);
    }
}
