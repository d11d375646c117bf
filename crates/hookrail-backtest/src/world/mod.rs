//! The machine as hooks of past events see it: today's files, changed in memory only.

mod overlay;
mod past;

pub use overlay::{Changes, Overlay, OverlayEntry};
pub use past::{PastMoment, PastWorld, SessionWorld};
