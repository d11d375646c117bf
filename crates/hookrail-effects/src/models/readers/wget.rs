//! `wget`: single files, and whole sites.

use super::Reading;
use super::net::{fetch, received, sent_data, url_object};
use super::sending::{host_of, send};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell;

pub(super) fn wget(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let (mut urls, mut output, mut sent) = (Vec::new(), None, None);
    let (mut folder, mut whole) = (None, false);
    let mut iter = args.iter();
    while let Some(arg) = iter.next() {
        let text = arg.text.as_str();
        let long = |name: &str| {
            text.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).map(|_| arg.after(name.len() + 1))
        };
        if let Some(value) = long("--post-data").or_else(|| long("--body-data")) {
            sent = Some(value);
        } else if let Some(value) = long("--post-file").or_else(|| long("--body-file")) {
            sent = Some(value.with_text(format!("@{}", value.text)));
        } else if let Some(value) = long("--output-document") {
            output = Some(value);
        } else if let Some(value) = long("--directory-prefix") {
            folder = Some(value);
        } else if let Some(value) = long("--header") {
            if value.taint.secret.is_some() {
                sent = Some(value);
            }
        } else if let Some(list) = long("--input-file").or_else(|| long("--load-cookies")).or_else(|| long("--config"))
        {
            r.touch(Act::FsRead, &list, Extent::Single);
        } else if matches!(text, "--post-file" | "--body-file") {
            sent = iter.next().map(|file| file.with_text(format!("@{}", file.text)));
        } else if matches!(text, "--post-data" | "--body-data") {
            sent = iter.next().cloned();
        } else if matches!(text, "-i" | "--input-file" | "--load-cookies" | "--config") {
            if let Some(list) = iter.next() {
                r.touch(Act::FsRead, list, Extent::Single);
            }
        } else if matches!(text, "-r" | "-m" | "-p" | "--recursive" | "--mirror" | "--page-requisites") {
            whole = true;
        } else if text.starts_with("--use-askpass=") {
            r.act(Act::ExecDynamic, Some("--use-askpass"));
        } else if matches!(
            text,
            "-U" | "-t"
                | "-T"
                | "-w"
                | "-Q"
                | "-A"
                | "-R"
                | "-D"
                | "-l"
                | "-a"
                | "-o"
                | "--tries"
                | "--timeout"
                | "--user-agent"
                | "--header"
        ) {
            iter.next();
        } else if text == "-P" {
            folder = iter.next().cloned();
        } else if text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'm']) && !text.contains('O') {
            whole = true;
        } else if text.starts_with('-') && !text.starts_with("--") && text.contains('O') {
            let at = text.find('O').unwrap_or_default() + 1;
            output = if at < text.len() { Some(arg.after(at)) } else { iter.next().cloned() };
        } else if !text.starts_with('-') {
            urls.push(arg.clone());
        }
    }
    let mut taint = Taint::NONE;
    if let Some(sent) = &sent {
        taint = sent_data(r, sent, true);
    }
    for url in &urls {
        if sent.is_some() {
            taint.add(&url.taint);
            send(r.analysis, &taint, url_object(&url.text), url.span);
        } else {
            fetch(r, url);
        }
    }
    if whole && output.is_none() {
        fetched_tree(r, &urls, folder.as_ref());
        return Flow::default();
    }
    if output.is_none() && folder.is_some() {
        if let Some(folder) = folder {
            r.touch(Act::FsWrite, &folder, Extent::Single);
        }
        return Flow::default();
    }
    let spider = args.iter().any(|arg| arg.text == "--spider");
    let named = output.is_none() && !spider;
    received(r, &urls, output, named, spider)
}

/// A whole site: its files are below a folder with the name of the host.
fn fetched_tree(r: &mut Reading<'_, '_, '_>, urls: &[Arg], folder: Option<&Arg>) {
    let flat = r.args().iter().any(|arg| matches!(*arg, "-nd" | "-nH" | "--no-directories" | "--no-host-directories"));
    for url in urls {
        let host = if flat { "." } else { host_of(&url.text).unwrap_or(".") };
        let prefix = folder.map_or(".", |folder| folder.text.as_str());
        let target = url.with_text(format!("{}/{host}", prefix.trim_end_matches('/')));
        r.touch(Act::FsWrite, &target, Extent::Below);
        shell::note_fetched(r.shell, &target);
    }
}
