//! The names of tools and servers: what they do, and what they are about.

/// What the words of a tool's name say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Write,
    Delete,
    Move,
    Link,
    Run,
    Send,
    Unknown,
}

pub(super) fn words(tool: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for c in tool.chars() {
        let split = matches!(c, '_' | '-' | '.' | '/' | ':') || c.is_ascii_uppercase() && before_lower;
        if split {
            words.push(String::new());
        }
        before_lower = c.is_ascii_lowercase();
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

pub(super) fn verb(words: &[String]) -> Verb {
    for word in words {
        let found = match word.as_str() {
            "delete" | "remove" | "drop" | "destroy" | "rm" | "purge" | "truncate" | "terminate" | "wipe"
            | "uninstall" | "unlink" | "trash" | "erase" => Verb::Delete,
            "move" | "rename" | "mv" => Verb::Move,
            "link" | "symlink" | "hardlink" => Verb::Link,
            "chmod" | "chown" | "download" | "write" | "create" | "edit" | "update" | "set" | "put" | "insert"
            | "patch" | "replace" | "append" | "save" | "apply" | "add" | "modify" | "upsert" | "merge" | "push"
            | "commit" | "deploy" | "scale" | "restart" | "fork" | "touch" | "mkdir" | "overwrite" | "rewrite"
            | "prepend" | "store" | "dump" | "export" | "extract" | "unzip" | "unpack" | "archive" | "compress"
            | "format" | "fix" | "change" | "restore" | "revert" | "generate" | "scaffold" | "init" => Verb::Write,
            "read" | "get" | "list" | "search" | "find" | "describe" | "show" | "view" | "fetch" | "tail" | "stat"
            | "info" | "status" | "check" | "count" | "query" | "select" | "browse" | "navigate" | "screenshot"
            | "snapshot" | "logs" | "grep" | "glob" | "inspect" | "explain" | "resolve" | "ls" | "tree" | "analyze"
            | "analyse" | "summarize" | "summary" | "open" | "load" | "parse" | "validate" | "lint" | "diff"
            | "compare" | "head" | "outline" | "scan" | "preview" | "print" | "display" | "cat" | "review"
            | "symbols" | "hover" | "definition" | "references" | "diagnostics" => Verb::Read,
            "run" | "execute" | "exec" | "shell" | "bash" | "eval" | "evaluate" | "call" | "start" => Verb::Run,
            "send" | "post" | "reply" | "publish" | "notify" | "comment" | "invite" | "upload" | "attach" | "share" => {
                Verb::Send
            }
            _ => continue,
        };
        return found;
    }
    Verb::Unknown
}

/// Servers whose tools are about something other than files.
pub(super) fn domain(server: &str, words: &[String]) -> &'static str {
    let lower = server.to_ascii_lowercase();
    let any = |names: &[&str]| names.iter().any(|name| lower.contains(name) || words.iter().any(|word| word == name));
    if any(&[
        "postgres",
        "mysql",
        "sqlite",
        "mongo",
        "redis",
        "database",
        "sql",
        "snowflake",
        "bigquery",
        "clickhouse",
        "duckdb",
        "warehouse",
        "prisma",
    ]) || lower.split(['-', '_']).any(|part| part == "db" || part.ends_with("db") && part.len() > 3)
        || words.iter().any(|word| word == "db")
    {
        "db"
    } else if any(&["github", "gitlab", "bitbucket"]) {
        "forge"
    } else if lower == "git" {
        "git"
    } else if any(&[
        "kubernetes",
        "k8s",
        "aws",
        "gcp",
        "azure",
        "terraform",
        "cloudflare",
        "vercel",
        "netlify",
        "heroku",
        "docker",
        "supabase",
        "neon",
        "railway",
        "fly",
        "pulumi",
        "argocd",
        "helm",
        "kubectl",
    ]) {
        "infra"
    } else if any(&[
        "slack", "discord", "gmail", "mail", "email", "teams", "telegram", "twilio", "notion", "linear", "jira",
        "asana", "sentry", "paste", "gist", "upload", "share",
    ]) {
        "service"
    } else if any(&[
        "playwright",
        "puppeteer",
        "browser",
        "fetch",
        "web",
        "chrome",
        "tavily",
        "brave",
        "exa",
        "firecrawl",
    ]) {
        "web"
    } else {
        "files"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_s_name_tells_its_verb() {
        let cases = [
            ("write_file", Verb::Write),
            ("listTables", Verb::Read),
            ("drop-database", Verb::Delete),
            ("move_file", Verb::Move),
            ("kubectl_delete", Verb::Delete),
            ("browser_navigate", Verb::Read),
            ("frobnicate", Verb::Unknown),
        ];
        for (tool, expected) in cases {
            assert_eq!(verb(&words(tool)), expected, "{tool}");
        }
    }
}
