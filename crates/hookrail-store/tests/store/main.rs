//! The store as its users meet it: real files, and real processes where it matters.
#![cfg(unix)]

// Each is marked, because only then does clippy know helper functions in it as test code.
#[cfg(test)]
mod attacks;
#[cfg(test)]
mod careful_read;
#[cfg(test)]
mod disk_full;
#[cfg(test)]
mod every_syscall;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod pruning;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod tampering;
#[cfg(test)]
mod witness;
#[cfg(test)]
mod worker;
