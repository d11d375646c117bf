//! The process dies, or the disk refuses, at every step of a change.

use crate::fsm::project::{SESSION, SkillProject, manual, snapshot, tagged};
use hookrail_core::{FileKind, Held, HookError, Relocation, World};
use hookrail_engine::RealWorld;
use hookrail_packs::fsm::{FileForm, FsmFile, Hydration, Scope, hydrate, recover};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What happens at the chosen step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Death,
    Refusal,
}

/// The machine, with a fault at one of the steps that change it.
struct FaultyWorld {
    real: RealWorld,
    fault: Fault,
    at: usize,
    steps: AtomicUsize,
}

impl FaultyWorld {
    fn new(fault: Fault, at: usize) -> Self {
        Self { real: RealWorld::default(), fault, at, steps: AtomicUsize::new(0) }
    }

    fn step(&self) -> Result<(), HookError> {
        if self.steps.fetch_add(1, Ordering::Relaxed) + 1 != self.at {
            return Ok(());
        }
        match self.fault {
            Fault::Death => std::process::abort(),
            Fault::Refusal => Err(HookError::new("no space left on device".to_owned())),
        }
    }

    /// A moment within an operation at which a process can die, though nothing can be refused.
    fn moment(&self, prepare: impl FnOnce()) {
        if self.fault == Fault::Death {
            if self.steps.load(Ordering::Relaxed) + 1 == self.at {
                prepare();
            }
            let _ = self.step();
        }
    }
}

impl World for FaultyWorld {
    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.step()?;
        // As a real write dies: with half of it in a file beside the one meant.
        self.moment(|| {
            let name = path.file_name().unwrap().to_str().unwrap();
            fs::write(path.with_file_name(format!(".{name}.1-0.tmp")), &content[..content.len() / 2]).unwrap();
        });
        self.real.write(path, content)
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        self.step()?;
        self.moment(|| drop(fs::hard_link(from, to)));
        self.real.relocate(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        self.step()?;
        self.real.remove(path)
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.step()?;
        self.real.make_folder(folder)
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.step()?;
        self.real.remove_folder(folder)
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        self.step()?;
        self.real.append(path, text)
    }

    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        self.real.lock(path)
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        self.real.read(path)
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        self.real.kind(path)
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        self.real.list(folder)
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        self.real.modified_millis(path)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.real.resolve(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.real.env(name)
    }

    fn now_millis(&self) -> i64 {
        self.real.now_millis()
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.real.settings(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        self.real.own_program()
    }

    fn state_folder(&self) -> Option<PathBuf> {
        self.real.state_folder()
    }

    fn recall(&self, key: &str) -> Result<Option<Value>, HookError> {
        self.real.recall(key)
    }

    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError> {
        self.real.remember(key, change)
    }
}

type Files = BTreeMap<String, String>;

/// A list to begin with, and what it must become.
pub struct FaultCase {
    pub name: &'static str,
    pub old: Vec<(&'static str, String)>,
}

/// Old and new tasks share ids in the first list; the second has a mark; the third does not exist yet.
pub fn scenes() -> [FaultCase; 3] {
    let (m3, t4, t5, t9) = (manual(3), tagged(4, "old"), tagged(5, "old"), tagged(9, "s"));
    let shared = vec![
        ("3.json", m3.to_string()),
        ("4.json", t4.to_string()),
        ("5.json", t5.to_string()),
        ("9.json", t9.to_string()),
    ];
    let mut marked = shared.clone();
    marked.push((".highwatermark", "4".to_owned()));
    [
        FaultCase { name: "shared ids", old: shared },
        FaultCase { name: "with a mark", old: marked },
        FaultCase { name: "empty", old: Vec::new() },
    ]
}

pub fn fsm() -> Value {
    json!([{"id": 1, "subject": "a"}, {"id": 2, "subject": "b", "blockedBy": [1]}, {"id": 3, "subject": "c", "blocks": [2]}])
}

impl FaultCase {
    pub fn set(&self) -> SkillProject {
        let place = SkillProject::new().skill("s", &fsm());
        for (name, text) in &self.old {
            fs::create_dir_all(place.list()).unwrap();
            fs::write(place.list().join(name), text).unwrap();
        }
        place
    }

    pub fn old(&self) -> Files {
        self.old.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect()
    }

    pub fn new_list(&self) -> Files {
        let place = self.set();
        place.invoke("s").assert_continues();
        snapshot(&place.list())
    }
}

fn hydration() -> Hydration {
    let tasks = FsmFile::read(fsm().to_string().as_bytes()).unwrap().tasks;
    Hydration { command: "s".to_owned(), scope: Scope::All, form: FileForm::Document, tasks }
}

/// Not a test: the process that dies in the tests below.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn victim() {
    #[expect(clippy::disallowed_methods, reason = "how the test that started this process talks to it")]
    let order = std::env::var("HOOKRAIL_TEST_VICTIM").unwrap();
    let [deed, at, list] = order.split('|').collect::<Vec<_>>().try_into().unwrap();
    let world = FaultyWorld::new(Fault::Death, at.parse().unwrap());
    match deed {
        "hydrate" => hydrate(Path::new(list), &hydration(), &world).unwrap(),
        _ => recover(Path::new(list), &world).unwrap(),
    }
}

/// Does something to a list and dies at a step; whether it did.
fn dies(deed: &str, at: usize, list: &Path) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fsm::faults::victim", "--ignored", "--nocapture"])
        .env("HOOKRAIL_TEST_VICTIM", format!("{deed}|{at}|{}", list.display()))
        .output()
        .unwrap();
    let died = std::os::unix::process::ExitStatusExt::signal(&output.status).is_some();
    assert!(died || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    died
}

/// Nothing that an agent would look at is half written, and a person's task is what it was.
pub fn check_visible(scene: &FaultCase, list: &Path, step: &str) {
    let now = snapshot(list);
    for (name, text) in now.iter().filter(|(name, _)| name.as_str() != ".hookrail" && name.as_str() != ".highwatermark")
    {
        let task: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{step}: {name}: {error}"));
        assert_eq!(json!(name), json!(format!("{}.json", task["id"].as_str().unwrap())), "{step}");
    }
    if let Some(person) = scene.old().get("3.json") {
        assert_eq!(now.get("3.json"), Some(person), "{step}: the person's task");
    }
}

/// The next process of the session, whatever it is about, leaves the old list or the new one. Returns whether it is new.
pub fn next_process_is_new(scene: &FaultCase, place: &SkillProject, new: &Files, step: &str) -> bool {
    check_visible(scene, &place.list(), step);
    let event = json!({"session_id": SESSION, "cwd": place.project.path(), "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "x"}});
    let said = place.run(&["hook"], &event.to_string());
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), "", ""), "{step}");
    let now = snapshot(&place.list());
    assert!(now == *new || now == scene.old(), "{step}: {now:#?}");
    now == *new
}

