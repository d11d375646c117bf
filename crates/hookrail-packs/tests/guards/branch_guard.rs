//! `isdlc/branch-guard`: `main` stays at its commit while the workflow has a branch of its own.

use crate::branch_spellings;
use crate::sandbox::{Guard, Sandbox, word};
use hookrail_packs::isdlc::BranchGuard;
use serde_json::json;

fn state() -> String {
    json!({
        "active_workflow": {
            "type": "feature", "phases": ["06-implementation"], "current_phase": "06-implementation",
            "git_branch": {"name": "feature/x", "status": "active"},
        },
        "phases": {"06-implementation": {"status": "in_progress"}},
    })
    .to_string()
}

/// On `main`, with the workflow's branch one commit ahead, a remote whose `main` is another one ahead, a worktree on the
/// branch `side`, and another repository in `other`.
pub fn sandbox(formats: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file(".isdlc/state.json", &state())
        .file("a.txt", "one\n")
        .file("src/b.txt", "two\n")
        .file("release.sh", "#!/bin/sh\ngit commit -q --allow-empty -m release\n")
        .file("Makefile", "save:\n\tgit commit -q --allow-empty -m make\n")
        .file("package.json", "{\"scripts\": {\"save\": \"git commit --allow-empty -m npm\"}}\n")
        .file("commit.py", "import subprocess\nsubprocess.run(['git', 'commit', '--allow-empty', '-m', 'py'])\n")
        .file(".gitignore", "other/\nwt/\n*.log\n")
        .file("mail.patch", MAIL);
    let init: Vec<&str> = ["init", "-q", "--template=", "-b", "main"].iter().chain(formats).copied().collect();
    std::fs::write(
        sandbox.home.join(".gitconfig"),
        "[user]\nname = me\nemail = me@example.com\n[alias]\nhome-save = commit -q\n",
    )
    .unwrap();
    sandbox.git(&init);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "first"]);
    sandbox.git(&["tag", "v1"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    sandbox.git(&["branch", "side"]);
    sandbox.git(&["switch", "-qc", "feature/x"]);
    sandbox.file("c.txt", "three\n");
    sandbox.git(&["add", "c.txt"]);
    sandbox.git(&["commit", "-qm", "third"]);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    sandbox.git(&["-C", "../remote.git", "update-ref", "refs/heads/main", "refs/heads/feature/x"]);
    for (key, value) in [
        ("alias.save", "commit -q"),
        ("alias.st", "status"),
        ("alias.all", "!git add -A && git commit -q --allow-empty -m all"),
        ("alias.twice", "save --allow-empty"),
        ("alias.fn", "!f() { git commit -q --allow-empty -m \"$1\"; }; f"),
        ("remote.origin.url", "../remote.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.main.remote", "origin"),
        ("branch.main.merge", "refs/heads/main"),
        ("pull.rebase", "false"),
    ] {
        sandbox.git(&["config", key, value]);
    }
    sandbox.git(&["init", "-q", "--template=", "-b", "main", "other"]);
    sandbox.git(&["-C", "other", "commit", "-q", "--allow-empty", "-m", "other"]);
    sandbox.git(&["worktree", "add", "-q", "wt", "side"]);
    // Relative, so that the whole can be copied.
    sandbox.file("wt/.git", "gitdir: ../.git/worktrees/wt\n").file(".git/worktrees/wt/gitdir", "../../../wt/.git\n");
    sandbox
}

const MAIL: &str = "From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001\nFrom: me <me@example.com>\n\
Date: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: [PATCH] mailed\n\n---\n m.txt | 1 +\n 1 file changed, 1 insertion(+)\n \
create mode 100644 m.txt\n\ndiff --git a/m.txt b/m.txt\nnew file mode 100644\nindex 0000000..7898192\n--- /dev/null\n\
+++ b/m.txt\n@@ -0,0 +1 @@\n+a\n-- \n2.40.0\n";

/// Where `main` is, here and at the remote.
fn watch(sandbox: &Sandbox) -> String {
    let at = |folder: &str| {
        let args = ["-C", folder, "for-each-ref", "--format=%(objectname)", "refs/heads/main"];
        sandbox.git(&args)
    };
    format!("{} {}", at("."), at("../remote.git"))
}

const CHANGES: &[&str] = &[
    // Commits, however they are written.
    "git commit --allow-empty -m x",
    "git commit -q --allow-empty --message='git switch feature/x'",
    "echo y >> a.txt; git commit -am x",
    "echo y >> a.txt && git add -A && git commit -m \"a b\"",
    "echo y >> a.txt\ngit add a.txt\ngit commit -m x",
    "git commit --amend --no-edit --date=2020-01-01T00:00:00",
    "git   commit\t--allow-empty   -m x",
    "git commit --allow-empty -m --dry-run",
    "git commit --allow-empty -m x -- --help; git commit --allow-empty -m y",
    "git commit --allow-empty -F - <<< message",
    "git commit --allow-empty -m \"$(cat <<'EOF'\nIt's done :)\n\nCo-authored-by: x\nEOF\n)\"",
    "git status || true; git commit --allow-empty -m x",
    "git status && git commit --allow-empty -m x",
    "git diff --quiet; git commit --allow-empty -m x",
    "if git diff --quiet; then git commit --allow-empty -m x; fi",
    "if git diff --quiet; then echo; else git commit -m x; fi; git commit --allow-empty -m x",
    "for i in 1 2; do git commit --allow-empty -m $i; done",
    "while true; do git commit --allow-empty -m x; break; done",
    "case a in a) git commit --allow-empty -m x;; esac",
    "(git commit --allow-empty -m x)",
    "{ git commit --allow-empty -m x; }",
    "echo \"$(git commit --allow-empty -m x)\"",
    "git commit --allow-empty -m x > out.log 2>&1",
    "git commit --allow-empty -m x & wait",
    "! git commit --allow-empty -m x",
    "true | git commit --allow-empty -m x",
    "echo message | git commit --allow-empty -F -",
    "f() { git commit --allow-empty -m \"$1\"; }; f x",
    "trap 'git commit --allow-empty -m x' EXIT",
    // Wrappers and shells.
    "GIT_AUTHOR_NAME=me git commit --allow-empty -m x",
    "env A=1 git commit --allow-empty -m x",
    "command git commit --allow-empty -m x",
    "nice -n 10 git commit --allow-empty -m x",
    "timeout 60 git commit --allow-empty -m x",
    "nohup git commit --allow-empty -m x",
    "time git commit --allow-empty -m x",
    "/usr/bin/git commit --allow-empty -m x",
    "g\\it commit --allow-empty -m x",
    "git 'commit' --allow-empty -m x",
    "\"git\" com\"mit\" --allow-empty -m x",
    "$(git --exec-path)/git-commit --allow-empty -m x; git commit --allow-empty -m y",
    "bash -c 'git commit --allow-empty -m x'",
    "bash -lc \"cd src && git commit --allow-empty -m x\"",
    "sh <<'EOF'\ngit commit --allow-empty -m x\nEOF",
    "echo 'git commit --allow-empty -m x' | sh",
    "eval 'git commit --allow-empty -m x'",
    "G=git; $G commit --allow-empty -m x",
    "C=commit; git $C --allow-empty -m x",
    "args='commit --allow-empty -m x'; git $args",
    "echo x | xargs git commit --allow-empty -m",
    "find . -maxdepth 1 -name a.txt -exec git commit --allow-empty -m x \\;",
    "sh release.sh",
    "bash ./release.sh",
    "make -s save",
    "python3 commit.py",
    "python3 -c \"import os; os.system('git commit --allow-empty -m x')\"",
    "node -e \"require('child_process').execSync('git commit --allow-empty -m x')\"",
    // git's own options, and where the repository is.
    "git -C src commit --allow-empty -m x",
    "git -C . -C src commit --allow-empty -m x",
    "git -c user.name=you commit --allow-empty -m x",
    "git --no-pager -c a.b=c commit --allow-empty -m x",
    "git --git-dir .git commit --allow-empty -m x",
    "git --git-dir=.git --work-tree=. commit --allow-empty -m x",
    "GIT_DIR=.git git commit --allow-empty -m x",
    "export GIT_DIR=$PWD/.git; cd /; git commit --allow-empty -m x",
    "cd other && GIT_DIR=../.git git commit --allow-empty -m x",
    "cd src && git commit --allow-empty -m x",
    "cd src && cd .. && git commit --allow-empty -m x",
    "cd \"$(git rev-parse --show-toplevel)\" && git commit --allow-empty -m x",
    "cd $PWD/src && git commit --allow-empty -m x",
    "(cd other && git status); git commit --allow-empty -m x",
    "cd other; cd - > /dev/null; git commit --allow-empty -m x",
    "cd nowhere; git commit --allow-empty -m x",
    "git -C ~/p commit --allow-empty -m x",
    "pushd src > /dev/null; git commit --allow-empty -m x",
    "cd wt && git -C .. commit --allow-empty -m x",
    // Aliases.
    "git save --allow-empty -m x",
    "git all",
    "git twice -m x",
    "git fn hello",
    "git home-save --allow-empty -m x",
    "git -c alias.z=commit z --allow-empty -m x",
    "git -c alias.z='!git commit --allow-empty -m z' z",
    "git config alias.q 'commit --allow-empty' && git q -m x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.e GIT_CONFIG_VALUE_0=commit git e --allow-empty -m x",
    // Whatever else moves a branch.
    "git merge feature/x",
    "git merge --ff-only feature/x",
    "git merge --no-ff -m merged feature/x",
    "git cherry-pick feature/x",
    "git cherry-pick -x feature/x",
    "git revert --no-edit HEAD~1; git revert --no-edit v1; git cherry-pick feature/x",
    "git am mail.patch",
    "git am < mail.patch",
    "git rebase feature/x",
    "git rebase --root --quiet; git rebase feature/x",
    "git switch -q feature/x && git rebase feature/x main",
    "git pull",
    "git pull --ff-only origin main",
    "git pull --rebase",
    "git pull . feature/x",
    "git reset --hard feature/x",
    "git reset --soft HEAD~1",
    "git reset v1",
    "git update-ref refs/heads/main feature/x",
    "git update-ref HEAD feature/x",
    "echo \"update refs/heads/main $(git rev-parse feature/x)\" | git update-ref --stdin",
    "git branch -f feature/y v1; git switch -q feature/x; git branch -f main feature/x",
    "git switch -q feature/x; git branch -M feature/x main",
    "git switch -qC main feature/x",
    "git checkout -q -B main feature/x",
    "git push -q . feature/x:main --force; git switch -q feature/x; git push -q . HEAD:main",
    "git push -q origin feature/x~1:main --force",
    "git switch -q side2 2>/dev/null || git switch -qc side2; git fetch -q . feature/x:main",
    "git fetch -q origin; git switch -qc tmp; git fetch -q origin main:main",
    "git switch -q feature/x && git branch -D main",
    "git commit-tree -m x HEAD^{tree} | xargs git reset --hard",
    "git rev-parse feature/x > .git/refs/heads/main",
    "cp .git/refs/heads/feature/x .git/refs/heads/main",
    "git subtree add -P sub feature/x; git merge feature/x",
    // Switches that do not happen, or may not.
    "git switch no-such-branch; git commit --allow-empty -m x",
    "git checkout no-such-thing; git commit --allow-empty -m x",
    "git switch v1; git commit --allow-empty -m x",
    "git switch -c feature/x; git commit --allow-empty -m x",
    "git checkout -b bad..name; git commit --allow-empty -m x",
    "git switch -c y no-such-start; git commit --allow-empty -m x",
    "git switch side; git commit --allow-empty -m x",
    "git switch --dry-run feature/x; git commit --allow-empty -m x",
    "git checkout feature/x -- c.txt && git commit -m x",
    "git checkout a.txt && git commit --allow-empty -m x",
    "git branch feature/y && git commit --allow-empty -m x",
    "false && git switch feature/x; git commit --allow-empty -m x",
    "true || git switch feature/x; git commit --allow-empty -m x",
    "[ -d nowhere ] && git switch feature/x; git commit --allow-empty -m x",
    "test -n \"$NOPE\" && git switch feature/x; git commit --allow-empty -m x",
    "if [ -n \"$NOPE\" ]; then git switch feature/x; fi; git commit --allow-empty -m x",
    "grep -q nothing a.txt && git switch feature/x; git commit --allow-empty -m x",
    "case \"$NOPE\" in y) git switch feature/x;; esac; git commit --allow-empty -m x",
    "for b in $NOPE; do git switch \"$b\"; done; git commit --allow-empty -m x",
    "git switch -q feature/x && git switch -q main && git commit --allow-empty -m x",
    "git switch -q feature/x; git switch -q -; git commit --allow-empty -m x",
    "git switch -q feature/x; git checkout -q main; git commit --allow-empty -m x",
    "git -C other switch -qc z && git commit --allow-empty -m x",
    "cd other && git switch -qc z; cd .. && git commit --allow-empty -m x",
    "git switch -q nothing || git commit --allow-empty -m x",
    "if git switch -q nothing; then :; else git commit --allow-empty -m x; fi",
    "echo git switch feature/x; git commit --allow-empty -m x",
    "# git switch feature/x\ngit commit --allow-empty -m x",
    "git worktree add -q -B main2 w2 && git commit --allow-empty -m x",
    "git symbolic-ref HEAD refs/heads/feature/x && git symbolic-ref HEAD refs/heads/main && git commit --allow-empty -m x",
    // Forced pushes, and what takes the name away.
    "git --git-dir=\"$(git rev-parse --git-dir)\" commit --allow-empty -m x",
    "git switch -q feature/x && git branch -m main old",
    "git push -q -f",
    "git push -q --mirror origin",
    "git push -q --all -f origin",
    "git push -q origin 'refs/heads/*:refs/heads/*' -f",
    "git push -q origin HEAD -f",
    "git push -q origin main -f",
    "git push -q origin HEAD:refs/heads/main --force",
    // Conditions that hold, and commits that are looked up.
    "[ \"$(git branch --show-current)\" = main ] && git commit --allow-empty -m x",
    "[ -f a.txt ] && git commit --allow-empty -m x",
    "[ -f nope ] || git commit --allow-empty -m x",
    "touch nope; [ -f nope ] && git commit --allow-empty -m x",
    "if [ -f nope ]; then :; else git commit --allow-empty -m x; fi",
    "[ \"$(git branch --show-current)\" != side ] && git commit --allow-empty -m x",
    "git switch -q main; [ \"$(git branch --show-current)\" != side ] && git commit --allow-empty -m x",
    "case \"$(git branch --show-current)\" in main) git commit --allow-empty -m x;; esac",
    "B=$(git branch --show-current); git checkout -q side; git checkout -q \"$B\"; git commit --allow-empty -m x",
    "git checkout -q $(git rev-parse v1); git checkout -q -; git commit --allow-empty -m x",
    "git checkout -q $(git rev-parse v1); git branch -f main HEAD",
    "git checkout -q $(git branch --list main --format='%(refname:short)'); git commit --allow-empty -m x",
    "git for-each-ref --format='git update-ref -d %(refname)' refs/heads/main | sh",
    "git for-each-ref --format='%(refname)' refs/heads | xargs -n1 git update-ref -d",
];

const LOOK_ALIKES: &[&str] = &[
    "ls",
    "git status",
    "git log --oneline --grep commit",
    "git log main..feature/x",
    "git diff main feature/x",
    "git show main",
    "git push origin main",
    "git push -q origin feature/x",
    "git push -q -u origin feature/x:feature/x",
    "git push -q origin feature/x:feature/z",
    "git fetch origin",
    "git fetch -q origin main",
    "git commit-tree -m x HEAD^{tree}",
    "git commit --dry-run",
    "git commit --short",
    "git commit --help | head -1",
    "git --help commit | head -1",
    "git help commit | head -1",
    "git st",
    "git -c alias.z=status z",
    "git nothing",
    "git add -A",
    "git stash list",
    "git stash; git stash pop",
    "git tag -m 'git commit' v2",
    "git branch feature/y",
    "git branch feature/y feature/x",
    "git branch -D side; true",
    "git branch --list main",
    "git branch -vv",
    "git config user.name x",
    "git rev-parse main",
    "git merge-base main feature/x",
    "git cherry main feature/x",
    "git merge --abort; true",
    "git rebase --abort; true",
    "git reset",
    "git reset --hard",
    "git reset HEAD a.txt",
    "git reset -- a.txt",
    "git reset --hard HEAD",
    "git merge --squash feature/x",
    "git cherry-pick --no-commit feature/x",
    "git clean -n",
    "git checkout -- a.txt",
    "git restore a.txt",
    "git update-ref refs/heads/feature/z feature/x",
    "git notes add -m 'on main' HEAD",
    "git worktree list",
    "echo \"git commit\"",
    "echo git commit -m x",
    "printf 'git commit\\n' > todo.log",
    "grep -rn 'git commit' . --include='*.sh'",
    "# git commit",
    "cat <<EOF\ngit commit -m x\nEOF",
    "cat > note.log <<'EOF'\ngit merge feature/x\nEOF",
    "alias gc='git commit'; true",
    "false && git commit --allow-empty -m x; true",
    "true || git commit --allow-empty -m x",
    "if false; then git commit --allow-empty -m x; fi",
    "command echo git commit",
    "type git; which git",
    "bash -n release.sh",
    "make -n save",
    "python3 -c \"print('git commit -m x')\"",
    // Commits that land elsewhere.
    "git checkout -q feature/x && git commit --allow-empty -m x",
    "git switch -q feature/x && git commit --allow-empty -m x",
    "git switch -q feature/x; git add -A; git commit --allow-empty -m x",
    "git switch -q feature/x\ngit commit --allow-empty -m x",
    "git switch feature/x 2>&1 | tail -1 && git commit --allow-empty -m x",
    "(git switch -q feature/x); git commit --allow-empty -m x",
    "bash -c 'git switch -q feature/x' && git commit --allow-empty -m x",
    "git switch -q feature/x || exit 1; git commit --allow-empty -m x",
    "git switch -q nothing || git switch -q feature/x; git commit --allow-empty -m x",
    "git switch -q feature/y 2>/dev/null || git switch -qc feature/y; git commit --allow-empty -m x",
    "if ! git switch -q feature/x; then exit 1; fi; git commit --allow-empty -m x",
    "if git switch -q feature/x; then git commit --allow-empty -m x; fi",
    "[ \"$(git branch --show-current)\" = main ] && git switch -q feature/x; git commit --allow-empty -m x",
    "git checkout -q -b feature/y && git commit --allow-empty -m x",
    "git switch -c feature/y && git commit --allow-empty -m x",
    "git switch --create=feature/y && git commit --allow-empty -m x",
    "git checkout -qb feature/y main && git commit --allow-empty -m x",
    "git checkout -q --orphan pages && git commit --allow-empty -m x",
    "git branch feature/y && git checkout -q feature/y && git commit --allow-empty -m x",
    "git checkout -q --detach && git commit --allow-empty -m x",
    "git checkout -q v1 && git commit --allow-empty -m x",
    "git checkout -q HEAD~1 && git commit --allow-empty -m x",
    "git -C src switch -q feature/x && git commit --allow-empty -m x",
    "git switch -q feature/x && git merge -q main && git commit --allow-empty -m x",
    "git switch -q feature/x && git rebase -q main",
    "git switch -q feature/x && git cherry-pick v1; git switch -q feature/x",
    "git switch -q feature/x && git reset -q --hard HEAD~1",
    "git switch -q feature/x && git pull -q . side",
    "git symbolic-ref HEAD refs/heads/feature/x && git commit --allow-empty -m x",
    "git stash branch fresh; git switch -q feature/x && git commit --allow-empty -m x",
    "cd other && git commit --allow-empty -m x",
    "git -C other commit --allow-empty -m x",
    "(cd other && git commit --allow-empty -m x)",
    "git --git-dir=other/.git commit --allow-empty -m x",
    "GIT_DIR=other/.git git commit --allow-empty -m x",
    "cd wt && git commit --allow-empty -m x",
    "git -C wt commit --allow-empty -m x",
    "git -C wt merge feature/x",
    "cd / && git commit --allow-empty -m x",
    "git init -q fresh && cd fresh && git commit --allow-empty -m x",
    "git clone -q ../remote.git copy && cd copy && git commit --allow-empty -m x",
    "git worktree add -q w2 -b feature/w && cd w2 && git commit --allow-empty -m x",
    "git worktree add -q ../w3 feature/x && git -C ../w3 commit --allow-empty -m x",
    "d=$(mktemp -d); git init -q \"$d\"; git -C \"$d\" commit --allow-empty -m x",
    "git branch -m side side2",
    "git push -n origin +v1:main",
    "git push -q -f origin feature/x",
    "git push -q origin --delete side",
    "git fetch origin main:refs/remotes/origin/main",
    // Conditions that do not hold, and commits that are looked up.
    "[ 1 = 2 ] && git commit --allow-empty -m x",
    "[ -z \"x\" ] && git commit --allow-empty -m x",
    "[[ -n \"\" ]] && git commit --allow-empty -m x",
    "(( 0 )) && git commit --allow-empty -m x",
    "[ 1 -gt 2 ] && git commit --allow-empty -m x",
    "! true && git commit --allow-empty -m x",
    "git checkout -q $(git rev-parse v1) && git commit --allow-empty -m x",
    "git checkout $(git rev-parse v1)",
    "git checkout \"$(git rev-parse HEAD~1)\"",
    "git switch --detach $(git rev-parse v1) && git commit --allow-empty -m x",
    "git checkout -q `git rev-parse v1`; git commit --allow-empty -m x",
    "git checkout $(git describe --tags)",
    "git checkout $(git merge-base main side)",
    "git checkout $(git rev-list -1 main)",
    "git checkout -q \"$(git log -1 --format=%H)\"; git commit --allow-empty -m x",
];

pub fn guard(sandbox: Sandbox) -> Guard<'static> {
    Guard { hook: &BranchGuard, sandbox, settings: json!({}), watch, verdict: word, event: "PreToolUse" }
}

