//! Databases.

use super::{ProgramReader, Reading, sql};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "sql_client" => sql_client,
        "mongo" => mongo,
        "redis" => redis,
        "mysqladmin" => mysqladmin,
        "migrate" => migrate,
        "flask" => flask,
        "kafka" => kafka,
        "supabase" => supabase,
        _ => return None,
    })
}

/// A client that runs SQL: from an option, an operand, a file, or its input.
fn sql_client(r: &mut Reading<'_, '_, '_>) -> Flow {
    let target = r
        .parsed
        .operands
        .first()
        .or_else(|| r.parsed.value(&["-d", "-D", "--dbname", "--database"]))
        .map(|arg| arg.text.clone());
    let mut texts: Vec<Arg> =
        r.parsed.values(&["-c", "-e", "-q", "-Q", "--command", "--execute", "--query", "-cmd"]).cloned().collect();
    texts.extend(
        r.parsed.operands.iter().skip(1).filter(|arg| arg.text.contains(' ') || arg.text.starts_with('.')).cloned(),
    );
    for file in r.parsed.values(&["-f", "--file", "-i"]).cloned().collect::<Vec<_>>() {
        let flow = shell::read(r.analysis, r.shell, &file);
        let text = flow.text.or_else(|| file_text(r, &file));
        texts.extend(text.map(|text| file.with_text(text)));
    }
    if texts.is_empty()
        && let Some(text) = &r.call.stdin.text
    {
        texts.push(Arg::new(text.clone(), r.call.span));
    }
    for out in r.parsed.values(&["-o", "--output", "-L"]).cloned().collect::<Vec<_>>() {
        r.touch(Act::FsWrite, &out, Extent::Single);
    }
    let mut found = None;
    for text in &texts {
        if let Some(command) = text.text.trim_start().strip_prefix("\\!") {
            r.run_text(&text.with_text(command));
        }
        if let Some(command) =
            text.text.trim_start().strip_prefix(".shell ").or_else(|| text.text.trim_start().strip_prefix(".system "))
        {
            r.run_text(&text.with_text(command));
        }
        for line in text.text.lines().map(str::trim) {
            let file =
                [".output ", ".once ", ".save ", ".backup ", ".log "].iter().find_map(|name| line.strip_prefix(name));
            if let Some(file) = file.and_then(|rest| rest.split_whitespace().last()).filter(|file| *file != "stdout") {
                r.touch(Act::FsWrite, &text.with_text(file), Extent::Single);
            }
        }
        for file in sql::read_files(&text.text) {
            r.touch(Act::FsRead, &text.with_text(file), Extent::Single);
        }
        if sql::writes_files(&text.text) {
            r.gap(crate::effect::GapReason::DynamicCode, std::slice::from_ref(text));
        }
        if sql::reads_secrets(&text.text) {
            r.act(Act::SecretRead, target.as_deref());
        }
        if sql::changes_rights(&text.text) {
            r.act(Act::DbWrite, Some(sql::RIGHTS));
        }
        if let Some(act) = sql::classify(&text.text) {
            r.act(act, target.as_deref());
            found = Some(act);
        }
    }
    // These databases are files.
    if matches!(r.call.program.as_str(), "sqlite3" | "duckdb" | "litecli")
        && let Some(file) = r.parsed.operands.first().cloned().filter(|file| file.text != ":memory:")
    {
        let act = if matches!(found, Some(Act::DbWrite | Act::DbDestroy)) { Act::FsWrite } else { Act::FsRead };
        r.touch(act, &file, Extent::Single);
    }
    if found.is_none() {
        // It is not known what runs; at least it reads.
        let unknown_input = r.call.stdin.some && r.call.stdin.text.is_none();
        r.act(if unknown_input { Act::DbWrite } else { Act::DbRead }, target.as_deref());
    }
    Flow::unknown(Taint::NONE)
}

fn file_text(r: &Reading<'_, '_, '_>, file: &Arg) -> Option<String> {
    let path = crate::paths::tidy(r.shell.cwd.as_deref()?.join(&file.text));
    r.analysis.machine.read_small(&path)
}

fn mongo(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut text: String = r.parsed.values(&["--eval"]).map(|arg| arg.text.clone()).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        text = r.call.stdin.text.clone().unwrap_or_default();
    }
    let target = r.parsed.operands.first().map(|arg| arg.text.clone());
    let act = mongo_act(&text);
    r.act(act, target.as_deref());
    Flow::unknown(Taint::NONE)
}

/// What a text of MongoDB's shell does.
pub(crate) fn mongo_act(text: &str) -> Act {
    let destroys = [
        "dropDatabase",
        ".drop(",
        "deleteMany({})",
        "remove({})",
        "dropUser",
        "dropAllUsers",
        ".dropIndexes(",
        "dropRole",
    ];
    let writes = [
        "insert",
        "update",
        "delete",
        "remove",
        "replace",
        "createIndex",
        "createCollection",
        "bulkWrite",
        "renameCollection",
        "createUser",
    ];
    if destroys.iter().any(|word| text.contains(word)) {
        Act::DbDestroy
    } else if writes.iter().any(|word| text.contains(word)) {
        Act::DbWrite
    } else {
        Act::DbRead
    }
}

