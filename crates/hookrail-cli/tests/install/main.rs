//! `hookrail install` and `uninstall` on real files, with the real binary.
#![cfg(unix)]

mod edits;
mod identity;
mod refusals;
mod registrations;
mod scene;
mod scopes;
mod starting;
