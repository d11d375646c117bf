//! Tools of MCP servers: by what their annotations say, else by names and values.

use super::tool_names::{Verb, domain, verb, words};
use super::{content, expanded, inputs, path_arg, requests, shell};
use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::effect::{GapReason, Sure};
use crate::flow::Flow;
use crate::location::Location;
use crate::models::{host_of, is_output, patched_files, sql};
use crate::object::{MovedBranch, Object};
use crate::paths::tidy;
use crate::repository::{Head, Repository};
use crate::script::{self, Language};
use crate::secrets::sends_secret;
use crate::shell::{Shell, quote};
use hookrail_shell::ast::Span;
use serde_json::Value;
use std::path::Path;

/// Names of arguments, by what they hold.
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filepath",
    "filePath",
    "file",
    "filename",
    "absolute_path",
    "notebook_path",
    "paths",
    "directory",
    "dir",
    "folder",
    "uri",
    "target_file",
    "relative_path",
    "relativePath",
    "absolutePath",
    "file_name",
    "fileName",
    "target_path",
    "targetPath",
    "dir_path",
    "folder_path",
    "notebookPath",
    "file_paths",
    "filePaths",
    "files",
];
const SOURCES: &[&str] = &["source", "src", "from", "old_path", "oldPath"];
const TARGETS: &[&str] = &["destination", "dest", "dst", "to", "new_path", "newPath", "target"];
const COMMANDS: &[&str] =
    &["command", "cmd", "shell_command", "shell", "commands", "cli_command", "cliCommand", "script", "bash", "argv"];
/// What is typed into a program that runs already, mostly a shell.
const TYPED: &[&str] = &["chars", "input_text", "inputText", "input", "text", "data", "stdin", "keys"];
/// Code in another language than a shell's.
const CODE: &[&str] = &["code", "python_code", "pythonCode", "source_code", "js_code", "python"];
/// Where a command runs.
const FOLDERS: &[&str] =
    &["cwd", "working_directory", "workingDirectory", "workdir", "work_dir", "working_dir", "dir_path"];
/// Where a repository is.
const REPOSITORIES: &[&str] = &["repo_path", "repoPath", "repository", "repo", "path", "directory", "cwd"];
/// What moves the branch that is checked out.
const MOVERS: &[&str] = &["commit", "merge", "cherry", "revert", "rebase", "pull", "am"];
const PATCHES: &[&str] = &["diff", "patch", "unified_diff", "patch_content", "patchText", "input"];
const QUERIES: &[&str] =
    &["sql", "query", "statement", "queries", "statements", "stmt", "q", "sql_query", "sqlQuery", "raw_sql", "rawSql"];
const URLS: &[&str] = &["url", "urls", "uri", "href", "endpoint"];

#[derive(Clone, Copy)]
struct McpCall<'c> {
    cwd: &'c Path,
    server: &'c str,
    tool: &'c str,
    verb: Verb,
    domain: &'static str,
    input: &'c Value,
}

pub(super) fn follow(analysis: &mut Analysis<'_>, cwd: &Path, server: &str, tool: &str, input: &Value) {
    let words = words(tool);
    let mut verb = verb(&words);
    let hint = |name: &str| {
        input
            .pointer(&format!("/_meta/annotations/{name}"))
            .or_else(|| input.pointer(&format!("/annotations/{name}")))
            .and_then(Value::as_bool)
    };
    if hint("readOnlyHint") == Some(true) {
        verb = Verb::Read;
    } else if hint("destructiveHint") == Some(true) && verb != Verb::Move {
        verb = Verb::Delete;
    }
    if let Some(command) = input.get("command").and_then(Value::as_str).and_then(editor_verb) {
        verb = command;
    }
    let call = McpCall { cwd, server, tool, verb, domain: domain(server, &words), input };
    let before = analysis.effects.list.len();
    let (parts, cut_off) = inputs::objects(input);
    if cut_off {
        analysis.over_limit(Span::default());
    }
    for part in parts {
        let said = ["type", "op", "operation", "action", "kind"].iter().find_map(|name| part.get(*name)?.as_str());
        let verb =
            said.map(|said| self::verb(&self::words(said))).filter(|verb| *verb != Verb::Unknown).unwrap_or(verb);
        arguments(analysis, &McpCall { verb, input: part, ..call });
    }
    for text in inputs::texts(input) {
        requests::graphql(analysis, text, Some(server));
    }
    whole(analysis, &call);
    let quiet = matches!(verb, Verb::Read);
    if analysis.effects.list.len() == before && !quiet {
        analysis.gap(GapReason::UnknownTool, Span::default());
    }
}

