//! `hookrail explain` with the real binary: it says what `hookrail hook` does, and does nothing.

mod project;
mod sameness;
mod stillness;
