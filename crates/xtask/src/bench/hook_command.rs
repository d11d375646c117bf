//! `hookrail hook` as agents call it, against processes that do nothing.

use super::stopwatch::race;
use super::table::{Limit, Row};
use super::{Options, row};
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program that does nothing: what starting a process costs.
const EMPTY: &str = "int main(void) { return 0; }\n";

/// Runs its second argument with its first and tells on stderr how much memory that took.
const WEIGH: &str = r#"
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    char *arguments[] = { words[2], words[1], NULL };
    struct rusage usage;
    int status;
    pid_t child = vfork();
    if (child == 0) { execv(words[2], arguments); _exit(127); }
    wait4(child, &status, 0, &usage);
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return count == 3 ? status : 1;
}
"#;

/// A folder with the binary as a user would install it, an empty program, and events.
struct Ground {
    folder: tempfile::TempDir,
}

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let ground = Ground::prepare()?;
    let rounds = options.rounds * 16;
    let (empty, hookrail) = (ground.path("empty"), ground.path("hookrail"));
    let silent = ground.event("silent", "Read", &json!({ "file_path": "src/main.rs" }))?;
    let denied = ground.event("denied", "Write", &json!({ "file_path": ".hookrail/x", "content": "" }))?;
    let large = ground.event("large", "Read", &json!({ "file_path": "x", "filler": "x".repeat(5 << 20) }))?;
    let planned = ground.event("planned", "Write", &json!({ "file_path": "specs/x/design.md", "content": "" }))?;
    let shell = ground.event("shell", "Bash", &json!({ "command": "git status && npm test" }))?;
    let guarded = ground.event("guarded", "Bash", &json!({ "command": "npm test -- src/cart 2>&1 | tail -40" }))?;
    let run = |program: &Path, event: &Path| ground.run(program, event);
    let run_ruled = |event: &Path| drop(ground.ruled(&hookrail, event).and_then(|mut command| command.status()));
    ground.settle(&hookrail, &shell)?;
    ground.check(&hookrail, &denied)?;
    ground.check_planning(&hookrail, &planned)?;
    ground.check_guards(&hookrail, &guarded)?;
    let [empty_time, true_time, silent_time, denied_time, planned_time, guarded_time] = race(
        rounds,
        [
            &mut || run(&empty, &silent),
            &mut || run(Path::new("/bin/true"), &silent),
            &mut || run(&hookrail, &silent),
            &mut || run(&hookrail, &denied),
            &mut || drop(ground.planning(&hookrail, &planned).and_then(|mut command| command.status())),
            &mut || drop(ground.all_guards(&hookrail, &guarded).and_then(|mut command| command.status())),
        ],
    );
    let [shell_time, ruled_time] = race(rounds, [&mut || run(&hookrail, &shell), &mut || run_ruled(&shell)]);
    let [large_time] = race(options.rounds, [&mut || run(&hookrail, &large)]);
    let against = |times: f64| Some(Limit::Ratio { baseline: micros(empty_time), times });
    let size = std::fs::metadata(&hookrail)?.len() as f64 / f64::from(1 << 20);
    Ok(vec![
        row("an empty static program", micros(empty_time), "µs", None),
        row("/bin/true", micros(true_time), "µs", None),
        row("hookrail hook, no matching hook", micros(silent_time), "µs", against(1.2)),
        row("hookrail hook, one native deny with journal", micros(denied_time), "µs", against(1.4)),
        row("hookrail hook, all planning hooks on a Write", micros(planned_time), "µs", against(1.6)),
        row("hookrail hook, safety on a Bash call", micros(shell_time), "µs", against(1.5)),
        row("what 200 rules of the user add to that", micros(ruled_time) - micros(shell_time), "µs", against(0.05)),
        row("hookrail hook, a Bash call with all guards", micros(guarded_time), "µs", against(1.5)),
        row("hookrail hook, an event of 5 MiB", micros(large_time), "µs", None),
        row("size of the binary", size, "MiB", Some(Limit::Absolute(8.0))),
        row("memory of a hook process", ground.memory(&hookrail, &denied)?, "MiB", Some(Limit::Absolute(6.0))),
    ])
}

