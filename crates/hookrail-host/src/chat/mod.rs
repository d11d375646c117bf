//! A conversation with a model in which what hooks decide happens.
//!
//! For each prompt the agent asks the model, runs the tools it calls, tells it the results, and asks again until it has
//! nothing more to do. Around that:
//!
//! 1. **BeforeModel** hooks see the complete request. They may change it, add messages to it, answer in the model's
//!    place, block or stop. An answer of theirs is shown and kept as if the model had given it; since no model was
//!    called, AfterModel hooks are not asked about it. A block without an answer ends the turn as
//!    [`TurnEnd::Blocked`].
//! 2. **BeforeToolSelection** hooks see the request as the former left it, if it offers tools. Theirs is the last word
//!    on which tools the model may call; a call that is made nevertheless is answered with an error and asks no
//!    further hook.
//! 3. The answer is streamed. If the stream breaks off there is an error and nothing else: no hook hears of it.
//! 4. **AfterModel** hooks see the complete answer, once, with the request that was really sent. An answer of theirs
//!    takes its place whole: as hooks see and write text only, the tool calls of the original are gone with it.
//! 5. Tools run as described in [`scheduler`](crate::scheduler).
//!
//! **Stop** ends the loop from anywhere, with [`TurnEnd::Stopped`]. Calls that were made have their results even then.
//!
//! **Changes are for one call.** What a hook changes in a request is not in the conversation; the next request is
//! assembled from the conversation again, and hooks are asked again.
//!
//! **System messages are for the model**, never for the screen, each as `[System] …`. Those of BeforeModel and
//! BeforeToolSelection hooks ride on the request they were asked about; those of AfterModel hooks, and all that find no
//! request to ride on, are in the conversation with the next thing the model is told. The same way goes the reason of a
//! hook that blocks where nothing can be blocked any more (errata B6).
//!
//! **Suppressed output** is kept from the [`Display`] only, whichever of the three events asks for it.
//! [`DisplayTiming`] says how that goes together with streaming.
//!
//! **A prompt without an answer** (an error, a block, a stop before the model was asked) is taken back from the
//! conversation. Results of tools that ran stay.
//!
//! **The other events** are fired in the background, in order, and what their hooks say is not applied (HOOK-203):
//! BeforeAgent with each prompt, AfterAgent when it has come to an end other than an error, and what the host fires.

mod client;
mod conversation;
mod display;
mod event_queue;
mod model_call;
mod options;
mod response;
mod session;

pub use client::{ModelClient, ModelError};
pub use display::{Display, DisplayTiming};
pub use options::ChatOptions;
pub use session::{ChatError, ChatSession, TurnEnd};
