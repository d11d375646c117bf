//! `hookrail doctor` on machines of every state of health, with the real binary.

mod entries;
mod health;
mod machine;
mod mending;
