//! What was found, and where the last findings are kept.

use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::{Held, HookError, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The file below the state directory.
const FILE: &str = "verify.json";

/// How much of a program is read to know it again, and in how many pieces.
const PIECE: u64 = 1 << 16;
const PIECES: u64 = 64;

/// What an agent does with a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// It does what hooks say.
    Honoured,
    /// It does not.
    Ignored,
    /// The agent has no such thing.
    Absent,
    /// It could not be tried.
    Untested,
}

impl Finding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Ignored => "ignored",
            Self::Absent => "absent",
            Self::Untested => "untested",
        }
    }
}

/// One surface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurfaceOutcome {
    pub surface: String,
    pub result: Finding,
    /// What there is to say about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub milliseconds: u64,
}

/// An agent, as it was when it was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub agent: String,
    pub title: String,
    pub program: PathBuf,
    pub version: Option<String>,
    /// The file behind the program.
    pub file: Option<Fingerprint>,
    /// The hookrail that tried it.
    pub hookrail: String,
    /// When, in milliseconds since 1970.
    pub since: i64,
    pub surfaces: Vec<SurfaceOutcome>,
}

impl Verified {
    /// The surfaces with a finding, by name.
    pub fn with(&self, finding: Finding) -> Vec<&str> {
        self.surfaces.iter().filter(|it| it.result == finding).map(|it| it.surface.as_str()).collect()
    }

    /// What is different about the agent now, if anything is.
    pub fn change(&self, version: Option<&str>, program: &Path) -> Option<String> {
        match (self.version.as_deref(), version) {
            (Some(then), Some(now)) if then != now => Some(format!("it was {then} then")),
            _ if self.file.as_ref().is_some_and(|file| !file.is_of(program)) => {
                Some("its program is another one since then".to_owned())
            }
            _ => None,
        }
    }
}

/// The last findings of every agent that was tried on this machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Memory(BTreeMap<String, Verified>);

impl Memory {
    /// What is remembered; nothing if there is no file, or none that can be read: trying again writes a new one.
    pub fn read(place: &CurrentProject) -> Self {
        place.state.as_ref().map(|state| Self::read_below(state, &place.world)).unwrap_or_default()
    }

    fn read_below(state: &Path, world: &dyn World) -> Self {
        let bytes = world.read(&state.join(FILE)).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    pub fn of(&self, agent: &str) -> Option<&Verified> {
        self.0.get(agent)
    }

    /// Remembers a run. Surfaces that were not tried this time keep what was found on the very same program.
    fn put(&mut self, mut verified: Verified) {
        if let Some(known) = self.0.remove(&verified.agent)
            && (known.version == verified.version && known.file == verified.file)
        {
            let tried = |outcome: &SurfaceOutcome| verified.surfaces.iter().any(|it| it.surface == outcome.surface);
            let kept: Vec<SurfaceOutcome> = known.surfaces.into_iter().filter(|outcome| !tried(outcome)).collect();
            verified.surfaces.extend(kept);
        }
        self.0.insert(verified.agent.clone(), verified);
    }

    /// Adds a run to what is remembered by now: another run may have ended meanwhile.
    pub fn keep(place: &CurrentProject, verified: Verified) -> Result<(), CliError> {
        let root = place.state_root()?;
        root.check().map_err(CliError::machine)?;
        Self::keep_below(root.path(), &place.world, verified).map_err(CliError::machine)
    }

    /// Reads and replaces the file under a lock, so that of two runs that end together none is lost.
    fn keep_below(state: &Path, world: &dyn World, verified: Verified) -> Result<(), HookError> {
        world.make_folder(state)?;
        let _held: Held = world.lock(state)?;
        let mut memory = Self::read_below(state, world);
        memory.put(verified);
        let text = serde_json::to_vec_pretty(&memory).map_err(|error| HookError::new(error.to_string()))?;
        world.write(&state.join(FILE), &text)
    }
}

/// What a file is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    hash: String,
    bytes: u64,
    /// Seconds since 1970.
    modified: Option<u64>,
}

