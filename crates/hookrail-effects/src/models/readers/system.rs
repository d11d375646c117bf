//! Processes, services, disks, users, schedules.

use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::GivenFor;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::object::Object;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "kill" => kill,
        "lsof" => lsof,
        "fuser" => fuser,
        "killport" => kill_port,
        "power" => power,
        "systemctl" => systemctl,
        "service" => service,
        "launchctl" => launchctl,
        "loginctl" => loginctl,
        "crontab" => crontab,
        "at" => at,
        "systemd_run" => systemd_run,
        "registry" => registry,
        "mkfs" | "nvme" => mkfs,
        "fdisk" => fdisk,
        "diskutil" | "zfs" => volumes,
        "mount" => mount,
        "sysctl" => sysctl,
        "firewall" => firewall,
        "account" => account,
        "hostname" => hostname,
        "tmux" => tmux,
        "nginx" => nginx,
        "journalctl" => journalctl,
        _ => return None,
    })
}

/// Programs so common that their name means many processes.
fn is_broad(name: &str) -> bool {
    !name.contains(' ') && !name.contains('/')
}

fn kill(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-l", "-L", "--list"]) {
        return Flow::unknown(Taint::NONE);
    }
    let by_name = r.call.program != "kill";
    let full = r.parsed.has(&["-f", "--full"]);
    // `kill -9 -1` means every process.
    let all = !by_name && r.call.args.iter().skip(1).any(|arg| arg.text == "-1");
    if all {
        r.act(Act::HostProcess, Some("all"));
        return Flow::default();
    }
    if by_name
        && r.parsed.operands.is_empty()
        && r.parsed.has(&["-u", "-U", "-g", "-G", "-t", "-s", "--euid", "--user"])
    {
        r.act(Act::HostProcess, Some("all:user"));
        return Flow::default();
    }
    for operand in r.parsed.operands.clone() {
        let target = if let Some(port) = operand.text.strip_prefix(OF_PORT) {
            format!("port:{port}")
        } else if !operand.known() || operand.taint.secret.is_some() {
            "all:unknown".to_owned()
        } else if !by_name {
            if operand.text.starts_with('%') {
                format!("job:{}", operand.text)
            } else {
                format!("pid:{}", operand.text)
            }
        } else if full && !is_broad(&operand.text) {
            format!("pattern:{}", operand.text)
        } else {
            format!("name:{}", operand.text)
        };
        r.act(Act::HostProcess, Some(&target));
        if by_name && ends_guard(&operand.text) {
            r.act(Act::GuardChange, Some("hookrail's processes ended"));
        }
    }
    Flow::default()
}

/// Reports whether a pattern of process names may mean hookrail: `hookrail hook`, `hookr.*`, `^hook`.
fn ends_guard(pattern: &str) -> bool {
    let plain: String = pattern.chars().filter(|c| c.is_ascii_alphanumeric() || *c == ' ').collect();
    plain.contains("hookrail") || plain.len() > 2 && "hookrail hook".starts_with(&plain)
}

/// What stands for the numbers of the processes that use a port.
const OF_PORT: &str = "$__port:";

/// `lsof -t -i:3000` names the processes of one port.
fn lsof(r: &mut Reading<'_, '_, '_>) -> Flow {
    let flow = r.by_usage();
    let only_numbers = |text: &str| text == "--terse" || text.starts_with("-t") || text.starts_with("-nt");
    let port = r.call.args.iter().find_map(|arg| arg.text.rsplit_once(':').map(|(_, port)| port.to_owned()));
    match port.filter(|port| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())) {
        Some(port) if r.call.args.iter().any(|arg| only_numbers(&arg.text)) => {
            Flow::names(vec![Arg::unknown(format!("{OF_PORT}{port}"), r.call.span)])
        }
        _ => flow,
    }
}

fn fuser(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-k", "--kill"]) {
        let port = r.first().to_owned();
        r.act(Act::HostProcess, Some(&format!("port:{port}")));
    }
    Flow::default()
}

fn kill_port(r: &mut Reading<'_, '_, '_>) -> Flow {
    let port = r.first().to_owned();
    r.act(Act::HostProcess, Some(&format!("port:{port}")));
    Flow::default()
}

fn power(r: &mut Reading<'_, '_, '_>) -> Flow {
    if !r.parsed.has(&["-c", "-k"]) {
        r.act(Act::HostPower, None);
    }
    Flow::default()
}

