//! How long hooks of packs with documented time-outs may take.
//!
//! Their agents wait as long as the documents say, and then end hookrail. A hook ends a second earlier, so that its `on_error`
//! is heard.

use std::time::Duration;

/// Where the document says 5 seconds.
pub(crate) const QUICK: Duration = Duration::from_secs(4);
/// Where the document says 10 seconds.
pub(crate) const THOROUGH: Duration = Duration::from_secs(9);
