//! Commands that start whole families, and go to lengths to hide them.

use crate::scene::{HANG, hook, impatient, run_many};
use hookrail_engine::runner::process::{CancelToken, Exit, ProcessSpec};
use hookrail_testkit::process::{alive, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A process of a tree: writes down its number, starts the next generation in its way, and stays.
const PROCESS: &str = r#"
eval "$BEFORE"
echo $$ >> "$PIDS"
if [ "$1" -gt 1 ]; then
    next="sh $0 $(($1 - 1))"
    eval "$START"
fi
sleep 120 & wait; wait; wait
"#;

/// How many processes are in a tree, not counting the `sleep` of each.
const GENERATIONS: usize = 5;

const MOMENT: Duration = Duration::from_secs(2);

/// A name, what each process does first, and how it starts the next.
const SHAPES: &[(&str, &str, &str)] = &[
    ("children", ":", "$next &"),
    ("process groups of their own", "set -m", "$next &"),
    ("sessions of their own", ":", "setsid $next &"),
    ("daemons", ":", "(setsid $next &)"),
    ("daemons that closed all pipes", "exec <&- >&- 2>&-", "(setsid $next &)"),
    (
        "sessions that forgot their environment",
        ":",
        "setsid env -i PATH=\"$PATH\" PIDS=\"$PIDS\" START=\"$START\" BEFORE=: $next &",
    ),
    ("daemons of a run inside the run", ":", "(HOOKRAIL_RUN=\"$HOOKRAIL_RUN,1-2-3\" setsid $next &)"),
    ("children that ignore SIGTERM", "trap '' TERM", "$next &"),
    ("daemons that ignore SIGTERM", "trap '' TERM", "(setsid $next &)"),
    ("daemons that grow a new head when asked to end", "trap '(setsid sh \"$0\" 1 &); exit' TERM", "(setsid $next &)"),
];

struct Forest {
    folder: TempDir,
}

impl Forest {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("process.sh"), PROCESS).unwrap();
        Self { folder }
    }

    /// One hook per shape, each the root of its tree.
    fn hooks(&self, timeout: Duration) -> Vec<ProcessSpec> {
        let script = self.folder.path().join("process.sh");
        let plant = |(index, (_, before, start)): (usize, &(&str, &str, &str))| {
            let pids = self.pid_file(index);
            let env = [("PIDS", pids.as_os_str()), ("BEFORE", before.as_ref()), ("START", start.as_ref())];
            let env = env.map(|(name, value)| (name.into(), value.to_owned())).to_vec();
            ProcessSpec { env, timeout, ..hook(format!("exec sh '{}' {GENERATIONS}", script.display())) }
        };
        SHAPES.iter().enumerate().map(plant).collect()
    }

    fn pid_file(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("pids.{index}"))
    }

    fn is_grown(&self) -> bool {
        (0..SHAPES.len()).all(|index| read_pids(&self.pid_file(index)).len() >= GENERATIONS)
    }

    /// A process that was killed may need a moment to go, on a machine that has better things to do.
    #[track_caller]
    fn check_gone(&self) {
        for (index, (name, ..)) in SHAPES.iter().enumerate() {
            let left = || read_pids(&self.pid_file(index)).into_iter().filter(|pid| alive(*pid)).collect::<Vec<u32>>();
            assert!(wait_until(MOMENT, || left().is_empty()), "{name}: {:?} are still alive", left());
        }
    }
}

fn read_pids(file: &Path) -> Vec<u32> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[test]
fn nobody_of_a_tree_survives_its_deadline() {
    // covers: HOOK-117 HOOK-118
    // On a loaded machine the trees take their time to grow.
    for seconds in [1, 4, 16] {
        let forest = Forest::new();
        let outcomes = run_many(forest.hooks(Duration::from_secs(seconds)), impatient(), CancelToken::new());
        forest.check_gone();
        for (outcome, (name, ..)) in outcomes.iter().zip(SHAPES) {
            assert_eq!(outcome.exit, Exit::TimedOut, "{name}: {outcome:?}");
        }
        if forest.is_grown() {
            return;
        }
    }
    panic!("the trees never grew to {GENERATIONS} generations");
}

#[test]
fn nobody_of_a_tree_survives_a_cancel() {
    let forest = Forest::new();
    let cancel = CancelToken::new();
    let specs = forest.hooks(Duration::from_secs(120));
    let clone = cancel.clone();
    let runner = std::thread::spawn(move || run_many(specs, impatient(), clone));
    let grown = wait_until(HANG, || forest.is_grown());
    cancel.cancel();
    let outcomes = runner.join().unwrap();
    assert!(grown, "the trees never grew to {GENERATIONS} generations");
    forest.check_gone();
    for (outcome, (name, ..)) in outcomes.iter().zip(SHAPES) {
        assert_eq!(outcome.exit, Exit::Cancelled, "{name}: {outcome:?}");
    }
}

#[test]
fn a_family_that_ends_is_not_confused_with_its_neighbours() {
    // The deadline of the first passes while the second runs, and a helper of the third is out there.
    let specs = vec![
        ProcessSpec { timeout: Duration::from_millis(500), ..hook("(setsid sleep 120 &); sleep 120") },
        hook("(setsid sleep 1; echo undisturbed) & wait"),
        hook("setsid sleep 120 >/dev/null 2>&1 & echo $!"),
    ];
    let outcomes = run_many(specs, impatient(), CancelToken::new());
    assert_eq!(outcomes[0].exit, Exit::TimedOut);
    assert_eq!((&outcomes[1].exit, outcomes[1].stdout.text.as_str()), (&Exit::Code(0), "undisturbed\n"));
    assert_eq!(outcomes[2].exit, Exit::Code(0));
    let helper: i32 = outcomes[2].stdout.text.trim().parse().unwrap();
    assert!(alive(helper.unsigned_abs()), "a helper of a hook that ended in time lives on");
    kill_process(Pid::from_raw(helper).unwrap(), Signal::KILL).unwrap();
}