/// What the commands of an editor do: these tools call them `command`, and are no shells.
fn editor_verb(command: &str) -> Option<Verb> {
    match command {
        "view" => Some(Verb::Read),
        "create" | "str_replace" | "insert" | "undo_edit" => Some(Verb::Write),
        "delete" => Some(Verb::Delete),
        "rename" => Some(Verb::Move),
        _ => None,
    }
}

fn strings<'v>(input: &'v Value, names: &[&str]) -> Vec<&'v str> {
    let Some(fields) = input.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in fields {
        // `pathInProject` and its relatives are paths, whatever they are in.
        let is_path = || {
            names.contains(&"file_path")
                && name.starts_with("path")
                && words(name).first().is_some_and(|word| word == "path")
        };
        if !names.contains(&name.as_str()) && !is_path() {
            continue;
        }
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(items) => found.extend(items.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    found
}

/// What single arguments tell: commands, queries, URLs, paths.
fn arguments(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let words = |names: &[&str]| strings(call.input, names);
    let folder = words(FOLDERS).first().map_or_else(|| call.cwd.to_owned(), |folder| tidy(call.cwd.join(folder)));
    let code_named = language(call).filter(|language| *language != Language::Shell);
    for command in words(COMMANDS).into_iter().filter(|command| editor_verb(command).is_none()) {
        let is_script = call.input.get("script").and_then(Value::as_str) == Some(command);
        if code_named.is_some() && is_script {
            run_code(analysis, call, command, &folder);
            continue;
        }
        match remote_host(call) {
            Some(host) => {
                shell(analysis, "", &format!("ssh {} {}", quote(&path_arg(host)), quote(&path_arg(command))), &folder);
            }
            None => shell(analysis, "", command, &folder),
        }
    }
    requests::follow(analysis, call.cwd, call.server, call.input);
    if let Some(args) = call.input.get("args").and_then(Value::as_array)
        && let Some(command) = call.input.get("command").and_then(Value::as_str)
    {
        let args = args.iter().filter_map(Value::as_str).map(|arg| quote(&path_arg(arg)));
        let line = std::iter::once(command.to_owned()).chain(args).collect::<Vec<_>>().join(" ");
        shell(analysis, "", &line, &folder);
    }
    for name in COMMANDS {
        // A list is a program with its arguments.
        let list = call.input.get(*name).and_then(Value::as_array).filter(|_| *name != "commands");
        let list: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
        if list.len() > 1 {
            let line = list.iter().map(|word| quote(&path_arg(word))).collect::<Vec<_>>().join(" ");
            shell(analysis, "", &line, &folder);
        }
    }
    if types_into_process(call.tool) {
        for text in words(TYPED) {
            shell(analysis, "", text, &folder);
        }
    }
    for code in words(CODE).into_iter().filter(|_| call.verb == Verb::Run && call.domain != "web") {
        run_code(analysis, call, code, &folder);
    }
    for text in words(PATCHES) {
        patch(analysis, call, text);
    }
    for query in queries(call) {
        if sql::reads_secrets(query) {
            analysis.add_target(Act::SecretRead, Some(call.server), Location::Remote, Span::default());
        }
        if sql::changes_rights(query) {
            analysis.add_target(Act::DbWrite, Some(sql::RIGHTS), Location::Remote, Span::default());
        }
        if let Some(act) = sql::classify(query) {
            analysis.add_target(act, Some(call.server), Location::Remote, Span::default());
        }
    }
    for url in words(URLS).into_iter().filter(|url| url.contains("://") && !url.starts_with("file://")) {
        let object = Object { url: Some(url.into()), host: host_of(url).map(Into::into), ..Object::default() };
        let act = if sends_secret(url) { Act::SecretSend } else { Act::NetFetch };
        analysis.add(act, object, Location::Remote, Sure::Certain, Span::default());
    }
    if call.domain == "files" || call.domain == "git" || call.domain == "db" {
        paths(analysis, call);
    } else {
        attachments(analysis, call);
    }
    outputs(analysis, call);
}

/// Files that are sent to a service, if they are there.
fn attachments(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let mut named = strings(call.input, PATHS);
    named.extend(strings(call.input, &["attachments", "attachment", "attachment_paths", "images", "image"]));
    for path in named.into_iter().filter(|path| !path.contains("://")) {
        let arg = expanded(analysis, path);
        if analysis.machine.kind(&tidy(call.cwd.join(&arg.text))).is_some() {
            analysis.touch(Act::FsRead, &arg, Some(call.cwd), Extent::Single);
        }
    }
}

/// Whether a tool tells of names, sizes and kinds alone.
fn only_looks(tool: &str) -> bool {
    let words = words(tool);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["info", "stat", "stats", "list", "ls", "tree", "exists", "metadata", "size"]) && !has(&["read", "content"])
}

