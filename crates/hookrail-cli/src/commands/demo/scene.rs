//! What happens in the demo: the hooks that are there, and the events they see.

/// A hook script of the demo's project.
pub struct Script {
    pub name: &'static str,
    pub event: &'static str,
    pub matcher: &'static str,
    pub timeout_ms: u64,
    pub on_error: &'static str,
    pub text: &'static str,
}

pub const SCRIPTS: &[Script] = &[
    Script {
        name: "no-force-push",
        event: "BeforeTool",
        matcher: "run_shell_command",
        timeout_ms: 5000,
        on_error: "deny",
        text: "if grep -q 'push.*--force'; then echo 'a forced push rewrites what others build on; push without --force' >&2; exit 2; fi",
    },
    Script {
        name: "polite-shell",
        event: "BeforeTool",
        matcher: "run_shell_command",
        timeout_ms: 5000,
        on_error: "allow",
        text: r#"if grep -q 'rm -rf'; then echo '{"hookSpecificOutput":{"tool_input":{"command":"rm -ri build"}}}'; fi"#,
    },
    Script {
        name: "lint",
        event: "AfterTool",
        matcher: "write_file",
        timeout_ms: 5000,
        on_error: "allow",
        text: r#"echo '{"systemMessage":"lint: 1 warning in src/main.rs","hookSpecificOutput":{"additionalContext":"unused variable `x` in line 3"}}'"#,
    },
    Script {
        name: "slow-check",
        event: "AfterTool",
        matcher: "write_file",
        timeout_ms: 200,
        on_error: "allow",
        text: "sleep 10",
    },
    Script {
        name: "office-hours",
        event: "BeforeAgent",
        matcher: "*",
        timeout_ms: 5000,
        on_error: "allow",
        text: r#"if grep -q 'deploy'; then echo '{"continue":false,"stopReason":"deployments are done by people"}'; fi"#,
    },
];

/// One sample event.
pub struct Scene {
    pub title: &'static str,
    pub event: &'static str,
    /// The event's own fields, as JSON.
    pub payload: &'static str,
}

pub const SCENES: &[Scene] = &[
    Scene {
        title: "the agent reads a file: no hook minds",
        event: "BeforeTool",
        payload: r#"{"tool_name": "read_file", "tool_input": {"path": "src/main.rs"}}"#,
    },
    Scene {
        title: "the agent writes into .env: a native guard refuses",
        event: "BeforeTool",
        payload: r#"{"tool_name": "write_file", "tool_input": {"path": ".env", "content": "TOKEN=1"}}"#,
    },
    Scene {
        title: "a forced push: a shell script refuses, with exit code 2",
        event: "BeforeTool",
        payload: r#"{"tool_name": "run_shell_command", "tool_input": {"command": "git push --force"}}"#,
    },
    Scene {
        title: "a dangerous command: a hook rewrites it",
        event: "BeforeTool",
        payload: r#"{"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf build"}}"#,
    },
    Scene {
        title: "after a write: one hook comments, another one is too slow",
        event: "AfterTool",
        payload: r#"{"tool_name": "write_file", "tool_input": {"path": "src/main.rs"}, "tool_response": {"llmContent": "written"}}"#,
    },
    Scene {
        title: "a prompt that must not be worked on: the agent is stopped",
        event: "BeforeAgent",
        payload: r#"{"prompt": "deploy to production"}"#,
    },
];
