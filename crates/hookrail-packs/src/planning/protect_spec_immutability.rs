use super::input::{Finding, HookSwitch, PlanningInput, decide};
use crate::changes::{changes_file, may_change_files, question_about_unread};
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H04_spec_protection", flag: Some("hooks_spec_protection") };

/// H04: keeps the specification as it was when planning began.
///
/// **Why:** design, tests and tasks are made from `spec.md`. A change half way makes all of them wrong, and that is
/// easily overlooked.
///
/// **Catches:** any tool that writes, deletes, moves, links or changes the permissions of the `spec.md` of the feature that is
/// planned, or of a folder above it, once the state's phase is past `SETUP`: edits and patches, shell commands, tools of MCP
/// servers, however the path is spelled. An unknown phase counts as a later one.
///
/// **Leaves alone:** a state without a phase, another feature's `spec.md`, and whatever only reads, such as `cat spec.md`,
/// `git diff spec.md` or `git add spec.md`.
#[derive(Debug)]
pub struct ProtectSpecImmutability;

impl NativeHook for ProtectSpecImmutability {
    fn id(&self) -> &'static str {
        "planning/protect-spec-immutability"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile {
            timeout: Some(QUICK),
            // It reads a few small files, and nothing that could be a pipe.
            may_wait: false,
            ..HookProfile::DEFAULT
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        may_change_files(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let (event, world) = (scene.event, scene.world);
    let Some(feature) = scene.feature()? else { return Ok(Finding::nothing()) };
    let Some(effects) = hookrail_effects::of(event, world) else { return Ok(Finding::nothing()) };
    let unread = question_about_unread(&effects, "the specification, which is immutable");
    let changes = changes_file(&effects, &feature.specification(), world);
    if !changes && unread.is_none() {
        return Ok(Finding::nothing());
    }
    let Some(state) = feature.read_state(world)? else {
        return Ok(Finding::allow("No state file, spec still editable"));
    };
    let Some(phase) = state.phase().filter(|phase| !phase.is_setup()) else {
        return Ok(Finding::allow("Planning is not past SETUP, spec still editable"));
    };
    if let Some(question) = unread.filter(|_| !changes) {
        return Ok(Finding::new("ASK", "the call was not read to its end".to_owned(), question));
    }
    Ok(Finding::deny(&format!(
        "DENIED: spec.md is immutable after planning has started (current phase: {phase}). Changing it would invalidate \
         every artifact made from it. Do not retry and do not write it another way: go on with the specification as it \
         is. If the requirements have changed, tell the user that planning has to be aborted and restarted."
    )))
}

#[cfg(test)]
mod tests {
    use super::super::test_events::{call, shell, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const STATE: &str = "/p/specs/x/.planning-state.local.md";

    fn world() -> FakeWorld {
        FakeWorld::new()
            .file("/p/.git/HEAD", "ref: refs/heads/feature/x")
            .file("/p/specs/x/spec.md", "spec")
            .file("/p/specs/x/notes.md", "notes")
            .file("/p/specs/y/spec.md", "another feature's")
            .file("/p/src/main.rs", "fn main() {}")
            .file("/p/freeze.sh", "cd specs/x\nchmod 600 spec.md\n")
            .link("/p/specs/x/same.md", "spec.md")
            .link("/p/alias", "specs/x")
    }

    fn planning() -> FakeWorld {
        world().file(STATE, "---\nphase: RESEARCH\n---\n")
    }

    fn check(state: Option<&str>, path: &str) -> &'static str {
        let world = match state {
            Some(state) => world().file(STATE, state),
            None => world(),
        };
        word(&ProtectSpecImmutability, &call("/p", "Write", json!({"file_path": path, "content": "x"})), &world)
    }

    #[test]
    fn the_specification_is_closed_once_planning_is_past_setup() {
        // covers: H04
        let state = |phase: &str| format!("---\nphase: {phase}\n---\n");
        for (state, expected) in [
            (None, "silent"),
            (Some(state("SETUP")), "silent"),
            (Some(state("")), "silent"),
            (Some(state("''")), "silent"),
            (Some(state("ARCHITECTURE")), "deny"),
            (Some(state("COMPLETION")), "deny"),
            (Some(state("SOMETHING_NEW")), "deny"),
            (Some("---\ncurrent_phase: RESEARCH\n---\n".to_owned()), "deny"),
            (Some("---\nphase: [\n---\n".to_owned()), "error"),
            (Some("no front matter\nphase: RESEARCH\n".to_owned()), "error"),
        ] {
            assert_eq!(check(state.as_deref(), "/p/specs/x/spec.md"), expected, "{state:?}");
        }
    }

    #[test]
    fn however_the_path_is_spelled_it_is_the_same_file() {
        // covers: H04
        for (path, expected) in [
            ("/p/specs/x/spec.md", "deny"),
            ("specs/x/spec.md", "deny"),
            ("specs/x/../x/./spec.md", "deny"),
            ("specs/x/same.md", "deny"),
            ("alias/spec.md", "deny"),
            ("specs/y/spec.md", "silent"),
            ("spec.md", "silent"),
            ("specs/x/design.md", "silent"),
            ("specs/x/spec.md.bak", "silent"),
            ("", "silent"),
        ] {
            assert_eq!(check(Some("---\nphase: RESEARCH\n---\n"), path), expected, "{path}");
        }
    }

    #[test]
    fn no_shell_command_changes_the_specification() {
        // covers: H04
        for command in [
            "echo x > specs/x/spec.md",
            "echo x >> specs/x/spec.md",
            "echo x >| specs/x/spec.md",
            ": > specs/x/spec.md",
            "printf x | tee specs/x/spec.md",
            "printf x | tee -a alias/spec.md > /dev/null",
            "cat <<'END' > specs/x/spec.md\n# New\nEND",
            "cd specs/x && echo x > spec.md",
            "cd specs; cd x; echo x > ./spec.md",
            "(cd specs/x && rm spec.md)",
            "pushd specs/x; rm spec.md; popd",
            "sed -i s/a/b/ specs/x/spec.md",
            "sed -i.bak -e s/a/b/ specs/x/same.md",
            "perl -pi -e s/a/b/ specs/x/spec.md",
            "cp draft.md specs/x/spec.md",
            "cp -f ../draft.md \"specs/x/spec.md\"",
            "cp specs/y/spec.md specs/x/",
            "mv draft.md specs/x/spec.md",
            "mv specs/x/spec.md specs/x/old.md",
            "mv specs specs.old",
            "rm specs/x/spec.md",
            "rm -f -- specs/x/spec.md",
            "rm specs/x/*.md",
            "rm specs/*/spec.md",
            "rm -rf specs",
            "rm -rf specs/x/",
            "find specs -name spec.md -delete",
            "git rm specs/x/spec.md",
            "git mv specs/x/spec.md specs/x/old.md",
            "git checkout main -- specs/x/spec.md",
            "git restore specs/x/spec.md",
            "ln -sf /tmp/other.md specs/x/spec.md",
            "chmod 600 specs/x/spec.md",
            "chmod -R a-w specs",
            "truncate -s 0 specs/x/spec.md",
            "dd if=/dev/null of=specs/x/spec.md",
            "bash -c 'rm specs/x/spec.md'",
            "env LANG=C rm specs/x/spec.md",
            "F=specs/x/spec.md; rm \"$F\"",
            "python3 -c \"open('specs/x/spec.md', 'w').write('x')\"",
            "bash freeze.sh",
            "curl -o specs/x/spec.md https://example.com/spec.md",
            "touch specs/x/spec.md",
            "echo specs/x/spec.md | xargs rm",
        ] {
            assert_eq!(word(&ProtectSpecImmutability, &shell("/p", command), &planning()), "deny", "{command}");
            assert_eq!(word(&ProtectSpecImmutability, &shell("/p", command), &world()), "silent", "early: {command}");
        }
    }

    #[test]
    fn a_shell_command_that_only_reads_or_mentions_it_is_left_alone() {
        // covers: H04
        for command in [
            "",
            "ls specs/x",
            "cat specs/x/spec.md",
            "cat specs/x/spec.md > /tmp/copy.md",
            "grep -n TODO specs/x/spec.md | head",
            "sed -n 1,20p specs/x/spec.md",
            "sed s/a/b/ specs/x/spec.md > specs/x/design.md",
            "wc -l < specs/x/spec.md",
            "cp specs/x/spec.md specs/x/design.md",
            "git diff specs/x/spec.md",
            "git add specs/x/spec.md",
            "git log -- specs/x/spec.md",
            "git commit -m 'rm specs/x/spec.md'",
            "git commit -m \"write > specs/x/spec.md\" specs/x/spec.md",
            "git checkout -b fix/specs/x/spec.md",
            "git switch feature/spec.md",
            "echo 'rm specs/x/spec.md'",
            "echo specs/x/spec.md > specs/x/notes.md",
            "rm specs/y/spec.md",
            "rm specs/x/notes.md",
            "rm -rf src",
            "echo x > spec.md",
            "cd specs/y && echo x > spec.md",
            "echo x > specs/x/spec.md.bak",
            "echo x > \"$OUT\"",
            "mkdir -p specs/x/parts",
            "diff specs/x/spec.md specs/y/spec.md",
            "npm test -- --grep spec.md",
            "# rm specs/x/spec.md",
        ] {
            assert_eq!(word(&ProtectSpecImmutability, &shell("/p", command), &planning()), "silent", "{command}");
        }
    }

    #[test]
    fn tools_of_mcp_servers_are_seen_as_well() {
        // covers: H04
        for (tool, input, expected) in [
            ("write_file", json!({"path": "/p/specs/x/spec.md", "content": "x"}), "deny"),
            ("edit_file", json!({"path": "specs/x/spec.md", "edits": []}), "deny"),
            ("move_file", json!({"source": "/p/specs/x", "destination": "/p/specs/z"}), "deny"),
            ("delete_file", json!({"path": "/p/alias/spec.md"}), "deny"),
            ("run", json!({"command": "rm specs/x/spec.md"}), "deny"),
            ("read_file", json!({"path": "/p/specs/x/spec.md"}), "silent"),
            ("write_file", json!({"path": "/p/specs/x/design.md", "content": "see spec.md"}), "silent"),
            ("run", json!({"command": "cat specs/x/spec.md"}), "silent"),
        ] {
            let event = call("/p", &format!("mcp__filesystem__{tool}"), input.clone());
            assert_eq!(word(&ProtectSpecImmutability, &event, &planning()), expected, "{tool} {input}");
        }
    }
}
