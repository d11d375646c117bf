//! `hookrail replay`: what another configuration would have decided.

mod commands;
mod configuration;
mod haystack;
mod project;
mod records;
