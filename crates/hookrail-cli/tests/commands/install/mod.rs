//! `hookrail install` and `uninstall` on real files, with the real binary.

mod edits;
mod fixture;
mod forms;
mod identity;
mod managed;
mod packs;
mod refusals;
mod registrations;
mod scopes;
mod starting;
