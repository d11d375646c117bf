//! Whose a lock is that names no session: that of the first session that wrote under it.
//!
//! The claim is a file in hookrail's state folder. Its name is made of the lock's path, content and age, so a lock that is
//! written anew is unclaimed again, and of two sessions that claim at the same moment one finds the name taken.

use super::feature::Feature;
use super::lock::Holder;
use hookrail_core::{HookError, Relocation, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Days after which a claim is of no use.
const KEPT_DAYS: i64 = 30;

/// The session that a lock without a name belongs to: the one that claimed it, or this one from now on. Without a place to
/// remember it, it is this one's every time.
pub(super) fn owner(feature: &Feature, holder: &Holder, session: &str, world: &dyn World) -> Result<String, HookError> {
    let Some(folder) = world.state_folder().map(|folder| folder.join("planning").join("claims")) else {
        return Ok(session.to_owned());
    };
    let path = folder.join(name(feature, holder, world)?);
    if let Some(owner) = read(&path, world)? {
        return Ok(owner);
    }
    remove_old(&folder, world);
    let draft = folder.join(format!("{}.draft", fingerprint(&(session, world.now_millis()))));
    world.write(&draft, session.as_bytes())?;
    let placed = world.relocate(&draft, &path);
    let owner = match placed? {
        Relocation::Done => Some(session.to_owned()),
        Relocation::Taken | Relocation::Gone => {
            world.remove(&draft)?;
            read(&path, world)?
        }
    };
    Ok(owner.unwrap_or_else(|| session.to_owned()))
}

fn read(path: &Path, world: &dyn World) -> Result<Option<String>, HookError> {
    Ok(world.read(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn name(feature: &Feature, holder: &Holder, world: &dyn World) -> Result<String, HookError> {
    let path = world.resolve(&feature.lock_file());
    let content = world.read(&path)?.unwrap_or_default();
    Ok(fingerprint(&(path, content, holder.taken_at(feature, world)?)))
}

/// Who can write the lock needs no collision to claim it, so a plain hash will do.
fn fingerprint(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What cannot be removed does no harm.
fn remove_old(folder: &Path, world: &dyn World) {
    let oldest = world.now_millis() - KEPT_DAYS * 24 * 60 * 60 * 1000;
    for name in world.list(folder).ok().flatten().unwrap_or_default() {
        let path = folder.join(name);
        if world.modified_millis(&path).ok().flatten().is_some_and(|time| time < oldest) {
            let _ = world.remove(&path);
        }
    }
}
