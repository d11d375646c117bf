//! The same deny as people write it without hookrail, in what is found on PATH.

use super::hook_command::{BenchFolder, released};
use super::stopwatch::race_all;
use super::table::{Limit, Row};
use super::{Options, row};
use serde_json::json;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A way to refuse a write below `.hookrail`.
struct Peer {
    name: &'static str,
    /// Programs it needs.
    needs: &'static [&'static str],
    file: &'static str,
    script: &'static str,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "bash with jq",
        needs: &["bash", "jq"],
        file: "peer.sh",
        script: r#"input=$(cat)
path=$(jq -r '.tool_input.file_path // empty' <<<"$input")
case $path in
  .hookrail/* | */.hookrail/*)
    jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "protected"}}' ;;
esac
"#,
    },
    Peer {
        name: "Python",
        needs: &["python3"],
        file: "peer.py",
        script: r#"import json, sys
event = json.load(sys.stdin)
path = event.get("tool_input", {}).get("file_path", "")
if path.startswith(".hookrail/") or "/.hookrail/" in path:
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "protected"}
    print(json.dumps({"hookSpecificOutput": answer}))
"#,
    },
    Peer {
        name: "Node",
        needs: &["node"],
        file: "peer.mjs",
        script: r#"import { readFileSync } from "node:fs";
const event = JSON.parse(readFileSync(0, "utf8"));
const path = event.tool_input?.file_path ?? "";
if (path.startsWith(".hookrail/") || path.includes("/.hookrail/")) {
  const answer = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "protected" };
  console.log(JSON.stringify({ hookSpecificOutput: answer }));
}
"#,
    },
];

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let ground = BenchFolder::prepare(&released()?)?;
    let event = ground.event("denied", "Write", &json!({ "file_path": ".hookrail/x", "content": "" }))?;
    let (here, missing): (Vec<&Peer>, Vec<&Peer>) =
        PEERS.iter().partition(|peer| peer.needs.iter().all(|program| is_installed(program)));
    for peer in missing {
        report_missing(peer);
    }
    for peer in &here {
        std::fs::write(ground.path(peer.file), peer.script)?;
        check(peer, &ground, &event)?;
    }
    let mut contenders: Vec<Box<dyn FnMut()>> = vec![Box::new(|| ground.run_hook(&event))];
    for peer in &here {
        contenders.push(Box::new(|| drop(command(peer, &ground, &event).and_then(|mut command| command.status()))));
    }
    let times = race_all(options.rounds * 4, &mut contenders);
    let own = times.first().copied().unwrap_or_default();
    let mut rows = vec![row("a deny by hookrail hook", micros(own), "µs", None)];
    rows.extend(here.iter().zip(times.iter().skip(1)).map(|(peer, time)| {
        // What others take is no budget of ours.
        let limit = Limit::Ratio { baseline: micros(own), times: f64::INFINITY };
        row(&format!("the same by a script for {}", peer.name), micros(*time), "µs", Some(limit))
    }));
    Ok(rows)
}

#[expect(clippy::print_stderr, reason = "a remark beside the table")]
fn report_missing(peer: &Peer) {
    eprintln!("not measured: a script for {}, because {} is not on PATH", peer.name, peer.needs.join(" or "));
}

fn command(peer: &Peer, ground: &BenchFolder, event: &Path) -> io::Result<Command> {
    let mut command = Command::new(peer.needs.first().unwrap_or(&"sh"));
    command.arg(ground.path(peer.file)).stdin(File::open(event)?).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Makes sure that a peer refuses: one that fails would win.
fn check(peer: &Peer, ground: &BenchFolder, event: &Path) -> io::Result<()> {
    let output = command(peer, ground, event)?.stdout(Stdio::piped()).output()?;
    if String::from_utf8_lossy(&output.stdout).contains("deny") {
        return Ok(());
    }
    Err(io::Error::other(format!("the script for {} does not refuse: {output:?}", peer.name)))
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
