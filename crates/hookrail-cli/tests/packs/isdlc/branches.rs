use crate::isdlc::project::{WorkflowProject, state};
use serde_json::json;

/// A repository on this branch, with the workflow's branch beside it and another repository in `other`.
fn repository(branch: &str) -> WorkflowProject {
    let place = WorkflowProject::with(&state("06-implementation", "in_progress")).file("src/a.rs", "");
    let project = place.project.git_init(branch);
    project.git(&["branch", "feature/x"]);
    project.git(&["tag", "v1"]);
    project.git(&["config", "alias.save", "commit -v"]);
    project.git(&["config", "alias.shell", "!git add -A && git commit"]);
    project.git(&["config", "alias.st", "status"]);
    project.git(&["init", "--quiet", "--template=", "-b", "main", "other"]);
    WorkflowProject { project, ..place }
}

/// What a command on `main` is answered.
const COMMANDS: &[(&str, bool)] = &[
    // Commits, however they are written.
    ("git commit", true),
    ("git commit -m 'a message'", true),
    ("git commit -am x", true),
    ("git commit --amend --no-edit", true),
    ("git   commit\t-m x", true),
    ("git add -A && git commit -m x", true),
    ("git add -A; git commit -m x", true),
    ("git add -A\ngit commit -m x", true),
    ("git status || git commit -m x", true),
    ("git diff --quiet && git switch feature/x; git commit -m x", true),
    ("git merge feature/x", true),
    ("git pull", true),
    ("git reset --hard feature/x", true),
    ("git update-ref refs/heads/main feature/x", true),
    ("git push . feature/x:main", true),
    ("(git commit -m x)", true),
    ("{ git commit -m x; }", true),
    ("echo \"$(git commit -m x)\"", true),
    ("true | git commit -F -", true),
    ("git commit -m x > log 2>&1", true),
    ("git commit -m x &", true),
    ("if git diff --quiet; then echo; else git commit -m x; fi", true),
    ("! git commit -m x", true),
    ("GIT_AUTHOR_NAME=me git commit -m x", true),
    ("env A=1 git commit -m x", true),
    ("sudo -u me git commit -m x", true),
    ("command git commit", true),
    ("timeout 60 git commit -m x", true),
    ("nice -n 10 git commit -m x", true),
    ("command echo git commit", false),
    ("/usr/bin/git commit", true),
    ("bash -c 'git commit -m x'", true),
    ("bash -lc \"cd src && git commit -m x\"", true),
    ("eval 'git commit -m x'", true),
    ("g\\it commit", true),
    ("git 'commit'", true),
    ("git commit -m --dry-run", true),
    ("git commit -m x -- --help", true),
    ("git commit -m \"$(cat <<'EOF'\nIt's done :)\nEOF\n)\"", true),
    // git's own options.
    ("git -C src commit -m x", true),
    ("git -C . -C src commit -m x", true),
    ("git -c user.name=me commit -m x", true),
    ("git --no-pager -c a.b=c commit", true),
    ("git --git-dir .git commit", true),
    ("git --git-dir=.git --work-tree . commit", true),
    ("GIT_DIR=.git git commit", true),
    // Folders.
    ("cd src && git commit", true),
    ("cd src && cd .. && git commit", true),
    ("(cd other && git status); git commit", true),
    ("cd \"$(git rev-parse --show-toplevel)\" && git commit", true),
    ("cd $PWD/src && git commit", true),
    // Branches.
    ("git checkout main && git commit", true),
    ("git switch feature/x && git switch main && git commit", true),
    ("git checkout feature/x -- src/a.rs && git commit", true),
    ("git checkout src/a.rs && git commit", true),
    ("git checkout feature/x || git commit", true),
    ("git checkout no-such-thing; git commit", true),
    ("git branch feature/y && git commit", true),
    // Aliases.
    ("git ci -m x", true),
    ("git save", true),
    ("git shell", true),
    ("git -c alias.z=commit z", true),
    // Not commits.
    ("ls", false),
    ("git status", false),
    ("git push origin main", false),
    ("git log --grep commit", false),
    ("git commit-tree HEAD^{tree}", false),
    ("git commit --dry-run", false),
    ("git commit --help", false),
    ("git --help commit", false),
    ("git help commit", false),
    ("git st", false),
    ("git -c alias.z=status z", false),
    ("git nothing", false),
    ("echo \"git commit\"", false),
    ("echo git commit", false),
    ("grep -r 'git commit' docs", false),
    ("# git commit", false),
    ("cat <<EOF\ngit commit\nEOF", false),
    ("git tag -m 'git commit' v2", false),
    // Commits that land elsewhere.
    ("git checkout feature/x && git commit -m x", false),
    ("git switch feature/x && git commit -m x", false),
    ("git switch feature/x; git add -A; git commit -m x", false),
    ("git checkout -b feature/y && git commit -m x", false),
    ("git switch -c feature/y && git commit -m x", false),
    ("git checkout --orphan pages && git commit", false),
    ("git branch feature/y && git checkout feature/y && git commit", false),
    // It takes main away.
    ("git branch -m feature/z && git commit", true),
    ("git checkout --detach && git commit", false),
    ("git checkout v1 && git commit", false),
    ("git -C src switch feature/x && git commit", false),
    // What is checked out is a matter of the disk, not of the shell.
    ("(git checkout feature/x); git commit; git checkout main", false),
    ("cd other && git commit -m x", false),
    ("git -C other commit -m x", false),
    ("(cd other && git commit -m x)", false),
    ("git --git-dir=other/.git commit", false),
    ("cd / && git commit", false),
    ("cd \"$SOMEWHERE\" && git commit", false),
];

