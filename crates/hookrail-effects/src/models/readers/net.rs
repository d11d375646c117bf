//! Programs that talk to other machines.

use super::sending::{host_of, is_loopback, send};
use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::Sure;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::object::Object;
use crate::secrets::{belongs_to, holds_secret};
use crate::shell::{self, Scope};
use std::path::Path;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "curl" => curl,
        "wget" => super::wget::wget,
        "httpie" => httpie,
        "ssh" => ssh,
        "netcat" => netcat,
        "socat" => socat,
        "lookup" => lookup,
        "server" => server,
        "ip" => ip,
        "keygen" => keygen,
        _ => return None,
    })
}

pub(super) fn url_object(url: &str) -> Object {
    Object { host: host_of(url).map(Into::into), url: Some(url.into()), ..Object::default() }
}

/// Fetches a URL. A secret in it is sent.
pub(super) fn fetch(r: &mut Reading<'_, '_, '_>, url: &Arg) {
    if let Some(path) = url.text.strip_prefix("file://") {
        let file = url.with_text(path);
        r.touch(Act::FsRead, &file, Extent::Single);
        return;
    }
    let object = url_object(&url.text);
    if url.taint.secret.is_some() || url.taint.local || holds_secret(&url.text) {
        let taint = if holds_secret(&url.text) { Taint::secret("") } else { url.taint.clone() };
        send(r.analysis, &taint, object, url.span);
        return;
    }
    r.analysis.add(Act::NetFetch, object, Location::Remote, Sure::Certain, url.span);
}

const CURL_VALUES: &[&str] = &[
    "-A",
    "-b",
    "-c",
    "-C",
    "-e",
    "-m",
    "-r",
    "-u",
    "-U",
    "-w",
    "-x",
    "-y",
    "-Y",
    "-z",
    "-E",
    "-K",
    "-P",
    "-Q",
    "-t",
    "-D",
    "--connect-timeout",
    "--max-time",
    "--retry",
    "--retry-delay",
    "--user-agent",
    "--cookie",
    "--cookie-jar",
    "--user",
    "--proxy",
    "--resolve",
    "--write-out",
    "--range",
    "--referer",
    "--config",
    "--dump-header",
    "--limit-rate",
    "--interface",
    "--max-redirs",
    "--unix-socket",
    "--connect-to",
    "--ciphers",
    "--proto",
    "--tlsv1.2-ciphers",
    "--oauth2-bearer",
    "--aws-sigv4",
    "--retry-max-time",
    "--dns-servers",
    "--doh-url",
    "--netrc-file",
    "--output-dir",
];

/// The options that a configuration of curl adds: a line each, `output = a` or `-o a`.
fn configured(r: &Reading<'_, '_, '_>, args: &[Arg]) -> Vec<Arg> {
    let file = args.windows(2).find_map(|two| match two {
        [option, file] if matches!(option.text.as_str(), "-K" | "--config") => Some(file),
        _ => None,
    });
    let Some(file) = file else { return Vec::new() };
    let text = match file.text.as_str() {
        "-" => shell::with_content(r.analysis, &r.call.stdin).text,
        _ => shell::content_of(r.analysis, r.shell, file).text,
    };
    let mut options = Vec::new();
    for line in
        text.as_deref().unwrap_or_default().lines().map(str::trim).filter(|line| !line.starts_with('#')).take(64)
    {
        let (name, value) = line.split_once(['=', ':', ' ']).unwrap_or((line, ""));
        let name = name.trim();
        let name = if name.starts_with('-') { name.to_owned() } else { format!("--{name}") };
        options.push(file.with_text(name));
        let value = value.trim().trim_start_matches(['=', ':']).trim().trim_matches('"');
        options.extend((!value.is_empty()).then(|| file.with_text(value)));
    }
    options
}

