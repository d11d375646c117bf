//! Real processes that misbehave in every way a hook can. Every test is bounded: what would hang fails instead.
#![cfg(target_os = "linux")]

#[cfg(test)]
mod crowds;
#[cfg(test)]
mod deadlines;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod trees;
