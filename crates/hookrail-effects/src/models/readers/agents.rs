//! Coding agents and hookrail itself.

use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::flow::{Arg, Flow, Taint};
use crate::shell::Invocation;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "hookrail" => hookrail,
        "agent" => agent,
        "apply_patch" => apply_patch,
        "jj" => jj,
        "hg" => hg,
        _ => return None,
    })
}

/// Commands of hookrail that leave its configuration, its trust, its sessions and the entries in agents as they are. An event
/// that an agent makes up (`hook`, `serve`) would tell hooks of a turn or a result that never was.
const LOOKS: &[&str] = &[
    "completions",
    "demo",
    "doctor",
    "explain",
    "fsm",
    "help",
    "list",
    "log",
    "man",
    "orchestrator",
    "replay",
    "rules",
    "schema",
    "stats",
    "test",
    "try",
    "validate",
    "version",
    "watch",
    "",
];

/// Reports whether a name is that of one of hookrail's programs.
pub(crate) fn is_hookrail(program: &str) -> bool {
    crate::machine::OWN_PROGRAMS.contains(&program)
}

/// Flags that make any command of hookrail one that only looks.
const LOOKING_FLAGS: &[&str] = &["--help", "-h", "--dry-run"];

fn hookrail(r: &mut Reading<'_, '_, '_>) -> Flow {
    let verb = r.first().to_owned();
    let rewrites = verb == "test" && r.parsed.has(&["--update", "--init"])
        || verb == "rules" && r.parsed.has(&["--write"])
        || verb == "doctor" && r.parsed.has(&["--fix"]);
    let lists = verb == "trust" && r.parsed.has(&["--list"]) && !r.parsed.has(&["--yes", "--revoke"]);
    let looks = lists || LOOKS.contains(&verb.as_str()) || r.parsed.has(LOOKING_FLAGS);
    if rewrites || !looks {
        r.act(Act::GuardChange, Some(&format!("hookrail {verb}")));
    }
    Flow::unknown(Taint::NONE)
}