/// `write_stdin`, `write-process`, `interact_with_process`, `send_to_terminal`
fn types_into_process(tool: &str) -> bool {
    let words = words(tool);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let into = has(&["process", "terminal", "pty", "tty", "console", "shell", "repl"]);
    has(&["stdin"]) || into && has(&["write", "send", "interact", "type", "input"])
}

/// The machine that a tool runs commands on, if it is another one.
fn remote_host<'c>(call: &McpCall<'c>) -> Option<&'c str> {
    let remote =
        call.server.contains("ssh") || words(call.tool).iter().any(|word| matches!(word.as_str(), "ssh" | "remote"));
    let host = ["host", "hostname", "server", "machine"].iter().find_map(|name| call.input.get(*name)?.as_str());
    host.or(Some("host")).filter(|_| remote)
}

/// The SQL of a call: whatever the tool of a database is given, and elsewhere what is nothing but a statement.
fn queries<'c>(call: &McpCall<'c>) -> Vec<&'c str> {
    let fields = call.input.as_object().into_iter().flatten();
    let of_field = |value: &'c Value| -> Vec<&'c str> {
        match value {
            Value::String(text) => vec![text.as_str()],
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    };
    let runs = call.domain == "db" || matches!(call.verb, Verb::Run | Verb::Write | Verb::Delete);
    let named = fields.filter(|(name, _)| call.domain == "db" || runs || QUERIES.contains(&name.as_str()));
    let prose = |name: &str| {
        matches!(
            name,
            "title" | "description" | "message" | "comment" | "summary" | "content" | "new_str" | "file_text"
        )
    };
    named
        .flat_map(|(name, value)| of_field(value).into_iter().map(move |text| (name, text)))
        .filter(|(name, text)| {
            let sure = runs && QUERIES.contains(&name.as_str()) || call.domain == "db";
            if sure { sql::looks_like(text) } else { !prose(name) && sql::is_statement(text) }
        })
        .map(|(_, text)| text)
        .collect()
}

/// The language that a tool runs code in, if something names one.
fn language(call: &McpCall<'_>) -> Option<Language> {
    let said = call.input.get("language").and_then(Value::as_str).unwrap_or_default();
    [said, call.tool, call.server].iter().find_map(|name| {
        let name = name.to_ascii_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if any(&["javascript", "typescript", "node", "deno"]) || words(&name).iter().any(|word| word == "js") {
            Some(Language::JavaScript)
        } else if any(&["bash", "shell"]) {
            Some(Language::Shell)
        } else if name.contains("ruby") {
            Some(Language::Ruby)
        } else if name.contains("perl") {
            Some(Language::Perl)
        } else if name.contains("php") {
            Some(Language::Php)
        } else {
            any(&["python", "jupyter", "ipython", "pandas"]).then_some(Language::Python)
        }
    })
}

/// Code that a tool runs is Python's unless something says otherwise.
fn run_code(analysis: &mut Analysis<'_>, call: &McpCall<'_>, code: &str, folder: &Path) {
    let language = language(call).unwrap_or(Language::Python);
    script::run(analysis, &mut Shell::at(folder), language, code, Span::default(), &Flow::default());
}

/// A patch names the files that it changes.
fn patch(analysis: &mut Analysis<'_>, call: &McpCall<'_>, text: &str) {
    if text.contains("*** ") && text.contains("File:") {
        super::patch::apply(analysis, Some(call.cwd), text, Span::default());
    }
    for file in patched_files(text) {
        analysis.touch(Act::FsWrite, &path_arg(&file), Some(call.cwd), Extent::Single);
    }
}