impl Ground {
    fn prepare() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let ground = Self { folder };
        ground.compile("empty", EMPTY)?;
        let build = ["build", "--quiet", "--release", "--package", "hookrail-cli"];
        succeed(Command::new("cargo").args(build).current_dir(crate::ROOT))?;
        let built = Path::new(crate::ROOT).join("target/release/hookrail");
        // Copied, as an installation copies it: a file fresh from the linker is laid out worse in memory.
        std::fs::copy(built, ground.path("hookrail"))?;
        ground.plan()?;
        Ok(ground)
    }

    /// The project, in the middle of a planning workflow.
    fn plan(&self) -> io::Result<()> {
        let shipped = Path::new(crate::ROOT).join("plugins/planning/config/planning-config.yaml");
        let state = "---\nphase: ARCHITECTURE\nmode: complete\nuser_decisions: {\"Use Redis?\": \"Yes\"}\n---\n";
        for (file, text) in [
            ("project/.git/HEAD", "ref: refs/heads/feature/x\n"),
            ("project/specs/x/.planning-state.local.md", state),
            ("project/specs/x/.planning.lock", "{\"session_id\": \"bench\"}"),
            ("plugin/config/planning-config.yaml", std::fs::read_to_string(shipped)?.as_str()),
            ("ruled/hookrail/hookrail.toml", rules().as_str()),
        ] {
            let path = self.path(file);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::write(path, text)?;
        }
        Ok(())
    }

    fn compile(&self, name: &str, source: &str) -> io::Result<()> {
        let file = self.path(&format!("{name}.c"));
        std::fs::write(&file, source)?;
        succeed(Command::new("cc").args(["-O2", "-static", "-o"]).arg(self.path(name)).arg(&file))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn event(&self, name: &str, tool: &str, input: &Value) -> io::Result<PathBuf> {
        let event = json!({
            "session_id": "bench",
            "transcript_path": self.path(".claude/projects/bench/t.jsonl"),
            "cwd": self.path("project"),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "t",
        });
        let file = self.path(name);
        std::fs::write(&file, event.to_string())?;
        Ok(file)
    }

    fn command(&self, program: &Path, event: &Path) -> io::Result<Command> {
        let mut command = Command::new(program);
        command.arg("hook").env_clear().env("HOME", self.folder.path()).env("HOOKRAIL_STATE_DIR", self.path("state"));
        command.stdin(File::open(event)?).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }

    /// The same for a user with 200 rules.
    fn ruled(&self, program: &Path, event: &Path) -> io::Result<Command> {
        let mut command = self.command(program, event)?;
        command.env("XDG_CONFIG_HOME", self.path("ruled"));
        Ok(command)
    }

    /// Lets hookrail read the rules, and once more when they have been there for a while: then it knows them.
    fn settle(&self, program: &Path, event: &Path) -> io::Result<()> {
        for _ in 0..2 {
            self.ruled(program, event)?.status()?;
            std::thread::sleep(Duration::from_secs(3));
        }
        Ok(())
    }

    /// The same for pack planning alone, as its plugin calls it.
    fn planning(&self, program: &Path, event: &Path) -> io::Result<Command> {
        let mut command = self.command(program, event)?;
        command.args(["--pack", "planning"]).env("CLAUDE_PLUGIN_ROOT", self.path("plugin"));
        Ok(command)
    }

    /// Makes sure that the hooks look, and that they find nothing.
    fn check_planning(&self, hookrail: &Path, event: &Path) -> io::Result<()> {
        let output = self.planning(hookrail, event)?.stdout(Stdio::piped()).output()?;
        let log = std::fs::read_to_string(self.path("state/planning/hooks-bench.log")).unwrap_or_default();
        if output.status.success() && output.stdout.is_empty() && log.contains("H02_lock_enforcement: ALLOW") {
            return Ok(());
        }
        Err(io::Error::other(format!("the planning hooks are not asked: {output:?}\n{log}")))
    }

    /// The same for every pack that guards something.
    fn all_guards(&self, program: &Path, event: &Path) -> io::Result<Command> {
        let mut command = self.command(program, event)?;
        for pack in ["core", "isdlc", "orchestrator", "planning"] {
            command.args(["--pack", pack]);
        }
        command.env("CLAUDE_PLUGIN_ROOT", self.path("plugin"));
        Ok(command)
    }

    /// Makes sure that the guards let the call pass: a refusal would be over sooner.
    fn check_guards(&self, hookrail: &Path, event: &Path) -> io::Result<()> {
        let output = self.all_guards(hookrail, event)?.stdout(Stdio::piped()).output()?;
        if output.status.success() && output.stdout.is_empty() {
            return Ok(());
        }
        Err(io::Error::other(format!("the measured call is not let pass: {output:?}")))
    }

    fn run(&self, program: &Path, event: &Path) {
        // A contender that cannot run would win; `check` has seen to it that it can.
        drop(self.command(program, event).and_then(|mut command| command.status()));
    }

    /// Makes sure that what is measured is a denial.
    fn check(&self, hookrail: &Path, denied: &Path) -> io::Result<()> {
        let output = self.command(hookrail, denied)?.stdout(Stdio::piped()).output()?;
        if String::from_utf8_lossy(&output.stdout).contains("\"deny\"") {
            return Ok(());
        }
        Err(io::Error::other(format!("the measured event is not denied: {output:?}")))
    }

    /// The most memory a hook process holds, in MiB. A process is charged with what its parent held when it was started,
    /// so the parent must be tiny.
    fn memory(&self, hookrail: &Path, event: &Path) -> io::Result<f64> {
        self.compile("weigh", WEIGH)?;
        let mut command = self.command(&self.path("weigh"), event)?;
        let output = command.arg(hookrail).stderr(Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let kibibytes: Option<f64> = text.split_whitespace().last().and_then(|number| number.parse().ok());
        kibibytes.map(|kibibytes| kibibytes / 1024.0).ok_or_else(|| io::Error::other("memory could not be measured"))
    }
}

/// Two hundred rules about what the measured call does not do.
fn rules() -> String {
    let effects = ["fs.delete", "git.push", "net.send", "db.destroy", "infra.write", "package.publish", "host.persist"];
    let rule = |number: usize| {
        let effect = effects.get(number % effects.len()).unwrap_or(&"fs.delete");
        format!(
            "[[rule]]\nid = \"rule-{number}\"\nwhen = {{ effect = \"{effect}\", place = [\"home\", \"outside\"], program = \"p{number}\" }}\n\
             decide = \"deny\"\nsay = \"{{program}} must not do that to {{path}}, says rule {number}\"\n"
        )
    };
    (0..200).map(rule).collect()
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} failed: {status}"))) }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
