//! Coding agents and hookrail itself.

use super::Row;

pub(super) const ROWS: &[Row] = &[
    ("hookrail", "@hookrail --config= --layer= _*", "hookrail uninstall => guard.change hookrail uninstall"),
    ("hookrail-hook", "=hookrail", ""),
    ("hookrail-sh", "=hookrail", ""),
    (
        "claude",
        "@agent --model= --settings= --mcp-config= --add-dir= --permission-mode= --allowedTools= --disallowedTools= --append-system-prompt= --system-prompt= --output-format= -r= --resume= --session-id= _*",
        "claude -p x => agent.spawn",
    ),
    (
        "codex",
        "@agent -m= -c= -s= -a= -C=c --model= --sandbox= --config= --profile= -p= --ask-for-approval= --cd=c _*",
        "codex exec x => agent.spawn",
    ),
    ("gemini", "@agent -m= -p= --model= --prompt= --approval-mode= _*", "gemini -p x => agent.spawn"),
    ("llxprt", "=gemini", ""),
    ("qwen", "=gemini", ""),
    ("cursor-agent", "@agent -p -m= --model= _*", "cursor-agent -p x => agent.spawn"),
    ("opencode", "@agent -m= --model= _*", "opencode run x => agent.spawn"),
    ("aider", "@agent -m= --message= --model= _*", "aider -m x => agent.spawn"),
    ("goose-ai", "@agent _*", "goose-ai run => agent.spawn"),
    ("amp", "@agent -x= _*", "amp -x y => agent.spawn"),
    ("droid", "@agent -m= --model= --auto= _*", "droid exec x => agent.spawn"),
    ("q", "@agent _*", "q chat x => agent.spawn"),
    ("kiro", "@agent _*", "kiro chat x => agent.spawn"),
    ("crush", "@agent _*", "crush run x => agent.spawn"),
    ("ollama", "exec.run _*", "ollama run x => exec.run"),
    ("llm", "net.send _*", "llm x => net.send"),
    ("apply_patch", "@apply_patch _*", "apply_patch '*** Add File: a' => fs.write a"),
    ("applypatch", "=apply_patch", ""),
];
