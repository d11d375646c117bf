//! What the tests of the parser share.

#![allow(dead_code, reason = "every test binary uses a part of this")]

pub mod dump;
pub mod generator;
pub mod random;
