use super::params::ParamsError;

/// Why a request gets an error instead of a result.
#[derive(Debug, thiserror::Error)]
pub(super) enum RpcError {
    #[error("this line is not JSON: {0}")]
    NotJson(String),
    #[error("this is not a JSON-RPC 2.0 request: {0}")]
    NotARequest(String),
    #[error("unknown method `{name}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownMethod { name: String, suggestion: Option<String> },
    #[error(transparent)]
    Params(#[from] ParamsError),
    #[error("the server failed at this request; no hook was applied")]
    Internal,
    #[error("there is no session yet\nhint: call `initialize` first")]
    NotInitialized,
    #[error("the server is shutting down and takes no more requests")]
    ShuttingDown,
}

impl RpcError {
    /// The codes of JSON-RPC 2.0 and, from -32099 to -32000, our own.
    pub fn code(&self) -> i32 {
        match self {
            Self::NotJson(_) => -32700,
            Self::NotARequest(_) => -32600,
            Self::UnknownMethod { .. } => -32601,
            Self::Params(_) => -32602,
            Self::Internal => -32603,
            Self::NotInitialized => -32002,
            Self::ShuttingDown => -32003,
        }
    }
}

/// The end of an error text that knows what was probably meant.
pub(super) fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default()
}
