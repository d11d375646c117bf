//! The change of a task list: whole or not at all.
//!
//! Everything happens in a folder of our own inside the list, [`STAGE`], which agents do not look into:
//!
//! 1. The intent is written there, in full and to the disk: the one file that has to survive. Until now, an end of the process
//!    leaves the old list; from now on, the new one.
//! 2. The new files are written there. If there is no room for them, nothing has moved yet: the intent is taken back.
//! 3. The old files move into the folder, the new ones out of it. A move never replaces a file, so a task that was
//!    adds meanwhile is safe: if it took one of our ids, all moves are undone and we begin again with higher ids.
//! 4. The intent is removed, then what is left in the folder.
//!
//! If a step fails, the moves are undone. If the process dies, the next one of the session finds the folder: without an
//! intent it clears it away, with one it does the work again, from the intent. That work may have been done in part or
//! in whole; the tasks it put in the list are marked, and so make room like any other marked task.

use super::error::FsmError;
use super::hydration::{Hydration, TaskFile};
use super::task_list::{MARK, TaskList};
use hookrail_core::{FileKind, Held, HookError, Relocation, World};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Our folder in a task list.
const STAGE: &str = ".hookrail";
const INTENT: &str = "intent";
/// How often ids may be taken from under our hands.
const ATTEMPTS: usize = 20;

/// What is to become of the list, in full: enough to do it without the skill's file.
#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    hydration: Hydration,
    /// By how much ids are raised, at least.
    base: u64,
    /// The list's mark before the change.
    mark: Option<u64>,
}

/// Brings a skill's tasks into the list in `folder`.
pub fn hydrate(folder: &Path, hydration: &Hydration, world: &dyn World) -> Result<(), FsmError> {
    let unchanged = |source| FsmError::Unchanged { list: folder.to_owned(), source };
    refuse_links(folder, world)?;
    world.make_folder(folder).map_err(unchanged)?;
    let _held = claim(folder, world)?;
    let stage = StagedFolder { list: folder, folder: folder.join(STAGE), world };
    stage.finish_earlier_work()?;
    for _ in 0..ATTEMPTS {
        let list = TaskList::read(folder, hydration, world)?;
        let base = list.highest.max(list.mark.unwrap_or(0));
        let intent = Intent { hydration: hydration.clone(), base, mark: list.mark };
        let mut change = ListChange::prepare(&stage, &list, &intent, base)?;
        if let Err(error) = stage.write_intent(&intent) {
            stage.clear_away();
            return Err(unchanged(error));
        }
        match change.write_drafts().and_then(|()| change.carry_out()) {
            Ok(Attempt::Done) => return Ok(()),
            Ok(Attempt::Hindered) => change.take_back()?,
            Err(error) => {
                change.take_back()?;
                return Err(unchanged(error));
            }
        }
    }
    Err(FsmError::Crowded(folder.to_owned()))
}

/// Finishes what a process that died left of a change to the list in `folder`.
pub fn recover(folder: &Path, world: &dyn World) -> Result<(), FsmError> {
    let stage = StagedFolder { list: folder, folder: folder.join(STAGE), world };
    if world.kind(&stage.folder)?.is_none() {
        return Ok(());
    }
    refuse_links(folder, world)?;
    let _held = claim(folder, world)?;
    stage.finish_earlier_work()
}

/// A list that is a link, or lies in one, is somewhere else than its name says, and whatever is there would be changed.
fn refuse_links(list: &Path, world: &dyn World) -> Result<(), FsmError> {
    for folder in [Some(list), list.parent()].into_iter().flatten() {
        if world.kind(folder)? == Some(FileKind::Link) {
            return Err(FsmError::Link(folder.to_owned()));
        }
    }
    Ok(())
}

/// Keeps other processes of hookrail away from the list, and whoever else locks its `.lock`.
fn claim(folder: &Path, world: &dyn World) -> Result<(Held, Option<Held>), FsmError> {
    let ours = world.lock(folder)?;
    let agents = folder.join(".lock");
    let agents = match world.kind(&agents)? {
        Some(FileKind::File) => Some(world.lock(&agents)?),
        Some(FileKind::Folder | FileKind::Link | FileKind::Other) | None => None,
    };
    Ok((ours, agents))
}

/// Our folder in a list that we hold.
struct StagedFolder<'a> {
    list: &'a Path,
    folder: PathBuf,
    world: &'a dyn World,
}