fn systemctl(r: &mut Reading<'_, '_, '_>) -> Flow {
    let verb = r.first().to_owned();
    let target = r.parsed.operands.get(1).map(|arg| arg.text.clone());
    match verb.as_str() {
        "poweroff" | "reboot" | "halt" | "suspend" | "hibernate" | "kexec" | "soft-reboot" => {
            r.act(Act::HostPower, None);
        }
        "enable" | "link" | "add-wants" | "edit" | "set-default" | "preset" => {
            r.act(Act::HostPersist, target.as_deref());
        }
        "start" | "stop" | "restart" | "reload" | "disable" | "mask" | "unmask" | "kill" | "isolate"
        | "try-restart" | "reload-or-restart" | "revert" | "reset-failed" | "set-environment"
        | "import-environment" | "shutdown" | "remove" | "add" | "update" => r.act(Act::HostService, target.as_deref()),
        "daemon-reload" | "daemon-reexec" => r.act(Act::HostService, None),
        _ => {}
    }
    Flow::unknown(Taint::NONE)
}

fn service(r: &mut Reading<'_, '_, '_>) -> Flow {
    if !matches!(r.word(1), "status" | "") && !r.first().starts_with("--status") {
        let name = r.first().to_owned();
        r.act(Act::HostService, Some(&name));
    }
    Flow::unknown(Taint::NONE)
}

fn launchctl(r: &mut Reading<'_, '_, '_>) -> Flow {
    let target = r.parsed.operands.last().map(|arg| arg.text.clone());
    match r.first() {
        "load" | "bootstrap" | "enable" | "submit" | "setenv" | "config" => r.act(Act::HostPersist, target.as_deref()),
        "list" | "print" | "blame" | "help" | "getenv" | "version" => {}
        _ => r.act(Act::HostService, target.as_deref()),
    }
    Flow::unknown(Taint::NONE)
}

fn loginctl(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.first() {
        "enable-linger" => r.act(Act::HostPersist, None),
        verb if verb.starts_with("terminate") || verb.starts_with("kill") => r.act(Act::HostProcess, Some("all")),
        _ => {}
    }
    Flow::unknown(Taint::NONE)
}

fn crontab(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-l"]) {
        return Flow::unknown(Taint::NONE);
    }
    if r.parsed.has(&["-r"]) {
        r.act(Act::HostService, Some("crontab"));
        return Flow::default();
    }
    let file = r.parsed.operands.first().map(|arg| arg.text.clone());
    r.act(Act::HostPersist, file.as_deref());
    if let Some(text) = r.call.stdin.text.clone() {
        follow_lines(r, &text);
    }
    Flow::default()
}

/// What a schedule runs later is read, too: five fields of time, then a command.
fn follow_lines(r: &mut Reading<'_, '_, '_>, text: &str) {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    for line in r.analysis.limited(lines, 256, r.call.span) {
        let fields = if line.trim_start().starts_with('@') { 1 } else { 5 };
        let command = line.split_whitespace().skip(fields).collect::<Vec<_>>().join(" ");
        let arg = Arg::new(command, r.call.span);
        r.run_text(&arg);
    }
}

fn at(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-l", "-d", "-c"]) {
        return Flow::default();
    }
    r.act(Act::HostPersist, None);
    if let Some(text) = r.call.stdin.text.clone() {
        let arg = Arg::new(text, r.call.span);
        r.run_text(&arg);
    }
    Flow::default()
}

fn systemd_run(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::HostPersist, None);
    let command = r.parsed.operands.clone();
    r.run(command)
}

fn registry(r: &mut Reading<'_, '_, '_>) -> Flow {
    let target = r.parsed.operands.get(1).map(|arg| arg.text.clone());
    if matches!(r.first(), "add" | "delete" | "import" | "write" | "restore") {
        r.act(Act::HostPersist, target.as_deref());
    }
    Flow::unknown(Taint::NONE)
}

fn disk(r: &mut Reading<'_, '_, '_>, arg: &Arg) {
    let before = r.analysis.effects.list.len();
    r.touch(Act::FsWrite, arg, Extent::Single);
    if !r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::HostDisk) {
        r.act(Act::HostDisk, Some(&arg.text));
    }
}

fn mkfs(r: &mut Reading<'_, '_, '_>) -> Flow {
    let devices: Vec<Arg> = r.parsed.operands.iter().filter(|arg| arg.text.contains('/')).cloned().collect();
    let list = r.call.program == "nvme" && matches!(r.first(), "list" | "smart-log" | "id-ctrl");
    for device in devices.iter().filter(|_| !list) {
        if r.call.program == "nvme" {
            r.act(Act::HostDisk, Some(&device.text));
        } else {
            disk(r, device);
        }
    }
    Flow::default()
}

fn fdisk(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-l", "--list", "-p", "--print"]) || r.parsed.operands.iter().any(|arg| arg.text == "print") {
        return Flow::unknown(Taint::NONE);
    }
    let device = r.first().to_owned();
    r.act(Act::HostDisk, Some(&device));
    Flow::default()
}