fn curl(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut args = r.call.args.clone();
    args.extend(configured(r, &args));
    let (mut urls, mut sent, mut output) = (Vec::new(), Vec::new(), None::<Arg>);
    let (mut method, mut remote_name, mut only_head) = (String::new(), false, false);
    let mut insecure = false;
    let mut secret_sent = Taint::NONE;
    let mut iter = args.iter();
    while let Some(arg) = iter.next() {
        let text = arg.text.as_str();
        let (name, attached) = split_option(text);
        let mut value = || attached.map(|at| arg.after(at)).or_else(|| iter.next().cloned()).unwrap_or_default();
        match name {
            "-X" | "--request" => method = value().text,
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-urlencode" | "--json" | "--data-raw" => {
                sent.push((value(), name != "--data-raw"));
            }
            "-F" | "--form" | "--form-string" => sent.push((value(), true)),
            "-T" | "--upload-file" => {
                let file = value();
                let file = file.with_text(format!("@{}", file.text));
                sent.push((file, true));
            }
            "-H" | "--header" | "--proxy-header" | "-u" | "--user" | "-b" | "--cookie" | "-A" | "--oauth2-bearer"
            | "--user-agent" | "-e" | "--referer" => {
                let value = value();
                secret_sent.add(&value.taint);
                secret_sent.add(&sent_with(r, name, &value));
            }
            "-w" | "--write-out" | "--variable" | "--url-query" => {
                let value = value();
                let file = value.text.find('@').filter(|at| *at == 0 || name != "-w" && name != "--write-out");
                if let Some(at) = file {
                    let taint = shell::read(r.analysis, r.shell, &value.after(at + 1)).taint;
                    secret_sent.add(&taint);
                }
            }
            "-o" | "--output" => output = Some(value()),
            "--output-dir" => {
                let folder = value();
                r.touch(Act::FsWrite, &folder, Extent::Below);
            }
            "-k" => insecure = true,
            "-O" | "--remote-name" | "-J" => remote_name = true,
            "-I" | "--head" => only_head = true,
            "-G" | "--get" => "GET".clone_into(&mut method),
            "--url" => urls.push(value()),
            "-E" | "--cert" | "--key" | "--cacert" | "--capath" => {
                let file = value();
                crate::models::looked_into(r.analysis, r.shell, &file);
            }
            "-K" | "--config" | "--netrc-file" => {
                let file = value();
                r.touch(Act::FsRead, &file, Extent::Single);
            }
            "-c" | "--cookie-jar" | "-D" | "--dump-header" => {
                let file = value();
                r.touch(Act::FsWrite, &file, Extent::Single);
            }
            _ if CURL_VALUES.contains(&name) => {
                value();
            }
            _ if text.starts_with("--") => {}
            _ if text.starts_with('-') && text.len() > 1 => {
                remote_name |= text.contains('O');
                only_head |= text.contains('I');
                insecure |= text.contains('k');
                // The last letter of a bundle may take a value.
                match text.chars().last() {
                    Some('o') => output = iter.next().cloned(),
                    Some('X') => method = iter.next().map(|arg| arg.text.clone()).unwrap_or_default(),
                    Some('d') => sent.extend(iter.next().map(|arg| (arg.clone(), true))),
                    Some('F') => sent.extend(iter.next().map(|arg| (arg.clone(), true))),
                    Some('T') => {
                        sent.extend(iter.next().map(|arg| (arg.with_text(format!("@{}", arg.text)), true)));
                    }
                    Some('K' | 'E') => {
                        if let Some(file) = iter.next() {
                            r.touch(Act::FsRead, file, Extent::Single);
                        }
                    }
                    Some('H' | 'u' | 'A' | 'b' | 'e') => {
                        if let Some(arg) = iter.next() {
                            secret_sent.add(&arg.taint);
                        }
                    }
                    Some('w' | 'm' | 'x') => {
                        iter.next();
                    }
                    _ => {}
                }
            }
            _ => urls.push(arg.clone()),
        }
    }
    if insecure && !urls.iter().all(|url| host_of(&url.text).is_some_and(is_loopback)) {
        r.act(Act::TlsWeaken, Some("curl -k"));
    }
    for (data, files) in &sent {
        secret_sent.add(&sent_data(r, data, *files));
    }
    let writes = !sent.is_empty() && method != "GET" || matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
    for (text, _) in &sent {
        crate::tools::requests::graphql(r.analysis, &text.text, urls.first().and_then(|url| host_of(&url.text)));
    }
    for url in urls.iter().filter(|_| method == "DELETE") {
        let host = host_of(&url.text).unwrap_or_default();
        if !is_loopback(host) {
            r.act(Act::InfraWrite, Some(&url.text));
        }
    }
    for url in &urls {
        if let Some(path) = url.text.strip_prefix("file://") {
            let flow = shell::read(r.analysis, r.shell, &url.with_text(path));
            let named = remote_name.then(|| url.with_text(shell::base_name(path)));
            return match output.or(named).filter(|file| file.text != "-") {
                Some(file) => {
                    shell::write(r.analysis, r.shell, &file, &flow);
                    Flow::default()
                }
                None => flow,
            };
        }
        let mut taint = secret_sent.clone();
        taint.add(&url.taint);
        if taint.secret.is_none() && holds_secret(&url.text) {
            taint = Taint::secret("");
        }
        if writes || taint.local || taint.secret.is_some() {
            let host = host_of(&url.text).unwrap_or_default();
            let own = taint
                .secret
                .as_deref()
                .is_some_and(|name| !name.is_empty() && belongs_to(name, host) || is_loopback(host));
            if writes || taint.local || !own {
                send(r.analysis, &taint, url_object(&url.text), url.span);
                continue;
            }
        }
        r.analysis.add(Act::NetFetch, url_object(&url.text), Location::Remote, Sure::Certain, url.span);
    }
    received(r, &urls, output, remote_name, only_head)
}

