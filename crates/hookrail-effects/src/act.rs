//! The names of what a call can do.

use std::fmt;

macro_rules! acts {
    ($(#[doc = $about:literal] $variant:ident = $name:literal,)*) => {
        /// What is done, as `family.verb`. The names are the vocabulary of rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Act { $(#[doc = $about] $variant,)* }

        impl Act {
            /// Every act, in the order of the book.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// `family.verb`, as rules write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The act with this name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// What happens, as a sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about.trim_ascii(),)* }
            }
        }
    };
}

acts! {
    /// A file's content or a folder's names are read.
    FsRead = "fs.read",
    /// A file is created or its content changed.
    FsWrite = "fs.write",
    /// A file or folder is removed.
    FsDelete = "fs.delete",
    /// A file or folder gets another name or place.
    FsMove = "fs.move",
    /// Owner, mode or attributes of a file change.
    FsPermissions = "fs.permissions",
    /// A link is made.
    FsLink = "fs.link",
    /// Something that is known to hold a secret is read.
    SecretRead = "secret.read",
    /// A secret's value is printed, and so reaches the model and the transcript.
    SecretPrint = "secret.print",
    /// A secret leaves the machine.
    SecretSend = "secret.send",
    /// Something is fetched over the network.
    NetFetch = "net.fetch",
    /// Something of this machine is sent over the network.
    NetSend = "net.send",
    /// A port is opened for others.
    NetListen = "net.listen",
    /// A program that no model describes.
    ExecRun = "exec.run",
    /// The project's tests are run.
    ExecTest = "exec.test",
    /// The project is built.
    ExecBuild = "exec.build",
    /// Code that comes over the network is run.
    ExecRemote = "exec.remote",
    /// Code that is decoded or decrypted first is run.
    ExecDecoded = "exec.decoded",
    /// Code that is only known at run time is run.
    ExecDynamic = "exec.dynamic",
    /// Something is run with the rights of another user.
    ExecPrivileged = "exec.privileged",
    /// A repository is asked.
    GitRead = "git.read",
    /// The index of a repository changes.
    GitStage = "git.stage",
    /// A commit is made.
    GitCommit = "git.commit",
    /// Branches or tags are made, moved or switched.
    GitBranch = "git.branch",
    /// Commits are sent to another repository.
    GitPush = "git.push",
    /// A push replaces or removes what others may have.
    GitForce = "git.force",
    /// Commits that exist are replaced by others.
    GitRewrite = "git.rewrite",
    /// Changes that are nowhere else are thrown away.
    GitDiscard = "git.discard",
    /// The configuration of git changes.
    GitConfig = "git.config",
    /// A database is asked.
    DbRead = "db.read",
    /// Data or schema of a database change.
    DbWrite = "db.write",
    /// A database, its tables or all of their rows are removed.
    DbDestroy = "db.destroy",
    /// A cloud or cluster is asked.
    InfraRead = "infra.read",
    /// Something in a cloud or cluster is made or changed.
    InfraWrite = "infra.write",
    /// Something in a cloud or cluster is removed.
    InfraDestroy = "infra.destroy",
    /// A container is started, or something is run in one.
    ContainerRun = "container.run",
    /// Containers, images or their volumes are removed.
    ContainerDestroy = "container.destroy",
    /// A package is installed, and with it code of others.
    PackageInstall = "package.install",
    /// A package is published.
    PackagePublish = "package.publish",
    /// Something that runs later, without being asked again: a profile, a crontab, a login item, a git hook.
    HostPersist = "host.persist",
    /// A service of the machine is started, stopped or changed.
    HostService = "host.service",
    /// Processes are ended or changed.
    HostProcess = "host.process",
    /// The machine is switched off, restarted or put to sleep.
    HostPower = "host.power",
    /// Disks or file systems are formatted, mounted or written to directly.
    HostDisk = "host.disk",
    /// hookrail itself or an agent's hook files are changed.
    GuardChange = "guard.change",
    /// A program of hookrail, or an agent's configuration, is copied to where nothing guards it.
    GuardCopy = "guard.copy",
    /// The check of who is on the other side of an encrypted connection is switched off.
    TlsWeaken = "tls.weaken",
    /// Code is loaded into programs that are started later, by a variable such as `LD_PRELOAD`.
    LoaderInject = "loader.inject",
    /// The sandbox around commands is switched off or opened.
    SandboxDisable = "sandbox.disable",
    /// Tests or checks are skipped, removed or made to pass.
    CheckWeaken = "check.weaken",
    /// Money is sent, or paid back.
    PaySend = "pay.send",
    /// A message is sent to people.
    MessageSend = "message.send",
    /// A session in a linked worktree changes the main checkout or what all worktrees share.
    WorktreeReach = "worktree.reach",
    /// Another agent is given a task.
    AgentSpawn = "agent.spawn",
    /// The user is asked.
    AgentAsk = "agent.ask",
}

impl Act {
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
            Self::SecretSend | Self::PaySend | Self::MessageSend => Some(Self::NetSend),
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