#[test]
fn exactly_the_commits_that_would_land_on_main_are_refused() {
    // covers: FR-04 AC-04 AC-04d
    assert!(COMMANDS.len() >= 60);
    let place = repository("main");
    for (command, refused) in COMMANDS {
        let said = place.fire("branch-guard", &place.bash(command));
        if *refused {
            let reason = said.refusal(command);
            let expected = "Cannot commit to main during active workflow. Switch to branch feature/x first.";
            assert_eq!(reason.lines().next(), Some(expected), "{command}");
            assert!(reason.contains("Do not retry"), "{reason}");
        } else {
            said.assert_silent(command);
        }
    }
}

#[test]
fn the_branch_decides() {
    // covers: AC-04 AC-04a
    for (branch, refused) in [("main", true), ("master", true), ("feature/x2", false), ("maintenance", false)] {
        let place = repository(branch);
        let said = place.fire("branch-guard", &place.bash("git commit -m x"));
        if refused {
            assert!(said.refusal(branch).starts_with(&format!("Cannot commit to {branch} ")));
        } else {
            said.assert_silent(branch);
        }
    }
    let place = repository("main");
    place.project.git(&["checkout", "--quiet", "feature/x"]);
    place.fire("branch-guard", &place.bash("git commit")).assert_silent("the workflow's branch");
    place.fire("branch-guard", &place.bash("git checkout main && git commit")).refusal("back to main");
    place.project.git(&["checkout", "--quiet", "--detach"]);
    place.fire("branch-guard", &place.bash("git commit")).assert_silent("detached");
}

#[test]
fn worktrees_have_a_branch_of_their_own() {
    // covers: AC-04 AC-04a
    let place = repository("main");
    place.project.git(&["worktree", "add", "--quiet", "wt", "feature/x"]);
    let cases = [
        ("git commit", true),
        ("cd wt && git commit", false),
        ("git -C wt commit", false),
        // Git would refuse to check main out twice, but the state of a repository may change before the call runs.
        ("cd wt && git switch main && git commit", true),
        ("cd wt && git checkout main; cd .. && git commit", true),
    ];
    for (command, refused) in cases {
        let said = place.fire("branch-guard", &place.bash(command));
        if refused {
            said.refusal(command);
        } else {
            said.assert_silent(command);
        }
    }
    place.project.git(&["checkout", "--quiet", "--detach"]);
    place.project.git(&["-C", "wt", "checkout", "--quiet", "main"]);
    place.fire("branch-guard", &place.bash("git -C wt commit")).refusal("main in a worktree");
}

#[test]
fn a_workflow_without_an_active_branch_guards_nothing() {
    // covers: AC-04b AC-04c
    let branch = |value: serde_json::Value| {
        let mut state = state("06-implementation", "in_progress");
        state["active_workflow"]["git_branch"] = value;
        state
    };
    let states = [
        json!({"active_workflow": null}),
        json!({}),
        branch(json!(null)),
        branch(json!({"name": "feature/x", "status": "merged"})),
        branch(json!({"name": "feature/x"})),
        branch(json!({"status": "active"})),
        branch(json!({"name": "feature/gone", "status": "active"})),
        branch(json!({"name": "../../main; rm -rf /", "status": "active"})),
        branch(json!({"name": "main", "status": "active"})),
    ];
    let place = repository("main");
    for state in states {
        place.project.write(".isdlc/state.json", &state.to_string());
        place.fire("branch-guard", &place.bash("git commit")).assert_silent(&state.to_string());
    }
}

#[test]
fn packed_branches_exist_as_well() {
    // covers: AC-04
    let place = repository("main");
    place.project.git(&["pack-refs", "--all"]);
    assert!(!place.project.exists(".git/refs/heads/feature/x"));
    place.fire("branch-guard", &place.bash("git commit")).refusal("packed");
    place.fire("branch-guard", &place.bash("git checkout feature/x && git commit")).assert_silent("packed");
}

#[test]
fn the_protected_branches_can_be_configured() {
    // covers: FR-04
    let place = repository("trunk");
    place.fire("branch-guard", &place.bash("git commit")).assert_silent("trunk");
    place.project.write(".hookrail/hookrail.toml", "[isdlc]\nprotected_branches = [\"trunk\"]\n");
    place.fire("branch-guard", &place.bash("git commit")).refusal("trunk");
    place.fire("branch-guard", &place.bash("git checkout -b main && git commit")).assert_silent("main");
}

/// Damage done to a repository.
type Breakage = &'static dyn Fn(&WorkflowProject);

#[test]
fn trouble_with_git_blocks_no_commit() {
    // covers: AC-04e
    let broken: [(&str, Breakage); 4] = [
        ("no repository", &|place| std::fs::rename(place.project.at(".git"), place.project.at("aside")).unwrap()),
        ("an empty HEAD", &|place| place.project.write(".git/HEAD", "")),
        ("a binary HEAD", &|place| std::fs::write(place.project.at(".git/HEAD"), [0xff, 0xfe]).unwrap()),
        ("a .git that says nothing", &|place| {
            std::fs::rename(place.project.at(".git"), place.project.at("aside")).unwrap();
            place.project.write(".git", "nothing");
        }),
    ];
    for (case, break_it) in broken {
        let place = repository("main");
        break_it(&place);
        place.fire("branch-guard", &place.bash("git commit")).assert_silent(case);
    }
}
