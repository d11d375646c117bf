//! What weakens checks without touching a guarded file: variables that load code or switch certificates off, options that
//! do the same, tests that are skipped.

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::location::Location;
use crate::models::{host_of, is_loopback};
use crate::object::Object;
use crate::paths::{joined, name_of, names};
use crate::persist::is_workflow;
use crate::shell::Invocation;
use hookrail_shell::ast::Span;
use std::path::Path;

/// How the value of a variable loads code into the programs that inherit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loads {
    /// Any value names code.
    Any,
    /// A list of folders, which matters unless all of them belong to the project.
    Folders,
    /// Options, of which these load code.
    Options(&'static [&'static str]),
}

/// Variables that make a program load or run code that its command line does not name.
const LOADERS: &[(&str, Loads)] = &[
    ("LD_PRELOAD", Loads::Any),
    ("LD_AUDIT", Loads::Any),
    ("LD_LIBRARY_PATH", Loads::Folders),
    ("DYLD_INSERT_LIBRARIES", Loads::Any),
    ("DYLD_LIBRARY_PATH", Loads::Folders),
    ("DYLD_FRAMEWORK_PATH", Loads::Folders),
    ("GCONV_PATH", Loads::Any),
    ("BASH_ENV", Loads::Any),
    ("ENV", Loads::Folders),
    ("ZDOTDIR", Loads::Any),
    ("PROMPT_COMMAND", Loads::Any),
    ("PYTHONSTARTUP", Loads::Any),
    ("PYTHONHOME", Loads::Any),
    ("PYTHONPATH", Loads::Folders),
    ("NODE_PATH", Loads::Folders),
    (
        "NODE_OPTIONS",
        Loads::Options(&["-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file"]),
    ),
    ("PERL5OPT", Loads::Any),
    ("PERL5DB", Loads::Any),
    ("PERL5LIB", Loads::Folders),
    ("RUBYOPT", Loads::Options(&["-r", "-I", "-e"])),
    ("RUBYLIB", Loads::Folders),
    ("PHPRC", Loads::Any),
    ("PHP_INI_SCAN_DIR", Loads::Any),
    ("LUA_INIT", Loads::Any),
    ("JAVA_TOOL_OPTIONS", Loads::Options(&["-javaagent", "-agentlib", "-agentpath", "-Xbootclasspath"])),
    ("_JAVA_OPTIONS", Loads::Options(&["-javaagent", "-agentlib", "-agentpath", "-Xbootclasspath"])),
    ("CLASSPATH", Loads::Folders),
    ("RUSTC_WRAPPER", Loads::Folders),
    ("GIT_EXEC_PATH", Loads::Any),
    ("GIT_TEMPLATE_DIR", Loads::Any),
];

/// Variables that switch the check of certificates off, with the values that do.
const NO_CERTIFICATES: &[(&str, &[&str])] = &[
    ("NODE_TLS_REJECT_UNAUTHORIZED", &["0"]),
    ("PYTHONHTTPSVERIFY", &["0"]),
    ("GIT_SSL_NO_VERIFY", ON),
    ("npm_config_strict_ssl", OFF),
    ("NPM_CONFIG_STRICT_SSL", OFF),
    ("YARN_STRICT_SSL", OFF),
    ("PIP_TRUSTED_HOST", &["*"]),
    ("CURL_INSECURE", ON),
    ("CONDA_SSL_VERIFY", OFF),
    ("BUNDLE_SSL_VERIFY_MODE", &["0"]),
    ("CARGO_HTTP_SSL_VERIFY", OFF),
    ("GONOSUMCHECK", ON),
    ("GOINSECURE", &["*"]),
    ("AWS_NO_VERIFY_SSL", ON),
    ("DENO_TLS_CA_STORE", &["none"]),
];
const ON: &[&str] = &["1", "true", "yes", "on"];
const OFF: &[&str] = &["0", "false", "no", "off"];

/// Options that mean the same in every program that has them.
const INSECURE_OPTIONS: &[&str] = &[
    "--insecure",
    "--no-check-certificate",
    "--no-check-certificates",
    "--insecure-skip-tls-verify",
    "--insecure-skip-verify",
    "--tls-skip-verify",
    "--skip-tls-verify",
    "--no-verify-ssl",
    "--no-ssl-verify",
    "--no-tls-verify",
    "--trusted-host",
    "--ssl-no-revoke",
    "--disable-ssl-verify",
    "--unsafely-ignore-certificate-errors",
    "--allow-insecure-ssl",
];
/// Settings of that meaning, as one word of small letters.
const CERTIFICATE_SETTINGS: &[&str] =
    &["sslverify", "strictssl", "rejectunauthorized", "verifyssl", "tlsverify", "verifytls", "validatecerts"];

/// Variables that switch hooks of a commit off, with the values that do.
const NO_COMMIT_HOOKS: &[(&str, &[&str])] = &[
    ("HUSKY", &["0"]),
    ("HUSKY_SKIP_HOOKS", ON),
    ("SKIP", &["*"]),
    ("PRE_COMMIT_ALLOW_NO_CONFIG", ON),
    ("LEFTHOOK", OFF),
];