/// A header of a file, `-H @file`, and cookies of a file: what is no `name=value` is a name.
fn sent_with(r: &mut Reading<'_, '_, '_>, option: &str, value: &Arg) -> Taint {
    let file = match option {
        "-H" | "--header" | "--proxy-header" if value.text.starts_with('@') => value.after(1),
        "-b" | "--cookie" if !value.text.contains('=') => value.clone(),
        _ => return Taint::NONE,
    };
    shell::read(r.analysis, r.shell, &file).taint
}

fn split_option(text: &str) -> (&str, Option<usize>) {
    if text.starts_with("--") {
        return text.split_once('=').map_or((text, None), |(name, _)| (name, Some(name.len() + 1)));
    }
    let name = text.get(..2).unwrap_or(text);
    let takes = matches!(name, "-X" | "-d" | "-F" | "-T" | "-H" | "-u" | "-b" | "-A" | "-e" | "-o");
    if takes && text.len() > 2 { (name, Some(2)) } else { (text, None) }
}

fn is_letter(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'-'
}

/// What a data option sends: a text, `@file`, or the input.
pub(super) fn sent_data(r: &mut Reading<'_, '_, '_>, data: &Arg, files: bool) -> Taint {
    let mut taint = data.taint.clone();
    // `name=@file` and `name=<file` of a form, `name@file` of encoded data.
    let is_name = |before: &str| before.ends_with('=') || !before.is_empty() && before.bytes().all(is_letter);
    let file = data.text.find(['@', '<']).filter(|at| files && (*at == 0 || data.text.get(..*at).is_some_and(is_name)));
    if let Some(at) = file {
        let name = data.after(at + 1);
        let name = name.with_text(name.text.split(';').next().unwrap_or_default());
        if name.text == "-" {
            taint.add(&r.call.stdin.taint);
        } else {
            taint.add(&shell::read(r.analysis, r.shell, &name).taint);
        }
    }
    if taint.secret.is_none() && holds_secret(&data.text) {
        taint = Taint::secret("");
    }
    taint
}