/// Package managers that put programs where every project finds them, with or without an option that asks for it.
const FOR_ALL: &[&str] = &[
    "cargo", "pipx", "brew", "apt", "apt-get", "dpkg", "rpm", "dnf", "yum", "zypper", "pacman", "apk", "snap", "choco",
    "winget", "scoop", "port", "nix-env",
];
const FOR_ONE_OR_ALL: &[&str] = &["npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "gem", "mise", "asdf", "volta"];

/// Whether a package manager removes the program that agents call, or puts another version in its place.
pub(crate) fn exchanges_hookrail(call: &Invocation) -> bool {
    let all = FOR_ALL.contains(&call.program.as_str());
    if !all && !FOR_ONE_OR_ALL.contains(&call.program.as_str()) {
        return false;
    }
    let has = |words: &[&str]| call.args.iter().any(|arg| words.contains(&arg.text.as_str()));
    let is_ours = |arg: &Arg| {
        let name = arg
            .text
            .strip_prefix('@')
            .map_or(arg.text.as_str(), |scoped| scoped.split_once('/').map_or("", |two| two.1));
        let name = name.split(['@', '=', '~', '<', '>']).next().unwrap_or_default();
        is_hookrail(name) || name == "hookrail-cli" || arg.text.starts_with("@hookrail/")
    };
    // `npm uninstall`, `uv tool uninstall`, `dpkg -r`
    let verbs: Vec<&Arg> = call.args.iter().filter(|arg| !is_ours(arg)).take(2).collect();
    let verb = |words: &[&str]| verbs.iter().any(|arg| words.contains(&arg.text.as_str()));
    let removes = verb(&[
        "uninstall",
        "remove",
        "rm",
        "un",
        "unlink",
        "purge",
        "erase",
        "-r",
        "-R",
        "-e",
        "--remove",
        "delete",
        "del",
    ]);
    let installs = verb(&["install", "i", "add", "upgrade", "update", "reinstall", "-i", "-S", "-U"]);
    let everywhere = all || has(&["-g", "--global", "tool", "use"]);
    let looks = has(&["--dry-run", "--help", "-h", "search", "info", "show", "list"]);
    call.args.iter().any(is_ours) && !looks && (removes || installs && everywhere)
}

/// Variables and options that give an agent other hooks than those of its own configuration.
fn leaves_hooks_behind(r: &Reading<'_, '_, '_>) -> bool {
    let leads_away = |name: &str| {
        name.contains("DISABLE_HOOKS")
            || name.starts_with("HOOKRAIL_")
            || matches!(name, "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "GEMINI_CLI_HOME" | "HOME" | "XDG_CONFIG_HOME")
    };
    let variable = r.call.env.iter().any(|(name, _)| leads_away(name))
        || r.shell.variables.iter().any(|(name, _)| leads_away(name));
    variable || r.call.args.iter().any(|arg| matches!(arg.text.as_str(), "--settings" | "--bare"))
}

/// Variables that send an agent's traffic elsewhere or switch its checks off.
fn turns_guards_off(r: &Reading<'_, '_, '_>) -> bool {
    let variable = r.call.env.iter().any(|(name, _)| name.ends_with("_BASE_URL") || name.ends_with("_API_BASE"));
    let option = r.call.args.iter().any(|arg| {
        let text = arg.text.as_str();
        text.contains("dangerously")
            || matches!(
                text,
                "--yolo"
                    | "--full-auto"
                    | "--yes-always"
                    | "--allow-all-tools"
                    | "--skip-permissions-unsafe"
                    | "--force"
                    | "bypassPermissions"
                    | "danger-full-access"
                    | "-y"
            )
    });
    variable || option
}

/// Options that start an agent without its sandbox.
fn opens_sandbox(r: &Reading<'_, '_, '_>) -> bool {
    let args = r.call.args.iter().map(|arg| arg.text.as_str());
    args.clone().any(|text| text.contains("danger-full-access") || text.starts_with("--dangerously"))
        || args.clone().any(|text| matches!(text, "--no-sandbox" | "--sandbox=false" | "--sandbox=none"))
}

fn agent(r: &mut Reading<'_, '_, '_>) -> Flow {
    let hookless = leaves_hooks_behind(r);
    let off = hookless || turns_guards_off(r);
    let (noun, verb) = (r.first().to_owned(), r.word(1).to_owned());
    if hookless {
        r.act(Act::GuardChange, Some(&format!("{} without its hooks", r.call.program)));
    } else if off {
        r.act(Act::GuardChange, Some(&r.call.program.clone()));
    }
    if opens_sandbox(r) {
        r.act(Act::SandboxDisable, Some(&r.call.program.clone()));
    }
    match noun.as_str() {
        "mcp" | "plugin" | "plugins" | "extensions" | "extension" | "hooks" | "config" => {
            if !matches!(verb.as_str(), "list" | "get" | "show" | "" | "validate" | "status") {
                r.act(Act::GuardChange, Some(&format!("{} {noun} {verb}", r.call.program)));
            }
            return Flow::default();
        }
        "doctor" | "update" | "version" | "login" | "logout" | "status" | "setup-token" | "install" => {
            return Flow::default();
        }
        _ => {}
    }
    let prompted = r.parsed.has(&["-p", "--prompt", "-m", "--message", "-x", "--print"]);
    let starts = !r.parsed.operands.is_empty() || r.call.stdin.some || off || prompted;
    if starts {
        r.act(Act::AgentSpawn, None);
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

/// The patch is an argument or the input.
fn apply_patch(r: &mut Reading<'_, '_, '_>) -> Flow {
    let text =
        r.call.args.first().cloned().or_else(|| r.call.stdin.text.clone().map(|text| Arg::new(text, r.call.span)));
    if let Some(text) = text {
        crate::tools::patch::apply(r.analysis, r.shell.cwd.as_deref(), &text.text, text.span);
    }
    Flow::default()
}

fn jj(r: &mut Reading<'_, '_, '_>) -> Flow {
    let act = match (r.first(), r.word(1)) {
        ("log" | "status" | "st" | "diff" | "show" | "op" | "help" | "evolog" | "file" | "interdiff" | "", _) => {
            Act::GitRead
        }
        ("abandon" | "restore", _) => Act::GitDiscard,
        ("git", "push") | ("submit" | "stack", _) => Act::GitPush,
        ("git", "fetch") | ("undo", _) => Act::GitStage,
        ("bookmark" | "branch", _) => Act::GitBranch,
        ("config", _) => Act::GitConfig,
        _ => Act::GitCommit,
    };
    r.act(act, None);
    Flow::default()
}

fn hg(r: &mut Reading<'_, '_, '_>) -> Flow {
    let act = match r.first() {
        "status" | "st" | "log" | "diff" | "cat" | "summary" | "annotate" | "blame" | "info" | "ls" | "list"
        | "help" | "" => Act::GitRead,
        "revert" | "purge" | "strip" | "rollback" | "cleanup" => Act::GitDiscard,
        "push" => {
            if r.parsed.has(&["-f", "--force"]) {
                Act::GitForce
            } else {
                Act::GitPush
            }
        }
        "commit" | "ci" | "merge" | "rebase" | "graft" | "import" | "amend" => {
            if r.call.program == "svn" {
                Act::GitPush
            } else {
                Act::GitCommit
            }
        }
        "histedit" => Act::GitRewrite,
        "branch" | "bookmark" | "tag" => Act::GitBranch,
        _ => Act::GitStage,
    };
    r.act(act, None);
    Flow::default()
}
