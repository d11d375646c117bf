//! `hookrail hook` as agents call it, against processes that do nothing.

use super::stopwatch::{race, race_all};
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

/// Runs its argument and tells on stderr how much memory that took.
const WEIGH: &str = r#"
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    char *arguments[] = { words[1], NULL };
    struct rusage usage;
    int status;
    pid_t child = vfork();
    if (child == 0) { execv(words[1], arguments); _exit(127); }
    wait4(child, &status, 0, &usage);
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return count == 2 ? status : 1;
}
"#;

/// In which state the file of the binary is in memory. A file that has just been copied lies there in large pieces, which
/// makes a difference of a quarter; after a restart of the machine it is read piece by piece as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    FreshCopy,
    PagedIn,
}

impl Pages {
    pub const ALL: [Self; 2] = [Self::PagedIn, Self::FreshCopy];

    pub fn about(self) -> &'static str {
        match self {
            Self::FreshCopy => "fresh copy",
            Self::PagedIn => "paged in",
        }
    }
}

/// Something an agent asks, and how many times an empty program the answer may take.
pub(super) struct Case {
    pub name: &'static str,
    tool: &'static str,
    input: fn() -> Value,
    packs: &'static [&'static str],
    /// Paged in, and as a fresh copy.
    budgets: [f64; 2],
    /// What must stand in the answer; nothing means that there is none.
    answer: &'static str,
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "no matching hook",
        tool: "Read",
        input: || json!({ "file_path": "src/main.rs" }),
        packs: &[],
        budgets: [1.30, 1.30],
        answer: "",
    },
    Case {
        name: "one native deny with journal",
        tool: "Write",
        input: || json!({ "file_path": ".hookrail/x", "content": "" }),
        packs: &[],
        budgets: [1.80, 1.80],
        answer: "\"deny\"",
    },
    Case {
        name: "all planning hooks on a Write",
        tool: "Write",
        input: || json!({ "file_path": "specs/x/design.md", "content": "" }),
        packs: &["planning"],
        budgets: [2.20, 2.20],
        answer: "",
    },
    Case {
        name: "safety on a Bash call",
        tool: "Bash",
        input: || json!({ "command": "git status && npm test" }),
        packs: &[],
        budgets: [1.80, 1.80],
        answer: "",
    },
    Case {
        name: "a Bash call with all guards",
        tool: "Bash",
        input: || json!({ "command": "npm test -- src/cart 2>&1 | tail -40" }),
        packs: &["core", "isdlc", "orchestrator", "planning"],
        budgets: [2.20, 2.20],
        answer: "",
    },
];

/// Where folders of benchmarks are, whatever `TMPDIR` says: hookrail looks at every folder above a project, so that counts of a project
/// that lies deeper are higher.
const ROOMS: &str = "/tmp";

/// A folder with the binary as a user would install it, an empty program, and events.
pub(super) struct BenchFolder {
    folder: tempfile::TempDir,
}

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let ground = BenchFolder::prepare(&released()?)?;
    let mut rows = Vec::new();
    for pages in Pages::ALL {
        rows.extend(ground.measure_cases(pages, options.rounds * 16)?);
    }
    rows.extend(ground.measure_rules(options.rounds * 16)?);
    let large = ground.event("large", "Read", &json!({ "file_path": "x", "filler": "x".repeat(5 << 20) }))?;
    let [large_time] = race(options.rounds, [&mut || ground.run(&ground.hook_program(), &large, &[])]);
    let size = |name: &str| io::Result::Ok(std::fs::metadata(ground.path(name))?.len() as f64 / 1e6);
    rows.extend([
        row("hookrail hook, an event of 5 MiB", micros(large_time), "µs", Some(Limit::Absolute(20_000.0))),
        row("size of hookrail-hook", size("hookrail-hook")?, "MB", Some(Limit::Absolute(5.0))),
        row("size of hookrail", size("hookrail")?, "MB", None),
        row("memory of a hook process", ground.memory()?, "MiB", Some(Limit::Absolute(6.0))),
    ]);
    Ok(rows)
}

/// Builds the programs as people install them, and returns the large one; the small one lies beside it.
pub(super) fn released() -> io::Result<PathBuf> {
    crate::cargo::build_release("hookrail", None)
}

