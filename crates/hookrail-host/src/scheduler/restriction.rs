use serde_json::Value;
use std::fmt;

/// Which tools a model may call in one turn. Providers are told too, but a model may call what it likes, so the
/// scheduler holds to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolRestriction {
    /// Every tool that is declared may be called.
    #[default]
    None,
    /// Tools of these names may be called.
    Only(Vec<String>),
    /// No tool may be called.
    NoTools,
}

impl ToolRestriction {
    /// What a Gemini request (`GenerateContentParameters`) allows. An empty list of names restricts nothing; it is the
    /// mode `NONE` that forbids tools.
    #[must_use]
    pub fn of_request(request: &Value) -> Self {
        let Some(calling) = request.pointer("/config/toolConfig/functionCallingConfig") else { return Self::None };
        if calling.get("mode").and_then(Value::as_str).is_some_and(|mode| mode.eq_ignore_ascii_case("NONE")) {
            return Self::NoTools;
        }
        let names = calling.get("allowedFunctionNames").and_then(Value::as_array);
        let names: Vec<String> = names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        if names.is_empty() { Self::None } else { Self::Only(names) }
    }

    /// Whether a call of this tool may be made.
    #[must_use]
    pub fn permits(&self, tool: &str) -> bool {
        match self {
            Self::None => true,
            Self::Only(names) => names.iter().any(|name| name == tool),
            Self::NoTools => false,
        }
    }
}

/// For the model: what it may call.
impl fmt::Display for ToolRestriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("all tools are allowed"),
            Self::Only(names) => write!(f, "only `{}` may be called in this turn", names.join("`, `")),
            Self::NoTools => f.write_str("no tool may be called in this turn"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_says_which_tools_may_be_called() {
        let only_read = ToolRestriction::Only(vec!["read".to_owned()]);
        let cases = [
            (json!({}), ToolRestriction::None),
            (json!({"mode": "AUTO"}), ToolRestriction::None),
            (json!({"mode": "ANY", "allowedFunctionNames": []}), ToolRestriction::None),
            (json!({"mode": "ANY", "allowedFunctionNames": ["read"]}), only_read.clone()),
            (json!({"mode": "AUTO", "allowedFunctionNames": ["read"]}), only_read.clone()),
            (json!({"allowedFunctionNames": ["read", 7]}), only_read),
            (json!({"mode": "NONE"}), ToolRestriction::NoTools),
            (json!({"mode": "none", "allowedFunctionNames": ["read"]}), ToolRestriction::NoTools),
        ];
        for (calling, expected) in cases {
            let request = json!({"config": {"toolConfig": {"functionCallingConfig": calling}}});
            assert_eq!(ToolRestriction::of_request(&request), expected, "{calling}");
        }
        assert_eq!(ToolRestriction::of_request(&json!({"contents": []})), ToolRestriction::None);
    }

    #[test]
    fn only_what_is_permitted_is() {
        let only_read = ToolRestriction::Only(vec!["read".to_owned()]);
        for (restriction, tool, expected) in [
            (&ToolRestriction::None, "write", true),
            (&only_read, "read", true),
            (&only_read, "read_all", false),
            (&ToolRestriction::NoTools, "read", false),
        ] {
            assert_eq!(restriction.permits(tool), expected, "{restriction}: {tool}");
        }
    }
}
