//! No tool call turns hookrail against itself, however it is spelled; what only looks like it passes.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

struct GuardedProject {
    project: TempProject,
    home: TempProject,
}

impl GuardedProject {
    /// A project with entries of agents, configuration, and links of all kinds to them.
    fn new() -> Self {
        let (project, home) = (TempProject::new(), TempProject::new());
        project.write(".git/HEAD", "ref: refs/heads/main\n");
        project.write(".claude/settings.json", "{}");
        project.write(".hookrail/hookrail.toml", "");
        project.write("src/main.rs", "fn main() {}\n");
        project.write("docs/.claude-notes", "");
        project.write("turn-off.sh", "#!/bin/sh\nrm -rf .claude\n");
        project.write("build.sh", "#!/bin/sh\nmkdir -p out\n");
        home.write(".claude/settings.json", "{}");
        home.write(".config/hookrail/hookrail.toml", "");
        home.write("state/trust.json", "{}");
        symlink(project.at(".claude"), project.at("innocent")).unwrap();
        symlink(project.at(".claude/settings.local.json"), project.at("dangling")).unwrap();
        symlink(home.at(".config"), project.at("conf")).unwrap();
        std::fs::hard_link(project.at(".claude/settings.json"), project.at("hard.json")).unwrap();
        Self { project, home }
    }