/// Whatever a tool is about, some arguments say that they lead to what it writes.
fn outputs(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let Some(fields) = call.input.as_object() else { return };
    for (name, value) in fields {
        let Some(path) = value.as_str().filter(|path| !path.is_empty() && !path.contains("://")) else { continue };
        // What a browser is told to call a file is a picture or a download.
        let file = call.domain == "web" && matches!(name.as_str(), "filename" | "file_name" | "fileName");
        if file || is_output(&spelled_as_option(name)) {
            let arg = expanded(analysis, path);
            analysis.touch(Act::FsWrite, &arg, Some(call.cwd), Extent::Below);
        }
    }
}

/// `outputPath` and `output_path` as the option `--output-path`.
fn spelled_as_option(name: &str) -> String {
    format!("--{}", words(name).join("-"))
}

fn paths(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let act = match call.verb {
        Verb::Read | Verb::Send => Act::FsRead,
        Verb::Delete => Act::FsDelete,
        Verb::Move => Act::FsMove,
        Verb::Link => Act::FsLink,
        Verb::Write | Verb::Run | Verb::Unknown => Act::FsWrite,
    };
    // A tool whose name says nothing writes if it is given content, and may write otherwise.
    let text = ["content", "contents", "text", "new_content", "data", "newText", "new_str", "new_string"]
        .iter()
        .find_map(|name| call.input.get(*name).and_then(Value::as_str));
    let about_repository = call.domain == "git";
    let mut named = strings(call.input, PATHS);
    if matches!(call.verb, Verb::Delete | Verb::Link) {
        named.extend(strings(call.input, TARGETS));
    }
    if call.verb == Verb::Link {
        named.extend(strings(call.input, SOURCES));
    }
    // `git_checkout` of files, not of a branch.
    let restores =
        words(call.tool).iter().any(|word| matches!(word.as_str(), "checkout" | "restore" | "reset" | "rm" | "mv"));
    if call.domain == "git" && restores {
        for file in strings(call.input, &["files", "paths", "file", "file_path", "pathspec", "pathspecs"]) {
            analysis.touch(Act::FsWrite, &expanded(analysis, file), Some(call.cwd), Extent::Below);
        }
    }
    for path in named.into_iter().filter(|path| !path.contains("://") || path.starts_with("file://")) {
        let arg = expanded(analysis, path);
        let extent = if act == Act::FsDelete { Extent::Below } else { Extent::Single };
        if about_repository && text.is_none() && act != Act::FsDelete {
            continue;
        }
        if call.verb == Verb::Unknown && text.is_none() {
            analysis.touch(Act::FsRead, &arg, Some(call.cwd), extent);
            analysis.gap_about(GapReason::UnknownTool, Span::default(), &[arg], Some(call.cwd));
            continue;
        }
        let before = analysis.effects.list.len();
        let edits = words(call.tool).iter().any(|word| {
            matches!(
                word.as_str(),
                "edit" | "append" | "insert" | "patch" | "update" | "replace" | "modify" | "apply" | "fix" | "format"
            )
        });
        if act == Act::FsWrite && text.is_some() && !edits {
            analysis.overwrite(&arg, Some(call.cwd));
        } else {
            analysis.touch(act, &arg, Some(call.cwd), extent);
        }
        if act == Act::FsRead && call.verb == Verb::Read && only_looks(call.tool) {
            analysis.only_names(before);
        }
        if let Some(text) = text {
            content::inspect(analysis, Some(call.cwd), &arg, text);
        }
    }
    let moves = matches!(call.verb, Verb::Move);
    let copies = !moves && !strings(call.input, SOURCES).is_empty() && !strings(call.input, TARGETS).is_empty();
    if moves || copies {
        for source in strings(call.input, SOURCES) {
            let arg = expanded(analysis, source);
            analysis.touch(if moves { Act::FsMove } else { Act::FsRead }, &arg, Some(call.cwd), Extent::Below);
        }
        for target in strings(call.input, TARGETS) {
            let arg = expanded(analysis, target);
            analysis.touch(Act::FsWrite, &arg, Some(call.cwd), Extent::Single);
        }
    }
}