/// What a download leaves: a file, or the output.
pub(super) fn received(
    r: &mut Reading<'_, '_, '_>,
    urls: &[Arg],
    output: Option<Arg>,
    remote_name: bool,
    only_head: bool,
) -> Flow {
    let local = urls.iter().all(|url| host_of(&url.text).is_some_and(is_loopback));
    let flow = Flow::unknown(Taint { remote: !only_head && !local, ..Taint::NONE });
    if let Some(output) = output.filter(|output| output.text != "-") {
        shell::write(r.analysis, r.shell, &output, &flow);
        return Flow::default();
    }
    if remote_name {
        for url in urls {
            let file = url.with_text(url.text.split('?').next().map(shell::base_name).unwrap_or_default());
            shell::write(r.analysis, r.shell, &file, &flow);
        }
        return Flow::default();
    }
    flow
}

fn httpie(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let method =
        operands.first().map(|arg| arg.text.as_str()).filter(|text| text.chars().all(|c| c.is_ascii_uppercase()));
    let rest: Vec<Arg> = operands.iter().skip(usize::from(method.is_some())).cloned().collect();
    let Some((url, data)) = rest.split_first() else { return Flow::default() };
    let mut taint = r.call.taint();
    for item in data {
        taint.add(&sent_data(r, item, true));
    }
    if data.iter().any(|item| item.text.contains('='))
        || matches!(method, Some("POST" | "PUT" | "PATCH" | "DELETE"))
        || r.call.stdin.some
    {
        send(r.analysis, &taint, url_object(&url.text), url.span);
    } else {
        fetch(r, url);
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

/// The command runs elsewhere: it is `net.send`, and what it destroys is at `remote`.
fn ssh(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let Some((host, command)) = operands.split_first() else { return Flow::default() };
    for option in r.parsed.values(&["-o"]).cloned().collect::<Vec<_>>() {
        let lower = option.text.to_ascii_lowercase();
        if let Some(command) = lower.strip_prefix("proxycommand").or_else(|| lower.strip_prefix("localcommand")) {
            r.act(Act::ExecDynamic, Some("ProxyCommand"));
            let command = command.trim_start_matches(['=', ' ']).to_owned();
            r.run_text(&option.with_text(command));
        }
    }
    if r.parsed.has(&["-R"]) {
        r.act(Act::NetListen, Some(&host.text));
    }
    let taint = r.call.taint();
    let object = Object { host: host_of(&host.text).map(Into::into), ..Object::default() };
    send(r.analysis, &taint, object, host.span);
    if !command.is_empty() {
        remote_command(r, command);
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

/// Follows a command that runs on another machine. Its paths are not ours.
fn remote_command(r: &mut Reading<'_, '_, '_>, command: &[Arg]) {
    let line = command.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let before = r.analysis.effects.list.len();
    let mut there = shell::Shell::at(Path::new("/"));
    let span = command.first().map(|arg| arg.span).unwrap_or_default();
    r.analysis.within("ssh", |analysis| {
        shell::run_text(analysis, &mut there, &line, Scope::Child, Some(span), &Flow::default());
    });
    for effect in r.analysis.effects.list.iter_mut().skip(before) {
        if effect.on.path.is_some() || effect.act.family() == "host" || effect.act.family() == "exec" {
            effect.place = Location::Remote;
        }
        if effect.act == Act::FsDelete || effect.act == Act::HostPower {
            effect.sure = Sure::Certain;
        }
    }
}

fn netcat(r: &mut Reading<'_, '_, '_>) -> Flow {
    let runs = r.parsed.value(&["-e", "-c", "--exec", "--sh-exec"]).cloned();
    if r.parsed.has(&["-l", "--listen"]) {
        r.act(Act::NetListen, None);
    } else if let Some(host) = r.parsed.operands.first().cloned() {
        if r.parsed.has(&["-z"]) {
            let object = Object { host: Some(host.text.as_str().into()), ..Object::default() };
            r.object(Act::NetFetch, object);
            return Flow::default();
        }
        let object = Object { host: Some(host.text.as_str().into()), ..Object::default() };
        let taint = r.call.taint();
        send(r.analysis, &taint, object, host.span);
    }
    if runs.is_some() {
        r.act(Act::ExecRemote, None);
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

fn socat(r: &mut Reading<'_, '_, '_>) -> Flow {
    let addresses: Vec<Arg> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-') || arg.text == "-").cloned().collect();
    let upper = |arg: &Arg| arg.text.to_ascii_uppercase();
    let network = addresses
        .iter()
        .find(|arg| ["TCP", "UDP", "OPENSSL", "SSL"].iter().any(|kind| upper(arg).starts_with(kind)))
        .cloned();
    let runs = addresses.iter().any(|arg| upper(arg).starts_with("EXEC:") || upper(arg).starts_with("SYSTEM:"));
    if let Some(address) = network {
        if upper(&address).contains("LISTEN") {
            r.act(Act::NetListen, Some(&address.text));
        } else {
            let object = Object { host: Some(address.text.as_str().into()), ..Object::default() };
            let taint = r.call.taint();
            send(r.analysis, &taint, object, address.span);
        }
        if runs {
            r.act(Act::ExecRemote, None);
        }
    }
    for address in &addresses {
        let kind = upper(address);
        let file = ["OPEN:", "CREATE:", "CREAT:", "FILE:", "GOPEN:"].iter().find(|name| kind.starts_with(**name));
        if let Some(name) = file {
            let path = address.after(name.len());
            let end = path.text.find(',').unwrap_or(path.text.len());
            let path = path.with_text(path.text.get(..end).unwrap_or_default());
            r.touch(Act::FsWrite, &path, Extent::Single);
        }
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

/// A name that is looked up reaches whoever answers for it: data in the name is sent.
fn lookup(r: &mut Reading<'_, '_, '_>) -> Flow {
    let Some(host) = r.parsed.operands.iter().find(|arg| !arg.text.starts_with(['@', '+'])).cloned() else {
        return Flow::default();
    };
    let object = Object { host: Some(host.text.as_str().into()), ..Object::default() };
    if host.taint.secret.is_some() || host.taint.local {
        send(r.analysis, &host.taint.clone(), object, host.span);
    } else if !host.known() && host.text.contains('.') && host.text.starts_with("$__") {
        r.analysis.add(Act::NetSend, object, Location::Remote, Sure::Possible, host.span);
    } else {
        r.object(Act::NetFetch, object);
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

fn server(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::NetListen, None);
    r.by_usage()
}

/// `python -m http.server`.
pub(super) fn http_server(r: &mut Reading<'_, '_, '_>, args: &[Arg]) -> Flow {
    let value = |names: &[&str]| {
        args.iter().enumerate().find_map(|(index, arg)| {
            let joined =
                names.iter().find_map(|name| arg.text.strip_prefix(name)?.strip_prefix('=').map(str::to_owned));
            joined.or_else(|| {
                names.contains(&arg.text.as_str()).then(|| args.get(index + 1).map(|arg| arg.text.clone()))?
            })
        })
    };
    let bind = value(&["--bind", "-b"]).unwrap_or_else(|| "0.0.0.0".to_owned());
    let object = Object { host: Some(bind.as_str().into()), ..Object::default() };
    r.object(Act::NetListen, object);
    let folder = Arg::new(value(&["--directory", "-d"]).unwrap_or_else(|| ".".to_owned()), r.call.span);
    r.touch(Act::FsRead, &folder, Extent::Below);
    Flow::default()
}

fn ip(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed
        .operands
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "add" | "del" | "delete" | "set" | "flush" | "replace" | "change"))
    {
        r.act(Act::HostService, Some("network"));
    }
    Flow::unknown(Taint::NONE)
}

fn keygen(r: &mut Reading<'_, '_, '_>) -> Flow {
    let Some(file) = r.parsed.value(&["-f"]).cloned() else { return Flow::default() };
    if r.parsed.has(&["-y", "-l", "-F", "-e"]) {
        if r.parsed.has(&["-y"]) {
            r.touch(Act::FsRead, &file, Extent::Single);
        }
    } else {
        r.touch(Act::FsWrite, &file, Extent::Single);
    }
    Flow::default()
}
