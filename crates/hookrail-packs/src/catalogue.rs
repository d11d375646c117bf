use crate::contract::{ModelHook, PackContract, UsualContract};
use crate::{core, fsm, isdlc, orchestrator, planning};
use hookrail_core::{Event, HookError, HookPack, Mode, NativeHook, World};

/// Hooks that belong together and are switched on together.
#[derive(Debug)]
pub struct Pack {
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// What applies when no configuration mentions it.
    pub default_mode: Mode,
    pub hooks: &'static [&'static dyn NativeHook],
    /// The terms of its own document.
    pub contract: &'static dyn PackContract,
    /// What its plugin for Claude Code registers.
    pub plugin: &'static [PluginHook],
}

impl HookPack for Pack {
    fn name(&self) -> &'static str {
        self.name
    }

    fn default_mode(&self) -> Mode {
        self.default_mode
    }

    fn hooks(&self) -> &'static [&'static dyn NativeHook] {
        self.hooks
    }

    /// What protects hookrail itself: a project cannot switch it off.
    fn is_firm(&self) -> bool {
        matches!(self.name, "core" | "safety")
    }

    fn breaker_threshold(&self, event: &Event, world: &dyn World) -> Option<u32> {
        self.contract.breaker_threshold(event, world)
    }

    fn recover(&self, event: &Event, world: &dyn World) -> Result<(), HookError> {
        self.contract.recover(event, world)
    }
}

/// Every pack, for an engine.
pub fn packs() -> impl Iterator<Item = &'static dyn HookPack> {
    CATALOGUE.iter().map(|pack| pack as &dyn HookPack)
}

/// One entry of a plugin's `hooks.json`.
#[derive(Clone, Copy, Debug)]
pub struct PluginHook {
    /// Claude Code's name of the event.
    pub event: &'static str,
    pub matcher: Option<&'static str>,
    pub timeout_seconds: u32,
    /// For Claude Code's own model, in place of the command. Other agents get the command.
    pub prompt: Option<&'static str>,
}

/// Every hook there is. A new one is a file and a line here.
pub static CATALOGUE: &[Pack] = &[
    Pack {
        name: "core",
        about: "protects hookrail's own files and records events",
        default_mode: Mode::Enforce,
        hooks: &[&core::ProtectedPaths, &core::EventLog, &core::RedactOutput],
        contract: &UsualContract,
        plugin: core::PLUGIN,
    },
    Pack {
        name: "safety",
        about: "rules against dangerous calls: deletions, leaks, force pushes, code from the network",
        default_mode: Mode::Enforce,
        hooks: &[],
        contract: &UsualContract,
        plugin: &[],
    },
    Pack {
        name: "fsm",
        about: "brings the tasks of a skill into the agent's task list",
        default_mode: Mode::Off,
        hooks: &[&fsm::HydrateTasks],
        contract: &fsm::FsmContract,
        plugin: fsm::PLUGIN,
    },
    Pack {
        name: "orchestrator",
        about: "keeps a team of agents that implements a plan honest",
        default_mode: Mode::Off,
        hooks: &[
            &orchestrator::TaskCompleted,
            &orchestrator::StopGuard,
            &orchestrator::SessionContext,
            &orchestrator::PrecompactState,
            &orchestrator::ScopeProtection,
        ],
        contract: &orchestrator::OrchestratorContract,
        plugin: orchestrator::PLUGIN,
    },
    Pack {
        name: "isdlc",
        about: "holds a phased workflow to its order, its plan and its branch",
        default_mode: Mode::Off,
        hooks: &[
            &isdlc::PhaseLoopController,
            &isdlc::PlanSurfacer,
            &isdlc::PhaseSequenceGuard,
            &isdlc::BranchGuard,
            &isdlc::StateWriteValidator,
            &isdlc::WalkthroughTracker,
            &isdlc::DiscoverMenuGuard,
        ],
        contract: &isdlc::IsdlcContract,
        plugin: isdlc::PLUGIN,
    },
    Pack {
        name: "planning",
        about: "guards decisions, workspace, budget and results of a planning workflow",
        default_mode: Mode::Off,
        hooks: &[
            &planning::GuardImmutableDecisions,
            &planning::EnforcePlanningLock,
            &planning::ResearchBudgetTracker,
            &planning::ProtectSpecImmutability,
            &planning::CheckpointLogger,
            &planning::InjectPlanningContext,
            &planning::ValidateTechLeadOutput,
            &planning::ValidateArchitectOutput,
            &planning::ValidateQaStrategistOutput,
            &planning::ValidateAgentGeneric,
            &planning::CheckRequiredArtifacts,
            &planning::CheckWorkflowCompleteness,
            &planning::PreservePlanningContext,
            &planning::SetupPlanningEnv,
        ],
        contract: &planning::PlanningContract,
        plugin: planning::PLUGIN,
    },
];

/// The pack of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Pack> {
    CATALOGUE.iter().find(|pack| pack.name == name)
}

/// The hook with this id (`pack/name`), and its pack.
#[must_use]
pub fn hook(id: &str) -> Option<(&'static Pack, &'static dyn NativeHook)> {
    let pack = find(id.split_once('/')?.0)?;
    pack.hooks.iter().find(|hook| hook.id() == id).map(|hook| (pack, *hook))
}

/// Every check that an agent's own model can make in place of a hook.
pub fn model_hooks() -> impl Iterator<Item = &'static ModelHook> {
    CATALOGUE.iter().flat_map(|pack| pack.contract.model_hooks())
}

/// Tells the names that there are, for whoever needs them.
pub type KnownNames = fn() -> Vec<&'static str>;

/// Hands the names of all packs and hooks to a check for misspelt ones in a configuration.
pub fn check_names(check: &mut dyn FnMut(&str, KnownNames)) {
    check("packs", || CATALOGUE.iter().map(|pack| pack.name).collect());
    check("hooks", || CATALOGUE.iter().flat_map(|pack| pack.hooks).map(|hook| hook.id()).collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_hook_has_its_own_id_within_its_pack_and_an_event() {
        let mut seen = HashSet::new();
        for pack in CATALOGUE {
            for entry in pack.hooks {
                assert!(entry.id().starts_with(&format!("{}/", pack.name)), "{}", entry.id());
                assert!(seen.insert(entry.id()), "{} is there twice", entry.id());
                assert!(!entry.events().is_empty(), "{} never runs", entry.id());
                assert!(hook(entry.id()).is_some());
            }
        }
    }

    #[test]
    fn every_hook_ends_before_its_agent_would_end_it() {
        let claude = hookrail_dialects::dialect("claude").unwrap();
        for pack in CATALOGUE.iter().filter(|pack| pack.name != "core") {
            for (hook, event) in pack.hooks.iter().flat_map(|hook| hook.events().iter().map(move |event| (hook, event)))
            {
                let rows = pack.plugin.iter().filter(|row| claude.event(row.event).as_ref() == Some(event));
                let Some(documented) = rows.map(|row| row.timeout_seconds).max() else { continue };
                let own = hook.profile().timeout.map_or(10, |timeout| timeout.as_secs());
                assert!(own < u64::from(documented), "{} at {event:?}: {own} s of {documented} s", hook.id());
            }
        }
    }
}
