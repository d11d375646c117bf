use serde_json::Value;

/// What a field must hold for an agent to accept it; one wrong type can cost the whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Any,
    Text,
    Flag,
    Texts,
    Object,
}

impl Shape {
    pub(crate) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Any => !value.is_null(),
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Object => value.is_object(),
        }
    }
}
