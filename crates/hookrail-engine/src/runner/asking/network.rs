//! The network, as the engine knows it.

use super::endpoint::PromptEndpoint;
use super::policy::HttpPolicy;
use hookrail_core::Failure;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::time::Duration;

/// Asks models and web services. The engine has no network of its own: `hookrail-network` is one.
pub trait Network: Debug + Send + Sync {
    /// Returns the answer as a command hook would print it.
    fn ask(&self, question: &NetworkQuestion) -> Result<String, Failure>;
}

/// A question that leaves this process, with all that is needed to ask it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetworkQuestion {
    /// Who is asked.
    pub recipient: Recipient,
    /// The event, as JSON.
    pub event: String,
    /// Time for the answer.
    pub timeout: Duration,
}

/// Who is asked over the network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Recipient {
    /// A model, which decides.
    Model {
        /// Where it is, and the key to it.
        endpoint: PromptEndpoint,
        /// The question of the hook's author.
        prompt: String,
        /// Overrides the endpoint's model.
        model: Option<String>,
    },
    /// A web service, to which the event is posted.
    Service {
        /// What it may be.
        policy: HttpPolicy,
        /// Its address.
        url: String,
        /// Headers to send, without variables.
        headers: Vec<(String, String)>,
    },
}