fn redis(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> = r.parsed.operands.iter().map(|arg| arg.text.to_ascii_uppercase()).collect();
    let text = r.call.stdin.text.clone().unwrap_or_default().to_ascii_uppercase();
    let command =
        words.first().cloned().or_else(|| text.split_whitespace().next().map(str::to_owned)).unwrap_or_default();
    let act = match command.as_str() {
        "FLUSHALL" | "FLUSHDB" | "SHUTDOWN" => Act::DbDestroy,
        "DEL" | "UNLINK" if words.iter().any(|word| word.contains('*')) => Act::DbDestroy,
        "GET" | "MGET" | "KEYS" | "SCAN" | "INFO" | "PING" | "TTL" | "TYPE" | "EXISTS" | "HGET" | "HGETALL"
        | "LRANGE" | "SMEMBERS" | "ZRANGE" | "DBSIZE" | "MONITOR" | "LLEN" | "HKEYS" | "SCARD" | "XRANGE"
        | "MEMORY" | "CLIENT" | "COMMAND" | "" => Act::DbRead,
        "CONFIG" if words.get(1).is_some_and(|word| word == "SET") => {
            r.act(Act::HostPersist, Some("redis config"));
            Act::DbWrite
        }
        _ => Act::DbWrite,
    };
    r.act(act, None);
    Flow::unknown(Taint::NONE)
}

fn mysqladmin(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<&str> = r.parsed.operands.iter().map(|arg| arg.text.as_str()).collect();
    let act = match words.first().copied().unwrap_or_default() {
        "drop" | "shutdown" => Act::DbDestroy,
        "status" | "ping" | "version" | "processlist" | "variables" | "extended-status" => Act::DbRead,
        _ => Act::DbWrite,
    };
    let target = words.get(1).map(|word| (*word).to_owned());
    r.act(act, target.as_deref());
    Flow::unknown(Taint::NONE)
}

/// `flask db …` is a tool for migrations, the other commands are the application's own.
fn flask(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.by_usage();
    match r.first() {
        "db" => migrate(r),
        "run" => {
            r.act(Act::NetListen, None);
            Flow::default()
        }
        "shell" => {
            r.act(Act::ExecDynamic, None);
            Flow::default()
        }
        "routes" | "--version" => Flow::unknown(Taint::NONE),
        name => {
            let name = name.to_owned();
            super::packages::task(r, &name);
            Flow::unknown(Taint::NONE)
        }
    }
}

/// Tools that change a database's schema: by the words they are given.
fn migrate(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.to_ascii_lowercase()).collect();
    let options: Vec<&str> =
        r.call.args.iter().map(|arg| arg.text.as_str()).filter(|text| text.starts_with("--")).collect();
    let act = migration_act(&words, &options);
    r.act(act, None);
    Flow::unknown(Taint::NONE)
}

fn migration_act(words: &[String], options: &[&str]) -> Act {
    let any = |list: &[&str]| {
        words.iter().flat_map(|word| word.split([':', '-', '_', '/', '.'])).any(|word| list.contains(&word))
    };
    let loses = options.iter().any(|option| option.contains("accept-data-loss") || option.contains("force-reset"));
    if any(&[
        "reset",
        "drop",
        "fresh",
        "wipe",
        "clean",
        "purge",
        "downgrade",
        "rollback",
        "down",
        "refresh",
        "flush",
        "dropall",
        "destroy",
        "undo",
        "revert",
        "redo",
        "backwards",
        "unapply",
        "nuke",
        "truncate",
    ]) || loses
        // It makes every table anew.
        || words.join(":").contains("schema:load")
        || words.join(":").contains("structure:load")
    {
        Act::DbDestroy
    } else if any(&[
        "status",
        "validate",
        "list",
        "diff",
        "info",
        "history",
        "current",
        "show",
        "check",
        "pull",
        "inspect",
        "lint",
        "heads",
        "log",
        "version",
        "generate",
        "introspect",
        "studio",
        "format",
        "print",
        "create",
    ]) {
        Act::DbRead
    } else {
        Act::DbWrite
    }
}

/// The same for tasks named `db:…` of other tools.
pub(super) fn task_act(task: &str) -> Option<Act> {
    // `flywayClean` is `flyway:clean`.
    let mut words = String::with_capacity(task.len() + 4);
    for c in task.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push(':');
        }
        words.push(c.to_ascii_lowercase());
    }
    let task = words;
    let about = ["db:", "migrate", "migration", "schema", "ecto.", "database", "doctrine:", "flyway", "liquibase"]
        .iter()
        .any(|prefix| task.starts_with(prefix));
    about.then(|| {
        let words: Vec<String> = task.split([':', '.']).map(str::to_owned).collect();
        migration_act(&words, &[])
    })
}

fn kafka(r: &mut Reading<'_, '_, '_>) -> Flow {
    let topic = r.parsed.value(&["--topic"]).map(|arg| arg.text.clone());
    let act = if r.parsed.has(&["--delete"]) {
        Act::InfraDestroy
    } else if r.parsed.has(&["--list", "--describe"]) {
        Act::InfraRead
    } else {
        Act::InfraWrite
    };
    r.act(act, topic.as_deref());
    Flow::unknown(Taint::NONE)
}

fn supabase(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.clone()).collect();
    let linked = r.call.args.iter().any(|arg| matches!(arg.text.as_str(), "--linked" | "--db-url"));
    let target = if linked { "linked" } else { "local" };
    match (words.first().map(String::as_str), words.get(1).map(String::as_str)) {
        (Some("db"), Some("reset")) => r.act(Act::DbDestroy, Some(target)),
        (Some("db"), Some("push")) => r.act(Act::DbWrite, Some(target)),
        (Some("db" | "migration"), Some("diff" | "dump" | "lint" | "pull" | "list" | "new")) => {
            r.act(Act::DbRead, Some(target));
        }
        (Some("migration"), _) => r.act(Act::DbWrite, Some(target)),
        (Some("start" | "stop" | "status" | "init"), _) => r.act(Act::ContainerRun, None),
        _ => return super::cloud::by_verb(r),
    }
    Flow::unknown(Taint::NONE)
}