impl BenchFolder {
    pub fn prepare(binary: &Path) -> io::Result<Self> {
        let ground = Self { folder: tempfile::tempdir_in(ROOMS).or_else(|_| tempfile::tempdir())? };
        ground.compile("empty", EMPTY)?;
        std::fs::copy(binary, ground.path("hookrail"))?;
        std::fs::copy(binary.with_file_name("hookrail-hook"), ground.hook_program())?;
        ground.plan()?;
        for case in CASES {
            ground.check(case)?;
        }
        Ok(ground)
    }

    fn hook_program(&self) -> PathBuf {
        self.path("hookrail-hook")
    }

    /// Brings the binary into this state. `run` is what is measured then; the folder must be new for a fresh copy.
    pub fn bring_into(&self, pages: Pages, run: impl FnOnce()) -> io::Result<()> {
        if pages == Pages::PagedIn {
            evict(&self.hook_program())?;
            run();
        }
        Ok(())
    }

    fn measure_cases(&self, pages: Pages, rounds: usize) -> io::Result<Vec<Row>> {
        let hookrail = self.hook_program();
        let events: Vec<PathBuf> = CASES.iter().map(|case| self.case(case)).collect::<io::Result<_>>()?;
        let nothing = self.event("nothing", "Read", &json!({}))?;
        self.bring_into(pages, || {
            CASES.iter().zip(&events).for_each(|(case, event)| self.run(&hookrail, event, case.packs));
        })?;
        let mut contenders: Vec<Box<dyn FnMut()>> = vec![
            Box::new(|| self.run(&self.path("empty"), &nothing, &[])),
            Box::new(|| self.run(Path::new("/bin/true"), &nothing, &[])),
        ];
        for (case, event) in CASES.iter().zip(&events) {
            contenders.push(Box::new(|| self.run(&hookrail, event, case.packs)));
        }
        let times = race_all(rounds, &mut contenders);
        let (baselines, times) = times.split_at(2);
        let empty = baselines.first().copied().unwrap_or_default();
        let mut rows: Vec<Row> = ["an empty static program", "/bin/true"]
            .into_iter()
            .zip(baselines)
            .map(|(name, time)| row(&format!("{name} ({})", pages.about()), micros(*time), "µs", None))
            .collect();
        rows.extend(CASES.iter().zip(times).map(|(case, time)| {
            let [paged, fresh] = case.budgets;
            let times = if pages == Pages::PagedIn { paged } else { fresh };
            let limit = Limit::Ratio { baseline: micros(empty), times };
            row(&format!("hookrail hook, {} ({})", case.name, pages.about()), micros(*time), "µs", Some(limit))
        }));
        // The next state begins with another copy.
        let copy = self.path("copy");
        std::fs::copy(&hookrail, &copy)?;
        std::fs::rename(&copy, &hookrail)?;
        Ok(rows)
    }

    /// What rules of the user add to a call that none of them is about.
    fn measure_rules(&self, rounds: usize) -> io::Result<Vec<Row>> {
        let (hookrail, empty) = (self.hook_program(), self.path("empty"));
        let shell = self.event("shell", "Bash", &json!({ "command": "git status && npm test" }))?;
        self.settle(&hookrail, &shell)?;
        let run_ruled = || drop(self.ruled(&hookrail, &shell).and_then(|mut command| command.status()));
        let [empty_time, shell_time, ruled_time] = race(
            rounds,
            [&mut || self.run(&empty, &shell, &[]), &mut || self.run(&hookrail, &shell, &[]), &mut || run_ruled()],
        );
        let limit = Limit::Ratio { baseline: micros(empty_time), times: 0.05 };
        let added = micros(ruled_time) - micros(shell_time);
        Ok(vec![row("what 200 rules of the user add to that", added.max(0.0), "µs", Some(limit))])
    }

    /// The event of a case, as the agent writes it.
    pub fn case(&self, case: &Case) -> io::Result<PathBuf> {
        self.event(&case.name.replace(' ', "-"), case.tool, &(case.input)())
    }

    /// The process that answers a case.
    pub fn command_of(&self, case: &Case) -> io::Result<Command> {
        self.command_for(&self.hook_program(), &self.case(case)?, case.packs)
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

    pub fn compile(&self, name: &str, source: &str) -> io::Result<()> {
        let file = self.path(&format!("{name}.c"));
        std::fs::write(&file, source)?;
        succeed(Command::new("cc").args(["-O2", "-static", "-o"]).arg(self.path(name)).arg(&file))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn event(&self, name: &str, tool: &str, input: &Value) -> io::Result<PathBuf> {
        self.event_of(name, "PreToolUse", &json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "t" }))
    }

