//! `hookrail install` and `uninstall` on real files, with the real binary.

mod edits;
mod forms;
mod identity;
mod packs;
mod refusals;
mod registrations;
mod scene;
mod scopes;
mod starting;
