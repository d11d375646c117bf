//! Targets that HTTP hooks may reach. A hook's address often comes from a repository, and its author must not be able to make this machine
//! talk to services that only this machine can reach.

use serde::{Deserialize, Serialize};

/// What HTTP hooks may reach beyond the public internet. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpPolicy {
    /// Opens loopback and private networks. Link-local addresses, where clouds keep their machines' credentials, and
    /// addresses that are no host's stay closed.
    pub allow_private: bool,
    /// Hosts that may be anywhere, spelled as in the hook's URL: `name` for all ports, `name:port` for one.
    pub allow_hosts: Vec<String>,
}