#[test]
fn a_process_that_dies_at_any_step_leaves_the_old_list_or_one_that_the_next_completes() {
    for scene in scenes() {
        let new = scene.new_list();
        let mut ends = Vec::new();
        for at in 1.. {
            let place = scene.set();
            let died = dies("hydrate", at, &place.list());
            ends.push(next_process_is_new(&scene, &place, &new, &format!("{}, step {at}", scene.name)));
            if !died {
                break;
            }
        }
        // From one step on it is the new list, and it stays so.
        let first_new = ends.iter().position(|new| *new).unwrap();
        assert!(first_new > 3 && ends.len() > first_new + 8, "{}: {ends:?}", scene.name);
        assert!(ends[first_new..].iter().all(|new| *new), "{}: {ends:?}", scene.name);
    }
}

#[test]
fn a_process_that_dies_while_it_completes_the_work_of_another_is_completed_in_turn() {
    let mut completed = 0;
    for scene in scenes() {
        let new = scene.new_list();
        for first in (1..).step_by(4) {
            let place = scene.set();
            if !dies("hydrate", first, &place.list()) {
                break;
            }
            if !place.list().join(".hookrail/intent").exists() {
                continue;
            }
            for at in 1.. {
                let place = scene.set();
                dies("hydrate", first, &place.list());
                let died = dies("recover", at, &place.list());
                let step = format!("{}, step {first}, then {at}", scene.name);
                assert!(next_process_is_new(&scene, &place, &new, &step), "{step}: the intent was written");
                if !died {
                    completed += 1;
                    break;
                }
            }
        }
    }
    assert!(completed > 6, "{completed}");
}

#[test]
fn a_refusal_at_any_step_leaves_the_old_list_exactly_or_does_no_harm() {
    for scene in scenes() {
        let new = scene.new_list();
        let mut refusals = 0;
        for at in 1.. {
            let place = scene.set();
            let world = FaultyWorld::new(Fault::Refusal, at);
            let result = hydrate(&place.list(), &hydration(), &world);
            let step = format!("{}, step {at}: {result:?}", scene.name);
            let mut now = snapshot(&place.list());
            // Only what could not be cleared away may be left, out of sight, until the next process.
            now.remove(".hookrail");
            match result {
                Ok(()) => assert_eq!(now, new, "{step}"),
                Err(error) => {
                    assert_eq!(now, scene.old(), "{step}");
                    let text = error.to_string();
                    assert!(text.contains("as it was") && text.contains("no space left"), "{text}");
                    refusals += 1;
                }
            }
            let expected = now == new;
            assert_eq!(next_process_is_new(&scene, &place, &new, &step), expected, "{step}");
            if world.steps.load(Ordering::Relaxed) < at {
                break;
            }
        }
        assert!(refusals >= 9, "{}: {refusals}", scene.name);
    }
}

#[test]
fn what_an_unfinished_change_meets_afterwards_is_safe() {
    // Dead with the old tasks moved away; then a person adds a task with an id that was to be given.
    let scene = &scenes()[0];
    let mut met = 0;
    for at in 10..30 {
        let place = scene.set();
        dies("hydrate", at, &place.list());
        let id = (4..9).find(|id| !place.list().join(format!("{id}.json")).exists());
        let (Some(id), true) = (id, place.list().join(".hookrail/intent").exists()) else { continue };
        let text = manual(id).to_string();
        fs::write(place.list().join(format!("{id}.json")), &text).unwrap();
        let event = json!({"session_id": SESSION, "cwd": place.project.path(), "hook_event_name": "Stop"});
        assert_eq!(place.run(&["hook"], &event.to_string()).err, "");
        let now = snapshot(&place.list());
        assert_eq!(now.get(&format!("{id}.json")), Some(&text), "step {at}");
        assert_eq!(now.len(), 2 + 3, "step {at}: {now:#?}");
        met += 1;
    }
    assert!(met > 5, "{met}");
}

#[test]
fn an_intent_that_nobody_can_read_is_told_and_keeps_no_other_hook_from_working() {
    let place = scenes()[0].set();
    fs::create_dir(place.list().join(".hookrail")).unwrap();
    fs::write(place.list().join(".hookrail/intent"), "{").unwrap();
    place.invoke("s").assert_fails(&[".hookrail/intent` is in the way"]);
    let event = json!({"session_id": SESSION, "cwd": place.project.path(), "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": ".claude/settings.json", "content": ""}});
    let said = place.run(&["hook"], &event.to_string());
    assert!(said.out.contains("deny") && said.err.contains("is in the way"), "{said:?}");
}
