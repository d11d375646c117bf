//! Requests that tools send: the verb of HTTP, and mutations of GraphQL.

use super::shell;
use crate::act::Act;
use crate::analysis::Analysis;
use crate::location::Location;
use crate::shell::quote;
use hookrail_shell::ast::Span;
use serde_json::Value;
use std::path::Path;

const METHODS: &[&str] = &["method", "http_method", "httpMethod", "verb", "request_method", "requestMethod"];
const ADDRESSES: &[&str] = &["url", "uri", "endpoint", "href", "path", "route"];
const BODIES: &[&str] = &["body", "data", "json", "payload"];
/// Words with which the names of mutations begin that remove something.
const REMOVES: &[&str] = &["delete", "remove", "destroy", "purge", "archive", "drop", "truncate", "terminate", "wipe"];

/// Follows a request as `curl` makes it.
pub(super) fn follow(analysis: &mut Analysis<'_>, cwd: &Path, server: &str, input: &Value) {
    let text = |names: &[&str]| names.iter().find_map(|name| input.get(*name).and_then(Value::as_str));
    let method = text(METHODS).map(str::to_ascii_uppercase);
    let Some(method) = method.filter(|method| matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")) else {
        return;
    };
    let Some(address) = text(ADDRESSES) else { return };
    let address =
        if address.contains("://") { address.to_owned() } else { format!("https://{server}.invalid/{address}") };
    let mut line = format!("curl -X {method} {}", quote(&super::path_arg(&address)));
    let body = BODIES.iter().find_map(|name| input.get(*name));
    if let Some(body) = body {
        let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        line.push_str(" --data-raw ");
        line.push_str(&quote(&super::path_arg(&body)));
    }
    shell(analysis, "", &line, cwd);
}

/// Adds what a text of GraphQL does.
pub(crate) fn graphql(analysis: &mut Analysis<'_>, text: &str, target: Option<&str>) {
    let act = match mutation(text) {
        Some(true) => Act::InfraDestroy,
        Some(false) => Act::NetSend,
        None => return,
    };
    analysis.add_target(act, target, Location::Remote, Span::default());
}

/// Reports whether a mutation removes something; `None` if a text is no mutation.
fn mutation(text: &str) -> Option<bool> {
    let at = text
        .find("mutation")
        .filter(|at| text.get(..*at).is_some_and(|before| !before.contains('{') || before.contains("\"query\"")))?;
    let rest = text.get(at + "mutation".len()..)?;
    if !rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '{' | '(')) {
        return None;
    }
    let (_, fields) = rest.split_once('{')?;
    let mut names = fields.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    Some(names.any(|name| REMOVES.iter().any(|verb| name.to_ascii_lowercase().starts_with(verb))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_told_from_queries_and_from_prose() {
        let cases = [
            ("mutation { deleteUser(id: 7) { id } }", Some(true)),
            ("mutation Rename($id: ID!) { renameUser(id: $id) { id } }", Some(false)),
            ("{\"query\":\"mutation{removeRepo(id:1){id}}\"}", Some(true)),
            ("query { viewer { mutation } }", None),
            ("The mutation of deleted users", None),
        ];
        for (text, expected) in cases {
            assert_eq!(mutation(text), expected, "{text}");
        }
    }
}
