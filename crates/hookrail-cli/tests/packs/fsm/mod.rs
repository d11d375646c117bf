//! Pack `fsm` as agents and people meet it: the real binary, real files.

mod answering;
mod commands;
mod crowd;
mod errata;
mod faults;
mod input;
mod installations;
mod locating;
mod marking;
mod numbering;
mod project;
mod system_calls;
mod validation;
