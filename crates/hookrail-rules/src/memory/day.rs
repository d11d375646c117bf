//! Limits of a day, which all sessions of a project share.

use super::limits::{Count, Exceeded, Reservation, key};
use crate::set::{FNV_START, fnv};
use hookrail_core::{Held, HookError, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What was counted on one day in one project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Day {
    date: String,
    limits: BTreeMap<String, Count>,
}

/// The file beside the sessions in which a project counts a day.
#[derive(Clone, Debug)]
pub struct DayFile {
    folder: PathBuf,
    file: PathBuf,
}

impl DayFile {
    /// The file of a project; `None` where nothing is kept.
    #[must_use]
    pub fn of(project: &Path, world: &dyn World) -> Option<Self> {
        let folder = world.state_folder()?.join("rules");
        let name = fnv(FNV_START, world.resolve(project).as_os_str().as_encoded_bytes());
        Some(Self { file: folder.join(format!("day-{name:016x}.json")), folder })
    }

    /// Takes a share of a limit, if there is enough left today.
    pub fn reserve(&self, wanted: &Reservation<'_>, world: &dyn World) -> Result<Result<(), Exceeded>, HookError> {
        self.change(world, |day| day.limits.entry(key(wanted.rule)).or_default().reserve(wanted, 0))
    }

    pub fn settle(&self, call: &str, world: &dyn World) -> Result<(), HookError> {
        self.change(world, |day| day.limits.values_mut().for_each(|count| count.settle(call)))
    }

    pub fn release(&self, call: &str, world: &dyn World) -> Result<(), HookError> {
        self.change(world, |day| day.limits.values_mut().for_each(|count| count.release(call)))
    }

    fn change<T>(&self, world: &dyn World, change: impl FnOnce(&mut Day) -> T) -> Result<T, HookError> {
        world.make_folder(&self.folder)?;
        let _held: Held = world.lock(&self.folder)?;
        let today = world.today();
        let known = world.read(&self.file)?.and_then(|bytes| serde_json::from_slice::<Day>(&bytes).ok());
        let mut day = known.filter(|day| day.date == today).unwrap_or(Day { date: today, limits: BTreeMap::new() });
        let before = day.clone();
        let result = change(&mut day);
        if day != before {
            let bytes = serde_json::to_vec(&day).map_err(|error| HookError(error.to_string()))?;
            world.write(&self.file, &bytes)?;
        }
        Ok(result)
    }
}
