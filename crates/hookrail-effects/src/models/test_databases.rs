//! Databases of tests on this machine: dropping one is part of the day.

use super::{host_of, is_loopback};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::location::Location;
use crate::paths::joined;
use crate::shell::Invocation;

/// Variables by which frameworks choose the database that they work on.
const ENVIRONMENTS: &[&str] =
    &["RAILS_ENV", "RACK_ENV", "NODE_ENV", "APP_ENV", "FLASK_ENV", "MIX_ENV", "DJANGO_ENV", "ENV"];
/// Variables and options that name a server.
const SERVERS: &[&str] = &["PGHOST", "MYSQL_HOST", "DB_HOST", "DATABASE_HOST", "DATABASE_URL", "DB_URL", "REDIS_URL"];
const HOST_OPTIONS: &[&str] = &["-h", "--host", "--hostname", "--server"];

/// Gives the effects since `before` on data of a local test database the place of temporary files.
pub(super) fn note(analysis: &mut Analysis<'_>, call: &Invocation, before: usize) {
    let destroys = |effect: &crate::Effect| effect.act == Act::DbDestroy;
    if !analysis.effects.list.iter().skip(before).any(destroys) || !is_test_database(analysis, call) {
        return;
    }
    for effect in analysis.effects.list.iter_mut().skip(before).filter(|effect| destroys(effect)) {
        effect.place = Location::Temp;
    }
}

fn is_test_database(analysis: &Analysis<'_>, call: &Invocation) -> bool {
    if call.args.iter().any(|arg| !arg.known()) || !is_on_this_machine(analysis, call) {
        return false;
    }
    let words = || call.args.iter().map(|arg| arg.text.as_str());
    if words().any(|word| word.to_ascii_lowercase().contains("prod")) {
        return false;
    }
    let environment = |name: &str| {
        let given = words().find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
        given.or_else(|| call.variable(name).map(|value| value.text.clone())).or_else(|| analysis.machine.env(name))
    };
    let chosen = ENVIRONMENTS.iter().find_map(|name| environment(name));
    if let Some(chosen) = chosen {
        return matches!(chosen.as_str(), "test" | "testing");
    }
    let is_temporary = |word: &str| {
        word.starts_with('/') && analysis.place_of(&joined(&analysis.around.cwd, word)) == Location::Temp
            || word == ":memory:"
    };
    words().any(|word| names_test(word) || is_temporary(word))
}

/// Reports whether every server that the call or its environment names is this machine.
fn is_on_this_machine(analysis: &Analysis<'_>, call: &Invocation) -> bool {
    let local = |text: &str| text.starts_with('/') || host_of(text).is_none_or(is_loopback);
    let variable =
        |name: &&str| call.variable(name).map(|value| value.text.clone()).or_else(|| analysis.machine.env(name));
    if !SERVERS.iter().filter_map(variable).all(|value| local(&value)) {
        return false;
    }
    let mut words = call.args.iter().map(|arg| arg.text.as_str()).peekable();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let host = HOST_OPTIONS.contains(&name).then(|| value.or_else(|| words.peek().copied())).flatten();
        let attached = word.strip_prefix("-h").filter(|host| !host.is_empty());
        let url = word.contains("://").then_some(word);
        if !host.into_iter().chain(attached).chain(url).all(local) {
            return false;
        }
    }
    true
}

/// `shop_test`, `test-db`, `postgres://localhost/app_test?x`: a name of one word that has `test` as a part.
fn names_test(word: &str) -> bool {
    let name = word.split(['?', '#']).next().unwrap_or(word);
    let name = name.rsplit('/').next().unwrap_or(name);
    let plain = !name.starts_with('-') && !name.contains(' ');
    plain && name.split(['_', '-', '.', '=', ':']).any(|part| matches!(part, "test" | "tests" | "testing"))
}
