//! Chat sessions with real hook commands and a model that does as it is told.

mod after_model;
mod before_model;
mod chat_fixture;
mod endings;
mod events;
mod tool_calls;
mod tool_selection;
