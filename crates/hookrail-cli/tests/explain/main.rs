//! `hookrail explain` with the real binary: it says what `hookrail hook` does, and does nothing.
#![cfg(unix)]

mod place;
mod sameness;
mod stillness;