#[test]
fn whatever_moves_main_is_refused_and_commits_that_land_elsewhere_are_not() {
    assert!(CHANGES.len() >= 120, "{}", CHANGES.len());
    guard(sandbox(&[])).judge(CHANGES, LOOK_ALIKES);
}

#[test]
fn less_usual_spellings_are_told_apart_as_well() {
    guard(sandbox(&[])).judge(branch_spellings::CHANGES, branch_spellings::LOOK_ALIKES);
}

#[test]
fn a_repository_with_reftable_is_read_as_well() {
    let changes = [
        "git commit --allow-empty -m x",
        "git switch no-such-branch; git commit --allow-empty -m x",
        "git merge -q feature/x",
        "git switch -q feature/x && git switch -q main && git commit --allow-empty -m x",
        "git update-ref refs/heads/main feature/x",
        "cd src && git commit --allow-empty -m x",
    ];
    let look_alikes = [
        "git switch -q feature/x && git commit --allow-empty -m x",
        "git switch -qc fresh && git commit --allow-empty -m x",
        "git -C wt commit --allow-empty -m x",
        "git status",
    ];
    guard(sandbox(&["--ref-format=reftable"])).judge(&changes, &look_alikes);
}

#[test]
fn tools_of_servers_commit_where_the_repository_is() {
    let sandbox = sandbox(&[]);
    let world = sandbox.world(json!({}));
    let other = sandbox.project.join("other");
    for (tool, input, expected) in [
        ("mcp__git__git_commit", json!({"repo_path": sandbox.project, "message": "x"}), "deny"),
        ("mcp__git__git_merge", json!({"repo_path": ".", "branch": "feature/x"}), "deny"),
        ("mcp__git__git_commit", json!({"repo_path": other, "message": "x"}), "silent"),
        ("mcp__git__git_commit", json!({"repo_path": "wt", "message": "x"}), "silent"),
        ("mcp__git__git_status", json!({"repo_path": sandbox.project}), "silent"),
        ("mcp__git__git_log", json!({"repo_path": sandbox.project}), "silent"),
        ("mcp__shell__run", json!({"command": "git commit -m x"}), "deny"),
        ("Write", json!({"file_path": ".git/refs/heads/main", "content": "0"}), "deny"),
        ("Write", json!({"file_path": "git-commit.md", "content": "git commit"}), "silent"),
        ("Bash", json!({"command": "git \"$WHAT\" -m x"}), "ask"),
    ] {
        assert_eq!(word(&BranchGuard, &sandbox.call(tool, input.clone()), &world), expected, "{tool} {input}");
    }
}
