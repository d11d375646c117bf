use crate::pattern::{PathPattern, any_matches};
use serde_json::{Map, Value};
use std::path::Path;

/// What an agent may write, relative to the project.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    allow: Vec<PathPattern>,
    deny: Vec<PathPattern>,
}

impl Scope {
    /// The entry of the first of these names that has one, else the one for all. `Ok(None)` if there is neither.
    pub fn find(file: &[u8], names: &[&str]) -> Result<Option<Self>, String> {
        let file: Map<String, Value> = serde_json::from_slice(file).map_err(|error| error.to_string())?;
        let agents = file.get("agents").and_then(Value::as_object).ok_or("`agents` must be an object")?;
        let entry = names.iter().chain(&["*"]).find_map(|name| agents.get(*name));
        entry.map(Self::read).transpose()
    }

    fn read(entry: &Value) -> Result<Self, String> {
        let list = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(patterns)) if patterns.iter().all(Value::is_string) => {
                Ok(patterns.iter().filter_map(Value::as_str).filter_map(PathPattern::parse).collect())
            }
            Some(_) => Err(format!("`{key}` must be a list of patterns")),
        };
        if !entry.is_object() {
            return Err("an agent's entry must be an object".to_owned());
        }
        Ok(Self { allow: list("allow")?, deny: list("deny")? })
    }

    /// Whether a path may be written; `None` stands for one outside of the project, which no pattern can describe.
    pub fn permits(&self, path: Option<&Path>) -> bool {
        let allowed = self.allow.is_empty() || path.is_some_and(|path| any_matches(&self.allow, path));
        allowed && !self.denies(path)
    }

    /// Whether a path is denied by name.
    pub fn denies(&self, path: Option<&Path>) -> bool {
        path.is_some_and(|path| any_matches(&self.deny, path))
    }

    pub fn has_denied(&self) -> bool {
        !self.deny.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_wins_and_a_list_of_what_is_allowed_is_complete() {
        let file = br#"{"agents": {
            "api": {"allow": ["src/api/", "*.md"], "deny": ["secret.md"]},
            "careful": {"deny": ["migrations/"]},
            "*": {"allow": ["docs/"]}
        }}"#;
        for (names, path, expected) in [
            (&["api"][..], Some("src/api/a.rs"), true),
            (&["api"], Some("src/web/a.ts"), false),
            (&["api"], Some("notes/x.md"), true),
            (&["api"], Some("notes/secret.md"), false),
            (&["api"], None, false),
            (&["unknown", "api"], Some("src/api/a.rs"), true),
            (&["careful"], Some("src/web/a.ts"), true),
            (&["careful"], None, true),
            (&["careful"], Some("migrations/1.sql"), false),
            (&["unknown"], Some("docs/a.md"), true),
            (&[], Some("src/a.rs"), false),
        ] {
            let scope = Scope::find(file, names).unwrap().unwrap();
            assert_eq!(scope.permits(path.map(Path::new)), expected, "{names:?} {path:?}");
        }
        assert!(Scope::find(br#"{"agents": {"api": {}}}"#, &["web"]).unwrap().is_none());
    }

    #[test]
    fn what_is_no_scope_file_is_said() {
        for (file, part) in [
            ("{", "EOF"),
            ("[]", "invalid type"),
            ("{}", "`agents`"),
            (r#"{"agents": {"*": []}}"#, "must be an object"),
            (r#"{"agents": {"*": {"allow": "src"}}}"#, "`allow`"),
            (r#"{"agents": {"*": {"deny": [1]}}}"#, "`deny`"),
        ] {
            let error = Scope::find(file.as_bytes(), &[]).unwrap_err();
            assert!(error.contains(part), "{file}: {error}");
        }
    }
}