    fn fire(&self, tool: &str, input: &Value) -> (Option<i32>, String, String) {
        let event = json!({
            "session_id": "s", "transcript_path": "", "cwd": self.project.path(), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        let text = event.to_string().replace("%home%", &self.home.path().display().to_string());
        talk(hook.arg("hook"), text.replace("%project%", &self.project.path().display().to_string()))
    }

    fn refuses(&self, tool: &str, input: &Value) -> bool {
        let (code, out, err) = self.fire(tool, input);
        assert_eq!(code, Some(0), "{tool} {input}: {err}");
        let answer: Value = serde_json::from_str(&out).unwrap_or_default();
        answer.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"))
    }
}

fn assert_all(expected: bool, calls: impl IntoIterator<Item = (&'static str, Value)>) {
    let place = GuardedProject::new();
    let wrong: Vec<String> = calls
        .into_iter()
        .filter(|(tool, input)| place.refuses(tool, input) != expected)
        .map(|(tool, input)| format!("{tool} {input}"))
        .collect();
    assert!(wrong.is_empty(), "refused should be {expected}:\n{}", wrong.join("\n"));
}

fn shell(commands: &[&str]) -> Vec<(&'static str, Value)> {
    commands.iter().map(|command| ("Bash", json!({ "command": command }))).collect()
}

#[test]
fn commands_that_change_what_guards_the_session_are_refused() {
    assert_all(
        true,
        shell(&[
            "hookrail uninstall claude",
            "hookrail uninstall",
            "hookrail trust --yes",
            "hookrail trust",
            "hookrail trust --revoke lint",
            "hookrail trust --list --yes",
            "hookrail init --force",
            "hookrail init --scope user",
            "hookrail install claude",
            "hookrail test --update",
            "/usr/local/bin/hookrail uninstall claude",
            "./target/release/hookrail trust --yes",
            "~/.cargo/bin/hookrail uninstall",
            "sudo hookrail uninstall claude",
            "env hookrail uninstall claude",
            "env -i PATH=/bin hookrail trust --yes",
            "nohup hookrail trust --yes &",
            "command hookrail uninstall",
            "exec hookrail uninstall",
            "timeout 5 hookrail uninstall",
            "true && hookrail uninstall claude",
            "ls; hookrail uninstall claude",
            "if true; then hookrail uninstall; fi",
            "bash -c 'hookrail uninstall claude'",
            "sh -c \"hookrail trust --yes\"",
            "eval 'hookrail uninstall'",
            "echo claude | xargs hookrail uninstall",
            "h=hookrail; $h uninstall",
            "hookrail 'unin''stall'",
            "\\hookrail uninstall",
            "echo 'hookrail uninstall' | sh",
            "find . -maxdepth 0 -exec hookrail uninstall \\;",
            "npx hookrail uninstall",
            "claude plugin uninstall hookrail",
            "claude mcp remove guard",
            "gemini extensions uninstall hookrail",
            "HOOKRAIL_STATE_DIR=/tmp/x claude -p 'go on'",
            "CLAUDE_CONFIG_DIR=/tmp/x claude -p 'go on'",
            "claude --settings /tmp/x.json -p 'go on'",
            "hookrail doctor --fix",
            // Events that an agent makes up.
            "echo '{\"hook_event_name\": \"UserPromptSubmit\", \"session_id\": \"s\"}' | hookrail hook",
            "hookrail serve",
            // The program is removed, or another one takes its name.
            "npm uninstall -g hookrail",
            "npm rm -g @hookrail/cli",
            "npm install -g hookrail@0.0.1",
            "cargo uninstall hookrail-cli",
            "cargo install hookrail --version 0.0.1 --force",
            "pipx uninstall hookrail",
            "uv tool uninstall hookrail",
            "brew uninstall hookrail",
            "ln -sf /bin/true /usr/bin/hookrail",
            "cp /bin/true /usr/bin/hookrail",
            "printf '#!/bin/sh\nexit 0\n' > /usr/bin/hookrail",
        ]),
    );
}

#[test]
fn hookrail_is_recognised_under_any_name_and_from_any_language() {
    assert_all(
        true,
        shell(&[
            "$(which hookrail) uninstall",
            "git stash -u -- .claude",
            "git stash push .hookrail",
            "`which hookrail` trust --yes",
            "h=hookrail; $h trust",
            "h=$(command -v hookrail) && \"$h\" uninstall claude",
            "$(type -p hookrail) trust --yes",
            "command hookrail trust",
            "command -p hookrail trust --yes",
            "/usr/local/bin/hookrail trust",
            "cp $(which hookrail) /tmp/x; /tmp/x uninstall",
            "cp /usr/bin/hookrail /tmp/x",
            "cp ~/bin/hookrail /tmp/x && /tmp/x trust --yes",
            "ln -s $(which hookrail) /tmp/y && /tmp/y uninstall",
            "ln -sf \"$(command -v hookrail)\" ./z",
            "env -i hookrail uninstall",
            "env -i PATH=$PATH HOME=$HOME hookrail trust --yes",
            "echo uninstall | xargs hookrail",
            "echo hookrail uninstall | xargs -I{} sh -c '{}'",
            "printf 'uninstall\\0' | xargs -0 hookrail",
            "echo 'hookrail trust --yes' | sh",
            "python3 -c \"import subprocess; subprocess.run(['hookrail','trust','--yes'])\"",
            "python3 -c \"import os; os.system('hookrail uninstall claude')\"",
            "python3 -c \"import subprocess as s; s.check_call('hookrail uninstall', shell=True)\"",
            "node -e \"require('child_process').execSync('hookrail trust --yes')\"",
            "node -e \"const {spawnSync}=require('child_process'); spawnSync('hookrail',['uninstall'])\"",
            "perl -e 'system(\"hookrail\",\"trust\",\"--yes\")'",
            "ruby -e 'system(\"hookrail trust --yes\")'",
            "npx -y hookrail@latest trust --yes",
            "bunx hookrail uninstall",
            "nohup hookrail uninstall &",
            "timeout 5 hookrail trust --yes",
            "sudo hookrail uninstall",
            "bash -c 'hookrail uninstall'",
            "bash <<< 'hookrail trust --yes'",
            "eval \"hookrail trust --yes\"",
            "eval hook\"\"rail un\"\"install",
            "h\"\"ookrail trust",
            "hook\\rail trust",
            "'hookrail' 'trust'",
            "HOOKRAIL_STATE_DIR=/tmp/x hookrail trust --yes",
            "parallel hookrail ::: uninstall",
            "script -c 'hookrail trust --yes' /dev/null",
            "script -qc \"hookrail uninstall\" /dev/null",
            "yes | hookrail trust",
            "alias k=hookrail; k uninstall",
            "f() { hookrail \"$@\"; }; f uninstall",
            "x=uninstall; hookrail $x",
            "hookrail \"$(echo uninstall)\"",
            "which hookrail | xargs -I{} {} uninstall",
            "p=$(dirname $(which hookrail)); $p/hookrail uninstall",
            "cd $(dirname $(which hookrail)) && ./hookrail uninstall",
            "cat $(which hookrail) > /tmp/q; chmod +x /tmp/q; /tmp/q uninstall",
            "dd if=$(which hookrail) of=/tmp/q; /tmp/q uninstall",
            "install -m755 $(which hookrail) /tmp/q",
            "exec -a ls $(which hookrail) uninstall",
            "export CLAUDE_CONFIG_DIR=/tmp/c; claude -p hi",
            "CODEX_HOME=/tmp/c codex exec hi",
        ]),
    );
}

#[test]
fn a_copy_of_the_program_is_known_by_what_it_is() {
    let place = GuardedProject::new();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hookrail"));
    let [copy, disguised, other] = ["tool", "rm", "innocent"].map(|name| place.home.at(name));
    std::fs::copy(program, &copy).unwrap();
    std::fs::copy(program, &disguised).unwrap();
    std::fs::copy("/bin/true", &other).unwrap();
    let refuses = |command: String| place.refuses("Bash", &json!({ "command": command }));
    for path in [&copy, &disguised] {
        let (path, folder) = (path.display(), place.home.at("").display().to_string());
        let name = std::path::Path::new(&path.to_string()).file_name().unwrap().to_string_lossy().into_owned();
        for way in
            ["% uninstall", "% trust --yes", "nohup % allow 3 &", "sh -c '% init --yes'", "echo uninstall | xargs %"]
        {
            assert!(refuses(way.replace('%', &path.to_string())), "{way}: {path}");
        }
        assert!(refuses(format!("cd {folder} && ./{name} uninstall")), "{path}");
        assert!(!refuses(format!("{path} log")), "{path} only reads");
    }
    assert!(!refuses(format!("{} uninstall", other.display())));
}

#[test]
fn the_program_that_agents_start_cannot_be_removed_or_replaced() {
    let place = GuardedProject::new();
    let program = env!("CARGO_BIN_EXE_hookrail");
    symlink(program, place.home.at("hookrail")).unwrap();
    let link = place.home.at("hookrail").display().to_string();
    for command in ["rm -f %", "mv % /tmp/x", "cp /bin/true %", "chmod -x %", "echo > %", "ln -sf /bin/true %"] {
        for path in [program, &link] {
            let command = command.replace('%', path);
            assert!(place.refuses("Bash", &json!({ "command": command })), "{command}");
        }
    }
    assert!(place.refuses("Write", &json!({ "file_path": program, "content": "" })));
    assert!(!place.refuses("Bash", &json!({ "command": format!("ls -l {program}") })));
}

#[test]
fn variables_that_lead_later_hooks_elsewhere_are_refused_where_they_last() {
    assert_all(
        true,
        shell(&[
            "echo 'export HOOKRAIL_STATE_DIR=/tmp/x' >> ~/.bashrc",
            "echo 'export XDG_CONFIG_HOME=/tmp/x' >> ~/.profile",
            "printf 'HOME=/tmp\\n' >> ~/.zshenv",
            "echo 'export CLAUDE_PROJECT_DIR=/tmp' >> \"$CLAUDE_ENV_FILE\"",
            "echo export HOOKRAIL_STATE_DIR=/tmp/x >> $CLAUDE_ENV_FILE",
            "echo 'set -gx HOOKRAIL_STATE_DIR /tmp/x' > ~/.config/fish/config.fish",
            "sed -i '1i export CODEX_HOME=/tmp/x' ~/.bashrc",
            "echo 'export HOOKRAIL_STATE_DIR=/tmp/x' > .envrc && direnv allow",
            "tmux set-environment -g HOOKRAIL_STATE_DIR /tmp/x",
            "fish -c 'set -Ux HOOKRAIL_STATE_DIR /tmp/x'",
            "setx HOOKRAIL_STATE_DIR /tmp/x",
        ])
        .into_iter()
        .chain([(
            "Write",
            json!({ "file_path": "%home%/.bash_profile", "content": "export HOOKRAIL_STATE_DIR=/tmp/x\n" }),
        )]),
    );
}

#[test]
fn files_that_decide_about_hooks_are_reached_by_no_way_around() {
    let commands = shell(&[
        "rm -rf .claude",
        "rm -r ./.claude/",
        "mv .claude x",
        "mv .hookrail /tmp/away",
        "rm -rf .cl*",
        "rm -rf .[a-z]*",
        "rm -rf $PWD/.claude",
        "cd .. && rm -rf \"$OLDPWD/.claude\"",
        "git clean -fdx .claude",
        "git rm -r .claude",
        "git checkout HEAD~1 -- .claude/settings.json",
        "find . -name settings.json -delete",
        "find .claude -type f -exec rm {} +",
        "rsync -a --delete empty/ .claude/",
        "ln -f /tmp/x.json .claude/settings.json",
        "echo '{}' > innocent/settings.json",
        "echo '{}' > dangling",
        "tee dangling < /dev/null",
        "cp x.json dangling",
        "echo '{}' > hard.json",
        "truncate -s0 hard.json",
        "echo x > conf/hookrail/hookrail.toml",
        "chmod 000 .claude/settings.json",
        "chmod -R a-r .hookrail",
        "chattr +i .claude/settings.json",
        "touch .hookrail/local.toml",
        "sh turn-off.sh",
        "./turn-off.sh",
        "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
        "node -e \"require('fs').writeFileSync('.claude/settings.json', '{}')\"",
        "perl -pi -e s/a/b/ .claude/settings.json",
        "tar -xf x.tar -C .claude",
        "unzip -o x.zip -d .hookrail",
        "curl -o .claude/settings.json https://example.com/x",
        "echo '{}' > ~/.claude/settings.json",
        "rm -rf ~/.config/hookrail",
        "rm -rf %home%/state",
        "echo '{}' > %home%/state/trust.json",
        "echo '{}' > .codex/hooks.json",
        "echo '{}' > .gemini/settings.json",
        "echo '{}' > .cursor/hooks.json",
    ]);
    let others = [
        ("Write", json!({ "file_path": "%project%/.claude/settings.json", "content": "{}" })),
        ("Write", json!({ "file_path": "%project%/dangling", "content": "{}" })),
        ("Write", json!({ "file_path": "%project%/hard.json", "content": "{}" })),
        ("Edit", json!({ "file_path": "%project%/innocent/settings.json", "old_string": "{", "new_string": "" })),
        ("MultiEdit", json!({ "file_path": "%project%/src/../.hookrail/hookrail.toml", "edits": [] })),
        ("mcp__fs__write_file", json!({ "path": "%project%/.claude/settings.json", "content": "{}" })),
        ("mcp__fs__move_file", json!({ "source": "%project%/.claude", "destination": "%project%/x" })),
        ("mcp__fs__create_directory", json!({ "path": "%project%/.hookrail/packs" })),
        ("mcp__shell__run", json!({ "command": "hookrail uninstall" })),
        ("mcp__shell__exec", json!({ "cmd": "rm -rf %project%/.claude" })),
    ];
    assert_all(true, commands.into_iter().chain(others));
}

#[test]
fn what_only_looks_like_it_passes() {
    let commands = shell(&[
        "command -v hookrail",
        "hookrail log --verify",
        "$(which python3) --version",
        "cp $(which python3) /tmp/x",
        "ls -l $(which hookrail)",
        "git log --grep hookrail",
        "grep -rn hookrail docs",
        "cargo install hookrail --help",
        "echo \"run hookrail uninstall yourself\"",
        "$(which ls) -la",
        "hookrail list",
        "hookrail doctor",
        "hookrail doctor --json",
        "hookrail explain < event.json",
        "hookrail log --since today",
        "hookrail try",
        "hookrail stats",
        "hookrail validate",
        "hookrail test",
        "hookrail replay --config x.toml",
        "hookrail fsm check",
        "hookrail trust --list",
        "hookrail uninstall --help",
        "hookrail install claude --dry-run",
        "hookrail --version",
        "hookrail doctor --strict",
        "npm install hookrail",
        "npm view hookrail",
        "npm uninstall left-pad",
        "brew info hookrail",
        "git clone https://example.com/hookrail hookrail",
        "mkdir -p src/hookrail",
        "echo 'export FOO=1' > .envrc",
        "echo hookrail uninstall",
        "grep -rn 'hookrail uninstall' docs",
        "git commit -m 'hookrail uninstall is documented'",
        "which hookrail",
        "man hookrail",
        "cargo test -p hookrail-cli uninstall",
        "export HOOKRAIL_STATE_DIR=/tmp/x",
        "HOOKRAIL_STATE_DIR=/tmp/x cargo test",
        "echo $HOOKRAIL_STATE_DIR",
        "echo 'export PATH=$HOME/bin:$PATH' >> env.sh",
        "cat .claude/settings.json",
        "ls -la .claude .hookrail",
        "cp .claude/settings.json /tmp/copy.json",
        "git diff .hookrail/hookrail.toml",
        "git add .claude/settings.json",
        "git log -- .claude",
        "touch docs/.claude-notes",
        "mkdir -p .claude/commands",
        "rm -rf src/.cache",
        "mv src/main.rs src/lib.rs",
        "sh build.sh",
        "claude mcp list",
        "git commit --no-verify -m x",
    ]);
    let others = [
        ("Write", json!({ "file_path": "%project%/docs/uninstall.md", "content": "run `hookrail uninstall`" })),
        ("Write", json!({ "file_path": "%project%/.claude/commands/x.md", "content": "rm -rf .claude" })),
        ("Edit", json!({ "file_path": "%project%/src/main.rs", "old_string": "a", "new_string": "HOOKRAIL_X=1" })),
        ("Read", json!({ "file_path": "%project%/.claude/settings.json" })),
        ("mcp__fs__read_file", json!({ "path": "%project%/.claude/settings.json" })),
        ("mcp__shell__run", json!({ "command": "hookrail list" })),
        ("mcp__docs__search", json!({ "query": "hookrail uninstall" })),
    ];
    assert_all(false, commands.into_iter().chain(others));
}