impl Fingerprint {
    pub fn of(program: &Path) -> Option<Self> {
        let (bytes, modified) = size_and_age(program)?;
        Some(Self { hash: hash(program)?, bytes, modified })
    }

    /// Agents are large: a file of the same size and age is taken for the same.
    fn is_of(&self, program: &Path) -> bool {
        let same = size_and_age(program).is_some_and(|now| now == (self.bytes, self.modified));
        same || hash(program).is_some_and(|hash| hash == self.hash)
    }
}

fn size_and_age(program: &Path) -> Option<(u64, Option<u64>)> {
    let found = program.metadata().ok()?;
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some((found.len(), modified.map(|age| age.as_secs())))
}

/// Programs of agents have hundreds of megabytes: of a large one, evenly spread pieces are read.
fn hash(program: &Path) -> Option<String> {
    let mut file = std::fs::File::open(program).ok()?;
    let length = file.metadata().ok()?.len();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&length.to_le_bytes());
    let step = (length / PIECES).max(PIECE);
    let mut at = 0;
    while at < length {
        file.seek(SeekFrom::Start(at)).ok()?;
        let mut piece = Vec::new();
        file.by_ref().take(PIECE).read_to_end(&mut piece).ok()?;
        hasher.update(&piece);
        at += step;
    }
    Some(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_engine::RealWorld;

    fn verified(version: &str, surfaces: &[(&str, Finding)]) -> Verified {
        let outcome = |(surface, result): &(&str, Finding)| SurfaceOutcome {
            surface: (*surface).to_owned(),
            result: *result,
            note: None,
            milliseconds: 1,
        };
        Verified {
            agent: "claude".to_owned(),
            title: "Claude Code".to_owned(),
            program: PathBuf::from("/nowhere/claude"),
            version: Some(version.to_owned()),
            file: None,
            hookrail: "0".to_owned(),
            since: 0,
            surfaces: surfaces.iter().map(outcome).collect(),
        }
    }

    #[test]
    fn surfaces_that_were_not_tried_again_are_kept_for_the_same_version_only() {
        let mut memory = Memory::default();
        memory.put(verified("1", &[("shell", Finding::Honoured), ("stop", Finding::Ignored)]));
        memory.put(verified("1", &[("stop", Finding::Honoured)]));
        let known = memory.of("claude").unwrap();
        assert_eq!(known.with(Finding::Honoured), ["stop", "shell"]);
        memory.put(verified("2", &[("stop", Finding::Honoured)]));
        assert_eq!(memory.of("claude").unwrap().with(Finding::Honoured), ["stop"]);
    }

    #[test]
    fn runs_that_end_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..8).map(|number| format!("agent-{number}")).collect();
        std::thread::scope(|scope| {
            for name in &names {
                let verified = Verified { agent: name.clone(), ..verified("1", &[("shell", Finding::Honoured)]) };
                scope.spawn(|| Memory::keep_below(folder.path(), &RealWorld::default(), verified).unwrap());
            }
        });
        let memory = Memory::read_below(folder.path(), &RealWorld::default());
        let lost: Vec<&String> = names.iter().filter(|name| memory.of(name).is_none()).collect();
        assert_eq!(lost, Vec::<&String>::new());
    }

    #[test]
    fn an_agent_is_another_one_when_its_version_or_its_program_is() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("claude");
        std::fs::write(&program, "one").unwrap();
        let known = Verified { file: Fingerprint::of(&program), ..verified("1", &[]) };
        assert_eq!(known.change(Some("1"), &program), None);
        assert_eq!(known.change(Some("2"), &program).as_deref(), Some("it was 1 then"));
        std::fs::write(&program, "another").unwrap();
        assert!(known.change(Some("1"), &program).is_some());
    }
}
