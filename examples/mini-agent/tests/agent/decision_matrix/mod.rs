//! Every effect a hook can have, seen where it belongs: in the next request to the model, in the file system, on the
//! screen, in the end of the loop. The agent is the real binary, the hooks are real scripts, the model is scripted.

mod matrix;
mod model_rows;
mod selection_rows;
mod tool_rows;
