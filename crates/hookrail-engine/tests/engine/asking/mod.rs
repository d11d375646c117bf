//! Hooks that ask over the network, through the whole engine: prompt hooks against a scripted model, HTTP hooks against a
//! web service on loopback.

mod company;
mod guarding;
mod http;
mod prompt;
mod scene;
mod secrecy;
mod service;
mod trouble;
