//! What is sent to other machines, and to which.

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Taint;
use crate::location::Location;
use crate::object::{Data, Object};
use crate::secrets::{belongs_to, is_secret_path};
use hookrail_core::FileKind;
use hookrail_shell::ast::Span;
use std::path::Path;

/// The host of a URL or of something like one.
pub(crate) fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let host = if rest.starts_with('[') { rest.split(']').next() } else { rest.split(':').next() };
    host.map(|host| host.trim_start_matches('[')).filter(|host| !host.is_empty())
}

pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" | "host.docker.internal")
        || host.ends_with(".localhost")
        || host.starts_with("127.")
}

/// Adds that something is sent to a host: a secret, if one is among it.
pub(crate) fn send(analysis: &mut Analysis<'_>, taint: &Taint, object: Object, span: Span) {
    send_as(analysis, Act::NetSend, taint, object, span);
}

/// Addresses that carry what they get to people.
const MESSENGERS: &[&str] = &[
    "hooks.slack.com",
    "slack.com/api/chat.",
    "discord.com/api/webhooks",
    "discordapp.com/api/webhooks",
    "api.telegram.org/bot",
    "webhook.office.com",
    "api.twilio.com",
    "api.sendgrid.com",
    "api.mailgun.net",
    "api.postmarkapp.com",
    "graph.facebook.com",
    "api.pushover.net",
    "ntfy.sh/",
];

/// The same for an act that is a sending of its own.
pub(crate) fn send_as(analysis: &mut Analysis<'_>, act: Act, taint: &Taint, mut object: Object, span: Span) {
    let reaches_people = object.url.as_deref().is_some_and(|url| MESSENGERS.iter().any(|known| url.contains(known)));
    let host = object.host.as_deref().unwrap_or_default();
    let named = taint.secret.as_deref().is_some_and(|name| name.is_empty() || !belongs_to(name, host));
    let in_folder = || taint.folder.as_deref().is_some_and(|folder| holds_secret_files(analysis, folder));
    let secret = !is_loopback(host) && (named || in_folder());
    let act = match act {
        _ if secret => Act::SecretSend,
        Act::NetSend if reaches_people => Act::MessageSend,
        act => act,
    };
    let local = taint.local || taint.secret.is_some() || taint.folder.is_some();
    object.data = Some(if secret {
        Data::Secret
    } else if local {
        Data::Local
    } else {
        Data::Typed
    });
    analysis.add(act, object, Location::Remote, Sure::Certain, span);
}

/// Maximum number of entries of a sent folder that are looked at.
const MAX_SENT: usize = 2000;

/// Whether there is a file with secrets in a folder. What comes from elsewhere, or can be made again, holds none of ours.
fn holds_secret_files(analysis: &Analysis<'_>, folder: &Path) -> bool {
    let home = analysis.around.home.as_deref();
    let (mut rest, mut left) = (vec![folder.to_owned()], MAX_SENT);
    while let Some(folder) = rest.pop() {
        for name in analysis.machine.list(&folder).unwrap_or_default() {
            if left == 0 {
                return false;
            }
            left -= 1;
            let entry = folder.join(&name);
            let skipped = name == ".git" || Analysis::generated_name(&name);
            match analysis.machine.kind(&entry) {
                Some(FileKind::Folder) if !skipped => rest.push(entry),
                Some(FileKind::Folder) | None => {}
                Some(_) if is_secret_path(&entry, home) => return true,
                Some(_) => {}
            }
        }
    }
    false
}
