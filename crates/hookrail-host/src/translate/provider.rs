//! What every provider's translator does alike.

use super::request::{self, RequestFormat};
use super::stable::Response;
use super::tool_config::ToolConfig;
use serde_json::Value;

/// What differs between providers besides their requests: responses, and the choice of tools.
pub(super) trait ProviderFormat: RequestFormat + Sized {
    fn read_response(&self, response: &Value) -> Response;

    fn write_response(&self, response: &Response) -> Value;

    fn read_tool_choice(&self, tool_choice: &Value) -> ToolConfig;

    /// A choice that chooses something.
    fn write_tool_choice(&self, config: &ToolConfig) -> Value;

    /// What stands for no choice at all.
    fn no_tool_choice(&self) -> Value {
        Value::Null
    }

    /// A response as hooks see it.
    fn show_response(&self, response: &Value) -> Value {
        self.read_response(response).to_hook()
    }
}

pub(super) fn tool_choice_from_hook(format: &impl ProviderFormat, tool_config: &Value) -> Value {
    let config = ToolConfig::from_hook(tool_config);
    if config.is_empty() { format.no_tool_choice() } else { format.write_tool_choice(&config) }
}

pub(super) fn restrict(format: &impl RequestFormat, request: &mut Value, tool_config: &Value) {
    if let Value::Object(request) = request {
        request::restrict(format, request, tool_config);
    }
}

/// [`Translator`](hookrail_core::Translator) for a provider, by its [`ProviderFormat`]. A macro, because a trait of another
/// crate cannot be implemented for all providers at once.
macro_rules! translate_as {
    ($provider:ty) => {
        impl hookrail_core::Translator for $provider {
            fn to_hook_request(&self, request: &Value) -> Value {
                $crate::translate::request::show(self, request)
            }

            fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value {
                $crate::translate::request::rewrite(self, request, base)
            }

            fn to_hook_response(&self, response: &Value) -> Value {
                self.show_response(response)
            }

            fn from_hook_response(&self, response: &Value) -> Value {
                self.write_response(&Response::from_hook(response))
            }

            fn to_hook_tool_config(&self, tool_config: &Value) -> Value {
                self.read_tool_choice(tool_config).to_hook().into()
            }

            fn from_hook_tool_config(&self, tool_config: &Value) -> Value {
                $crate::translate::provider::tool_choice_from_hook(self, tool_config)
            }

            fn empty_response(&self) -> Value {
                self.write_response(&Response::default())
            }

            fn text_response(&self, text: &str) -> Value {
                self.write_response(&Response::saying(text))
            }

            fn apply_tool_config(&self, request: &mut Value, tool_config: &Value) {
                $crate::translate::provider::restrict(self, request, tool_config);
            }
        }
    };
}

pub(super) use translate_as;
