//! The stable form in which hooks see a model call, and what converts it from and to a provider's own JSON.
//!
//! Hook scripts outlive SDK versions, so they never see a provider's request. They see:
//!
//! - **request** `{model, messages: [{role, content}], config?, toolConfig?}`: text only, `role` is `user`, `model` or `system`;
//! - **response** `{text?, candidates: [{content: {role, parts: ["text", …]}, finishReason?, index?, safetyRatings?}], usageMetadata?}`;
//! - **tool config** `{mode?: "AUTO"|"ANY"|"NONE", allowedFunctionNames?: [name, …]}`.
//!
//! All three are plain JSON: a hook may return any part of them, and what it does not mention stays as it was.

use serde_json::Value;
use std::fmt::Debug;

/// Converts between one provider's JSON and the stable form. Every function is total: JSON of an unexpected
/// shape yields less, never a failure, because a hook must not be able to break a model call.
#[expect(
    clippy::wrong_self_convention,
    reason = "`from_hook_…` is read from the side of the provider, whose translator `self` is"
)]
pub trait Translator: Debug + Send + Sync {
    /// A provider request as hooks see it.
    fn to_hook_request(&self, request: &Value) -> Value;

    /// A request a hook returned, as the provider expects it. What the stable form cannot express (tools, system
    /// instruction, non-text parts) is taken from `base`, the request the hook was shown.
    fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value;

    /// A complete provider response as hooks see it.
    fn to_hook_response(&self, response: &Value) -> Value;

    /// A response a hook returned, as if the provider had sent it.
    fn from_hook_response(&self, response: &Value) -> Value;

    /// The provider's tool configuration as hooks see it.
    fn to_hook_tool_config(&self, tool_config: &Value) -> Value;

    /// A tool configuration a hook returned, in the provider's words.
    fn from_hook_tool_config(&self, tool_config: &Value) -> Value;

    /// The response that stands in for a model call that a hook blocked without supplying one: complete, and empty.
    fn empty_response(&self) -> Value;

    /// A complete response that says `text`; what an agent is given when a hook stops it.
    fn text_response(&self, text: &str) -> Value;

    /// Restricts `request` to the tools a hook's `tool_config` (stable form) leaves. Tool definitions stay in place.
    fn apply_tool_config(&self, request: &mut Value, tool_config: &Value);
}