/// Notes what a variable does to the programs that inherit it.
pub(crate) fn variable(analysis: &mut Analysis<'_>, cwd: Option<&Path>, name: &str, value: &Arg, span: Span) {
    if value.text.is_empty() || !value.text.is_ascii() && value.known() {
        return;
    }
    let loads = LOADERS.iter().find(|(known, _)| *known == name).map(|(_, loads)| *loads);
    if loads.is_some_and(|loads| injects(analysis, cwd, loads, value)) {
        analysis.add_target(Act::LoaderInject, Some(name), Location::System, span);
    }
    if has_value(NO_CERTIFICATES, name, value) {
        analysis.add_target(Act::TlsWeaken, Some(name), Location::Remote, span);
    }
    if has_value(NO_COMMIT_HOOKS, name, value) {
        analysis.add_target(Act::CheckWeaken, Some(name), Location::Project, span);
    }
}

fn has_value(table: &[(&str, &[&str])], name: &str, value: &Arg) -> bool {
    let values = table.iter().find(|(known, _)| *known == name).map(|(_, values)| *values);
    let is = |wanted: &&str| *wanted == "*" || !value.known() || wanted.eq_ignore_ascii_case(&value.text);
    values.is_some_and(|values| values.iter().any(is))
}

fn injects(analysis: &Analysis<'_>, cwd: Option<&Path>, loads: Loads, value: &Arg) -> bool {
    match loads {
        Loads::Any => true,
        Loads::Options(options) => {
            !value.known()
                || value.text.split_ascii_whitespace().any(|word| options.iter().any(|option| word.starts_with(option)))
        }
        Loads::Folders => {
            let own = |folder: &str| {
                let path = cwd.map(|cwd| joined(cwd, folder));
                path.is_some_and(|path| {
                    matches!(analysis.place_of(&path), Location::Project | Location::Build | Location::System)
                })
            };
            // `$OTHER:folder`: what the variable held before stays.
            value
                .text
                .split([':', ';'])
                .filter(|part| !part.is_empty() && !part.starts_with('$'))
                .any(|part| !own(part))
        }
    }
}

/// Notes options and settings of a program that switch the check of certificates off.
pub(crate) fn options(analysis: &mut Analysis<'_>, call: &Invocation) {
    let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let insecure = |index: usize, word: &&str| {
        let (name, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        let is_off = |value: &str| OFF.iter().chain(&["none"]).any(|off| off.eq_ignore_ascii_case(value.trim()));
        if INSECURE_OPTIONS.contains(&name) {
            return value.is_none_or(|value| !is_off(value));
        }
        is_certificate_setting(name) && value.or_else(|| words.get(index + 1).copied()).is_some_and(is_off)
    };
    if !words.iter().enumerate().any(|(index, word)| insecure(index, word)) {
        return;
    }
    let hosts = || words.iter().filter(|word| word.contains("://")).filter_map(|word| host_of(word));
    if hosts().next().is_none() || !hosts().all(is_loopback) {
        analysis.add_target(Act::TlsWeaken, Some(&call.program), Location::Remote, call.span);
    }
}

/// `http.sslVerify`, `strict-ssl`, `-Dmaven.…`: the last part of a dotted name, without hyphens.
fn is_certificate_setting(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let plain: String = last.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    CERTIFICATE_SETTINGS.contains(&plain.as_str())
}

/// Words by which test frameworks leave a test out.
const SKIPS: &[&str] = &[
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "xit(",
    "xdescribe(",
    "it.only(",
    "test.only(",
    "describe.only(",
    "@pytest.mark.skip",
    "@unittest.skip",
    "pytest.skip(",
    "#[ignore",
    "t.Skip(",
    "@Disabled",
    "@Ignore",
];

/// Notes written text that leaves tests out, or lets a workflow pass whatever fails in it.
pub(crate) fn content(analysis: &mut Analysis<'_>, path: &Path, place: Location, text: &str, span: Span) {
    let passes =
        is_workflow(path) && ["continue-on-error: true", "|| true", "if: false"].iter().any(|it| text.contains(it));
    let skips = is_test(path) && SKIPS.iter().any(|word| text.contains(word));
    if passes || skips {
        let object = Object { target: Some(name_of(path).into()), ..Object::default() };
        analysis.add(Act::CheckWeaken, object, place, Sure::Certain, span);
    }
}

/// Reports whether a path names a test, or a folder of tests.
pub(crate) fn is_test(path: &Path) -> bool {
    let name = name_of(path);
    let stem = name.split('.').next().unwrap_or(name);
    let in_folder = names(path).any(|part| matches!(part, "tests" | "__tests__" | "spec" | "test"));
    in_folder
        || stem.starts_with("test_")
        || ["_test", "_spec", "Test", "Tests"].iter().any(|end| stem.ends_with(end))
        || name.contains(".test.")
        || name.contains(".spec.")
}
