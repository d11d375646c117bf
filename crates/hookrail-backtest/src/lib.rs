//! What a configuration would have done to sessions that are over.
//!
//! [`transcripts`] reads what agents left on the disk.

#![warn(missing_docs)]

pub mod transcripts;