fn volumes(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> = r.parsed.operands.iter().map(|arg| arg.text.clone()).collect();
    let verbs = [
        "destroy",
        "delete",
        "erasedisk",
        "erasevolume",
        "partitiondisk",
        "reformat",
        "secureerase",
        "zerodisk",
        "rollback",
        "export",
        "labelclear",
        "eraseDisk",
        "create",
        "format",
        "unmount",
        "unmountdisk",
        "eject",
    ];
    let verb = words
        .iter()
        .position(|word| verbs.contains(&word.to_ascii_lowercase().as_str()) || verbs.contains(&word.as_str()));
    if let Some(verb) = verb {
        let target = words
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != verb)
            .map(|(_, word)| word.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        r.act(Act::HostDisk, Some(&target));
    }
    Flow::unknown(Taint::NONE)
}

fn mount(r: &mut Reading<'_, '_, '_>) -> Flow {
    // What is mounted over is not there any more.
    if let [_, over, ..] = r.parsed.operands.clone().as_slice() {
        r.analysis.give_for("mount", std::slice::from_ref(over), r.shell.cwd.as_deref(), GivenFor::Writing);
    }
    if r.parsed.operands.is_empty() {
        return Flow::unknown(Taint::NONE);
    }
    let target = r.parsed.operands.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    r.act(Act::HostDisk, Some(&target));
    Flow::default()
}

fn sysctl(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-w", "-p", "--write", "--load", "--system"])
        || r.call.args.iter().any(|arg| arg.text.contains('='))
    {
        r.act(Act::HostService, Some("sysctl"));
    }
    Flow::unknown(Taint::NONE)
}

fn firewall(r: &mut Reading<'_, '_, '_>) -> Flow {
    let reads = r.parsed.has(&["-L", "-S", "--list", "--list-all", "--state", "-s"])
        || matches!(r.first(), "status" | "list" | "show" | "version");
    if !reads {
        r.act(Act::HostService, Some("firewall"));
    }
    Flow::unknown(Taint::NONE)
}

/// Users, groups and passwords.
fn account(r: &mut Reading<'_, '_, '_>) -> Flow {
    let object = Object { target: Some("account".into()), ..Object::default() };
    r.analysis.add(Act::ExecPrivileged, object.clone(), Location::System, crate::effect::Sure::Certain, r.call.span);
    r.analysis.add(Act::HostPersist, object, Location::System, crate::effect::Sure::Certain, r.call.span);
    Flow::default()
}

fn hostname(r: &mut Reading<'_, '_, '_>) -> Flow {
    let sets = r
        .parsed
        .operands
        .iter()
        .any(|arg| !matches!(arg.text.as_str(), "status" | "show" | "list-timezones" | "list-locales" | "query"));
    if sets {
        r.act(Act::HostService, Some(&r.call.program.clone()));
    }
    Flow::unknown(Taint::NONE)
}

/// A command for a terminal of its own.
fn tmux(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    match r.first() {
        "kill-server" | "kill-session" => r.act(Act::HostProcess, Some("tmux")),
        // What is opened later gets it.
        "set-environment" | "setenv" => r.act(Act::HostPersist, Some("tmux")),
        "send-keys" | "send" => {
            let keys: Vec<String> = args
                .iter()
                .skip_while(|arg| !arg.text.starts_with("send"))
                .skip(1)
                .filter(|arg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "Enter" | "C-m"))
                .map(|arg| arg.text.clone())
                .collect();
            let has_target = args.iter().any(|arg| arg.text == "-t");
            let text = keys.into_iter().skip(usize::from(has_target)).collect::<Vec<_>>().join(" ");
            let text = Arg::new(text, r.call.span);
            return r.run_text(&text);
        }
        "new-session" | "new" | "new-window" | "neww" | "split-window" | "run-shell" | "respawn-pane"
        | "display-popup" => {
            if let Some(text) = args.last().filter(|arg| arg.text.contains(' ')).cloned() {
                return r.run_text(&text);
            }
        }
        _ => {}
    }
    if r.call.program == "screen" && args.iter().any(|arg| arg.text.contains('d') && arg.text.starts_with('-')) {
        let command: Vec<Arg> = args.into_iter().skip_while(|arg| arg.text.starts_with('-')).collect();
        return r.run(command);
    }
    Flow::unknown(Taint::NONE)
}

fn nginx(r: &mut Reading<'_, '_, '_>) -> Flow {
    if !r.parsed.has(&["-t", "-T", "-v", "-V"]) {
        r.act(Act::HostService, Some("nginx"));
    }
    Flow::unknown(Taint::NONE)
}

fn journalctl(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.call.args.iter().any(|arg| arg.text.starts_with("--vacuum") || arg.text == "--rotate") {
        r.act(Act::HostService, Some("journal"));
    }
    Flow::unknown(Taint::NONE)
}