impl StagedFolder<'_> {
    fn write_intent(&self, intent: &Intent) -> Result<(), HookError> {
        let text = serde_json::to_vec(intent).map_err(|error| HookError::new(error.to_string()))?;
        self.world.make_folder(&self.folder)?;
        self.world.write(&self.folder.join(INTENT), &text)
    }

    fn finish_earlier_work(&self) -> Result<(), FsmError> {
        match self.world.kind(&self.folder)? {
            None => return Ok(()),
            Some(FileKind::Folder) => {}
            Some(FileKind::File | FileKind::Link | FileKind::Other) => {
                return Err(FsmError::InTheWay(self.folder.clone()));
            }
        }
        let path = self.folder.join(INTENT);
        match self.world.read(&path)? {
            None => self.clear_away(),
            Some(bytes) => {
                let intent = serde_json::from_slice(&bytes).map_err(|_| FsmError::InTheWay(path))?;
                self.redo(&intent)?;
            }
        }
        Ok(())
    }

    /// Does the work of an intent again. A failure leaves the intent for the next process.
    fn redo(&self, intent: &Intent) -> Result<(), FsmError> {
        let unfinished = |source| FsmError::Unfinished { list: self.list.to_owned(), source };
        for _ in 0..ATTEMPTS {
            self.remove_all_but(Some(INTENT)).map_err(unfinished)?;
            let mut list = TaskList::read(self.list, &intent.hydration, self.world)?;
            // The mark may have been raised already; what it was before is part of the base.
            let base = intent.base.max(list.highest);
            list.mark = list.mark.or(intent.mark);
            let mut change = ListChange::prepare(self, &list, intent, base)?;
            change.write_drafts().map_err(unfinished)?;
            match change.carry_out() {
                Ok(Attempt::Done) => return Ok(()),
                Ok(Attempt::Hindered) => change.undo_moves().map_err(unfinished)?,
                Err(error) => {
                    change.undo_moves().map_err(unfinished)?;
                    return Err(unfinished(error));
                }
            }
        }
        Err(FsmError::Crowded(self.list.to_owned()))
    }

    /// What cannot be removed does no harm; the next process tries again.
    fn clear_away(&self) {
        let _ = self.remove_all_but(None).and_then(|()| self.world.remove_folder(&self.folder));
    }

    fn remove_all_but(&self, kept: Option<&str>) -> Result<(), HookError> {
        let names = self.world.list(&self.folder)?.unwrap_or_default();
        let mut doomed = names.iter().filter(|name| Some(name.as_str()) != kept);
        doomed.try_for_each(|name| self.world.remove(&self.folder.join(name)))
    }
}

/// How an attempt went.
enum Attempt {
    Done,
    /// Another process was there first.
    Hindered,
}

/// One attempt.
struct ListChange<'a> {
    stage: &'a StagedFolder<'a>,
    incoming: Vec<TaskFile>,
    outgoing: Vec<String>,
    /// Moves that were made, from where to where.
    moves: Vec<(PathBuf, PathBuf)>,
}

impl<'a> ListChange<'a> {
    fn prepare(stage: &'a StagedFolder<'a>, list: &TaskList, intent: &Intent, base: u64) -> Result<Self, FsmError> {
        let mut incoming = intent.hydration.files(base)?;
        let mut outgoing = list.outgoing.clone();
        let highest = intent.hydration.highest(base).max(list.highest);
        // A mark is raised, never made.
        if let Some(mark) = list.mark {
            incoming.push(TaskFile { name: MARK.to_owned(), content: mark.max(highest).to_string().into_bytes() });
            outgoing.push(MARK.to_owned());
        }
        Ok(Self { stage, incoming, outgoing, moves: Vec::new() })
    }

    fn write_drafts(&self) -> Result<(), HookError> {
        let StagedFolder { folder, world, .. } = self.stage;
        self.incoming.iter().try_for_each(|file| world.write_draft(&folder.join(draft(&file.name)), &file.content))
    }

    /// Makes the moves and forgets the intent. Unless all is done, the caller has to undo what was done.
    fn carry_out(&mut self) -> Result<Attempt, HookError> {
        let StagedFolder { list, folder, world } = self.stage;
        for name in std::mem::take(&mut self.outgoing) {
            match self.relocate(list.join(&name), folder.join(format!("old-{name}")))? {
                // One that is gone already has made room.
                Relocation::Done | Relocation::Gone => {}
                Relocation::Taken => return Ok(Attempt::Hindered),
            }
        }
        for file in std::mem::take(&mut self.incoming) {
            match self.relocate(folder.join(draft(&file.name)), list.join(&file.name))? {
                Relocation::Done => {}
                Relocation::Taken => return Ok(Attempt::Hindered),
                Relocation::Gone => return Err(HookError::new(format!("the draft of `{}` is gone", file.name))),
            }
        }
        world.remove(&folder.join(INTENT))?;
        self.stage.clear_away();
        Ok(Attempt::Done)
    }

    fn relocate(&mut self, from: PathBuf, to: PathBuf) -> Result<Relocation, HookError> {
        let done = self.stage.world.relocate(&from, &to)?;
        if done == Relocation::Done {
            self.moves.push((from, to));
        }
        Ok(done)
    }

    /// Makes the list the old one again and forgets that there was an intent.
    fn take_back(&mut self) -> Result<(), FsmError> {
        let undone = self.undo_moves().and_then(|()| self.stage.world.remove(&self.stage.folder.join(INTENT)));
        undone.map_err(|source| FsmError::Unfinished { list: self.stage.list.to_owned(), source })?;
        self.stage.clear_away();
        Ok(())
    }

    fn undo_moves(&mut self) -> Result<(), HookError> {
        while let Some((from, to)) = self.moves.pop() {
            if self.stage.world.relocate(&to, &from)? == Relocation::Taken {
                return Err(HookError::new(format!("something else stands at `{}` now", from.display())));
            }
        }
        Ok(())
    }
}

fn draft(name: &str) -> String {
    format!("new-{name}")
}