/// What server and name tell together.
fn whole(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let target = [
        "name",
        "database",
        "branch_id",
        "project_id",
        "cluster",
        "namespace",
        "context",
        "bucket",
        "collection",
        "id",
        "repo",
        "channel",
    ]
    .iter()
    .find_map(|name| call.input.get(*name).and_then(Value::as_str));
    let texts_hold_secret = inputs::texts(call.input).into_iter().any(sends_secret);
    let mut add = |act: Act| {
        let object = Object {
            target: target.map(Into::into),
            branch: call.input.get("branch").and_then(Value::as_str).map(Into::into),
            host: matches!(act, Act::NetSend | Act::NetFetch | Act::SecretSend).then(|| call.server.into()),
            ..Object::default()
        };
        analysis.add(act, object, Location::Remote, Sure::Certain, Span::default());
    };
    if let Some(act) = super::people::reached(call.server, &words(call.tool), call.verb == Verb::Read) {
        add(act);
        if texts_hold_secret {
            add(Act::SecretSend);
        }
        return;
    }
    let (parts, _) = inputs::objects(call.input);
    let has_query = parts.iter().any(|part| !queries(&McpCall { input: part, ..*call }).is_empty());
    // What is given to a server, and is the content of no file here, leaves the machine.
    let writes_file = || parts.iter().any(|part| !strings(part, PATHS).is_empty());
    let leaves = !call.server.is_empty() && call.verb != Verb::Read && !writes_file();
    if texts_hold_secret && leaves && call.domain == "files" && call.verb != Verb::Run {
        add(Act::SecretSend);
        return;
    }
    match (call.domain, call.verb) {
        ("db", _) if has_query => {}
        ("db", Verb::Delete) => add(Act::DbDestroy),
        ("db", Verb::Read) => add(Act::DbRead),
        ("db", Verb::Write | Verb::Run) => add(Act::DbWrite),
        ("infra", _) if has_query => {}
        ("infra", Verb::Delete) => add(Act::InfraDestroy),
        ("infra", Verb::Read) => add(Act::InfraRead),
        ("infra", Verb::Write) => add(Act::InfraWrite),
        ("forge", Verb::Read) => add(Act::NetFetch),
        ("forge", Verb::Delete) => add(Act::InfraDestroy),
        ("forge", _)
            if call.tool.contains("push")
                || call.tool.contains("create_or_update_file")
                || call.tool.contains("merge") =>
        {
            add(Act::GitPush);
        }
        ("service", Verb::Delete) => add(Act::InfraDestroy),
        ("forge" | "service", Verb::Write | Verb::Send | Verb::Run | Verb::Unknown) => {
            add(if texts_hold_secret { Act::SecretSend } else { Act::NetSend });
        }
        ("service", Verb::Read) => add(Act::NetFetch),
        ("git", _) if words(call.tool).iter().any(|word| MOVERS.contains(&word.as_str())) => commit(analysis, call),
        ("git", Verb::Write) if call.tool.contains("push") => add(Act::GitPush),
        ("git", Verb::Write) => add(Act::GitStage),
        ("git", _) if call.tool.contains("reset") => add(Act::GitDiscard),
        ("git", _) if call.tool.contains("checkout") => add(Act::GitBranch),
        ("git", _) => add(Act::GitRead),
        ("web", Verb::Send) => add(if texts_hold_secret { Act::SecretSend } else { Act::NetSend }),
        _ if texts_hold_secret && call.verb == Verb::Send => add(Act::SecretSend),
        ("files", Verb::Send) => add(Act::NetSend),
        _ => {}
    }
}

/// A commit on the branch that is checked out in the repository that the tool is told.
fn commit(analysis: &mut Analysis<'_>, call: &McpCall<'_>) {
    let folder = strings(call.input, REPOSITORIES).first().map(|path| tidy(call.cwd.join(path)));
    let folder = folder.unwrap_or_else(|| call.cwd.to_owned());
    let repository = Repository::around(&folder, analysis.machine);
    let branch = repository.as_ref().and_then(|repository| match repository.head(analysis.machine) {
        Head::Branch(branch) => Some(branch),
        Head::Detached | Head::Unknown => None,
    });
    let moves = repository.zip(branch.as_ref()).map(|(repository, branch)| {
        Box::new(MovedBranch { repository: repository.common, branch: branch.as_str().into() })
    });
    let object = Object { branch: branch.map(Into::into), moves, ..Object::default() };
    let place = analysis.place_of(&folder);
    analysis.add(Act::GitCommit, object, place, Sure::Certain, Span::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_name() {
        let input = serde_json::json!({ "path": "a", "paths": ["b", "c", { "path": "d" }], "other": "d" });
        assert_eq!(strings(&input, PATHS), ["a", "b", "c"]);
    }
}
