//! Lints of a file as a whole.

pub(crate) mod duplicate_key;
pub(crate) mod hooks_off;
pub(crate) mod hooks_outside;
pub(crate) mod jsonc;
pub(crate) mod root_key;
pub(crate) mod syntax;
pub(crate) mod unknown_event;
pub(crate) mod wrong_shape;