    pub fn event_of(&self, name: &str, event: &str, details: &Value) -> io::Result<PathBuf> {
        let mut payload = json!({
            "session_id": "bench",
            "transcript_path": self.path(".claude/projects/bench/t.jsonl"),
            "cwd": self.path("project"),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        if let (Some(payload), Some(details)) = (payload.as_object_mut(), details.as_object()) {
            payload.extend(details.clone());
        }
        let file = self.path(name);
        std::fs::write(&file, payload.to_string())?;
        Ok(file)
    }

    /// The process that answers an event.
    pub fn hook(&self, event: &Path) -> io::Result<Command> {
        self.command(&self.hook_program(), event)
    }

    /// Answers an event.
    pub fn run_hook(&self, event: &Path) {
        self.run(&self.hook_program(), event, &[]);
    }

    /// Answers an event with packs that have their configuration in this folder.
    pub fn run_with(&self, event: &Path, arguments: &[&str], plugin: &str) {
        let command = self.command(&self.hook_program(), event);
        drop(
            command
                .and_then(|mut command| command.args(arguments).env("CLAUDE_PLUGIN_ROOT", self.path(plugin)).status()),
        );
    }

    /// Starts the program that does nothing.
    pub fn run_empty(&self, event: &Path) {
        self.run(&self.path("empty"), event, &[]);
    }

    /// What the user configures.
    pub fn configure(&self, toml: &str) -> io::Result<()> {
        self.write(".config/hookrail/hookrail.toml", toml)
    }

    pub fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        std::fs::write(path, text)
    }

    fn command(&self, program: &Path, event: &Path) -> io::Result<Command> {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.folder.path()).env("HOOKRAIL_STATE_DIR", self.path("state"));
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

    /// The same under packs that are named, as their plugins name them.
    fn command_for(&self, program: &Path, event: &Path, packs: &[&str]) -> io::Result<Command> {
        let mut command = self.command(program, event)?;
        if !packs.is_empty() {
            command.env("CLAUDE_PLUGIN_ROOT", self.path("plugin"));
        }
        command.args(packs.iter().flat_map(|pack| ["--pack", *pack]));
        Ok(command)
    }

    fn run(&self, program: &Path, event: &Path, packs: &[&str]) {
        // A contender that cannot run would win; `check` has seen to it that it can.
        drop(self.command_for(program, event, packs).and_then(|mut command| command.status()));
    }

    /// Makes sure that hooks look, and decide what is to be measured.
    fn check(&self, case: &Case) -> io::Result<()> {
        let output = self.command_of(case)?.stdout(Stdio::piped()).output()?;
        let answer = String::from_utf8_lossy(&output.stdout);
        let as_expected = if case.answer.is_empty() { answer.is_empty() } else { answer.contains(case.answer) };
        let log = std::fs::read_to_string(self.path("state/planning/hooks-bench.log")).unwrap_or_default();
        let looked = case.packs != ["planning"] || log.contains("H02_lock_enforcement: ALLOW");
        if output.status.success() && as_expected && looked {
            return Ok(());
        }
        Err(io::Error::other(format!("`{}` is not decided as it is to be: {output:?}\n{log}", case.name)))
    }

    /// The most memory a hook process holds, in MiB. A process is charged with what its parent held when it was started,
    /// so the parent must be tiny.
    fn memory(&self) -> io::Result<f64> {
        self.compile("weigh", WEIGH)?;
        let event = self.event("weighed", "Write", &json!({ "file_path": ".hookrail/x", "content": "" }))?;
        let mut command = self.command(&self.path("weigh"), &event)?;
        let output = command.arg(self.hook_program()).stderr(Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let kibibytes: Option<f64> = text.split_whitespace().last().and_then(|number| number.parse().ok());
        kibibytes.map(|kibibytes| kibibytes / 1024.0).ok_or_else(|| io::Error::other("memory could not be measured"))
    }
}

/// Takes a file out of memory, so that the next run reads it as it needs it.
fn evict(file: &Path) -> io::Result<()> {
    let file = File::open(file)?;
    file.sync_all()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
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
