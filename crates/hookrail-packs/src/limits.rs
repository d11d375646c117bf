//! How long hooks of packs with documented time-outs may take, and how much of a transcript they read.
//!
//! Their agents wait as long as the documents say, and then end hookrail. A hook ends a second earlier, so that its `on_error`
//! is heard.

use std::time::Duration;

/// Where the document says 5 seconds.
pub(crate) const QUICK: Duration = Duration::from_secs(4);
/// Where the document says 10 seconds.
pub(crate) const THOROUGH: Duration = Duration::from_secs(9);

/// How far back a transcript is read. It grows for as long as a session lasts; what was said so long ago is not what was said last.
pub(crate) const TRANSCRIPT_BYTES: u64 = 16 << 20;
