//! Which tools the model may call, in the stable form.

use super::Object;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The model decides.
    Auto,
    /// The model must call a tool.
    Any,
    /// The model must not call a tool.
    None,
    /// The model decides, and a call fits its schema. Gemini alone has this mode; hooks get it as they got it.
    Validated,
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Auto => "AUTO",
            Self::Any => "ANY",
            Self::None => "NONE",
            Self::Validated => "VALIDATED",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let modes = [Self::Auto, Self::Any, Self::None, Self::Validated];
        modes.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(name))
    }

    /// Whether a list of names limits anything in this mode; Gemini refuses one in the others.
    fn heeds_names(self) -> bool {
        match self {
            Self::Any | Self::Validated => true,
            Self::Auto | Self::None => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolConfig {
    pub(super) mode: Option<Mode>,
    pub(super) names: Option<Vec<String>>,
}

impl ToolConfig {
    /// The stable form; the object inside GenAI's `functionCallingConfig` is the same.
    pub(super) fn from_hook(config: &Value) -> Self {
        let names = config.get("allowedFunctionNames").and_then(Value::as_array);
        Self {
            mode: config.get("mode").and_then(Value::as_str).and_then(Mode::parse),
            names: names.map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        }
    }

    pub(super) fn to_hook(&self) -> Object {
        let mut config = Object::new();
        if let Some(mode) = self.mode {
            config.insert("mode".to_owned(), mode.name().into());
        }
        if let Some(names) = &self.names {
            config.insert("allowedFunctionNames".to_owned(), json!(names));
        }
        config
    }

    pub(super) fn any_of(names: &[&str]) -> Self {
        Self { mode: Some(Mode::Any), names: Some(names.iter().map(|&name| name.to_owned()).collect()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What holds when a hook says `self` about a request that says `current`: what it does not mention stays, except
    /// names that the mode it chose has no use for.
    pub(super) fn over(self, current: Self) -> Self {
        let keeps_names = self.mode.is_none_or(Mode::heeds_names);
        let current_names = current.names.filter(|_| keeps_names);
        Self { mode: self.mode.or(current.mode), names: self.names.or(current_names) }
    }

    /// The names that limit the model; an empty list limits nothing.
    pub(super) fn limit(&self) -> Option<&[String]> {
        self.names.as_deref().filter(|names| !names.is_empty())
    }

    /// The same, with no other names than those of the tools there are: providers refuse to restrict a request to a
    /// tool it does not define. If none of the names is left, no tool is.
    pub(super) fn among(self, defined: impl Fn(&str) -> bool) -> Self {
        let Some(limit) = self.limit() else { return self };
        let names: Vec<String> = limit.iter().filter(|name| defined(name)).cloned().collect();
        let mode = if names.is_empty() { Some(Mode::None) } else { self.mode };
        Self { mode, names: Some(names) }
    }
}

impl From<Mode> for ToolConfig {
    fn from(mode: Mode) -> Self {
        Self { mode: Some(mode), names: None }
    }
}
