//! The network behind prompt and HTTP hooks: puts events before models and posts them to web services, over TLS.
//!
//! The engine knows it as a [`Network`], so that programs whose hooks stay on the machine link no HTTP and no TLS:
//!
//! ```
//! use hookrail_engine::Config;
//! use hookrail_network::Internet;
//! use std::sync::Arc;
//!
//! let config = Config::new("session", "/work/shop").network(Arc::new(Internet::default()));
//! # let _ = config;
//! ```
#![forbid(unsafe_code)]

mod address;
mod answer;
mod error;
mod guard;
mod http;
mod prompt;
mod question;
mod web;
mod wire;

use hookrail_core::Failure;
use hookrail_engine::{Network, NetworkQuestion, Recipient};
use web::Web;

/// The network of this machine. Making one costs nothing; certificates are read at the first question.
#[derive(Debug, Default)]
pub struct Internet {
    web: Web,
}

impl Network for Internet {
    fn ask(&self, question: &NetworkQuestion) -> Result<String, Failure> {
        let NetworkQuestion { recipient, event, timeout } = question;
        let answer = match recipient {
            Recipient::Model { endpoint, prompt, model } => {
                let asked = prompt::ModelQuestion { endpoint, prompt, model: model.as_deref() };
                prompt::ask(&self.web, &asked, event, *timeout).map(|output| output.to_json().to_string())
            }
            Recipient::Service { policy, url, headers } => {
                http::ask(&self.web, policy, (url, headers), event, *timeout)
            }
        };
        answer.map_err(|error| error.into_failure(*timeout))
    }
}
