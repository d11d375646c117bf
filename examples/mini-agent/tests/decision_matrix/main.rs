//! Every effect a hook can have, seen where it belongs: in the next request to the model, in the file system, on the
//! screen, in the end of the loop. The agent is the real binary, the hooks are real scripts, the model is scripted.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test loudly")]

mod matrix;
mod model_rows;
mod selection_rows;
mod tool_rows;
