//! What the translators of all providers share: [`translator!`] is the way between a hook's stable form and a provider's JSON,
//! in the words of a [`ProviderFormat`].

use super::request::RequestFormat;
use super::stable::Response;
use super::tool_config::ToolConfig;
use serde_json::Value;

/// How a provider writes responses and its choice of tools.
pub(super) trait ProviderFormat: RequestFormat {
    fn read_response(&self, response: &Value) -> Response;

    fn write_response(&self, response: &Response) -> Value;

    /// A response as hooks see it.
    fn show_response(&self, response: &Value) -> Value {
        self.read_response(response).to_hook()
    }

    /// What the provider calls its choice of tools: `tool_choice`, `toolConfig`.
    fn read_choice(&self, choice: &Value) -> ToolConfig;

    /// The same for a hook's choice, which may be none.
    fn write_choice(&self, config: &ToolConfig) -> Value;
}

/// Makes a [`ProviderFormat`] a [`Translator`](hookrail_core::Translator), with further methods of the trait behind the type.
/// A macro, because a trait of another crate cannot be implemented for every type of a kind.
macro_rules! translator {
    ($provider:ty $(, $($further:tt)*)?) => {
        impl hookrail_core::Translator for $provider {
            fn to_hook_request(&self, request: &Value) -> Value {
                request::show(self, request)
            }

            fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value {
                request::rewrite(self, request, base)
            }

            fn to_hook_response(&self, response: &Value) -> Value {
                self.show_response(response)
            }

            fn from_hook_response(&self, response: &Value) -> Value {
                self.write_response(&Response::from_hook(response))
            }

            fn to_hook_tool_config(&self, tool_config: &Value) -> Value {
                self.read_choice(tool_config).to_hook().into()
            }

            fn from_hook_tool_config(&self, tool_config: &Value) -> Value {
                self.write_choice(&ToolConfig::from_hook(tool_config))
            }

            fn empty_response(&self) -> Value {
                self.write_response(&Response::default())
            }

            fn text_response(&self, text: &str) -> Value {
                self.write_response(&Response::saying(text))
            }

            fn apply_tool_config(&self, request: &mut Value, tool_config: &Value) {
                if let Value::Object(request) = request {
                    request::restrict(self, request, tool_config);
                }
            }

            $($($further)*)?
        }
    };
}

pub(super) use translator;
