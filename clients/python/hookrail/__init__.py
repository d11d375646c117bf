"""Lets an agent written in Python ask its user's hooks before and after tools and model calls."""

from .binary import find_binary
from .client import AsyncHookClient, HookClient
from .connection import HookRequestError, HookServerError
from .model import ModelCall, ToolRestriction, call_model_with_hooks, call_model_with_hooks_async, offers_tools, with_note
from .tools import (
    ToolExecution,
    ToolNotRun,
    ToolResult,
    annotation,
    append_text,
    apply_after_tool,
    execute_tool_with_hooks,
    execute_tool_with_hooks_async,
    run_tool_with_hooks,
    run_tool_with_hooks_async,
)
from .turn import REFUSED_STOPS, TurnEnd, TurnPrompt, run_turn_with_hooks, run_turn_with_hooks_async
from .wire import HookResult, HookRun, Session, SessionInfo

__all__ = [
    "REFUSED_STOPS",
    "AsyncHookClient",
    "HookClient",
    "HookRequestError",
    "HookResult",
    "HookRun",
    "HookServerError",
    "ModelCall",
    "Session",
    "SessionInfo",
    "ToolExecution",
    "ToolNotRun",
    "ToolRestriction",
    "ToolResult",
    "TurnEnd",
    "TurnPrompt",
    "annotation",
    "append_text",
    "apply_after_tool",
    "call_model_with_hooks",
    "call_model_with_hooks_async",
    "execute_tool_with_hooks",
    "execute_tool_with_hooks_async",
    "find_binary",
    "offers_tools",
    "run_tool_with_hooks",
    "run_tool_with_hooks_async",
    "run_turn_with_hooks",
    "run_turn_with_hooks_async",
    "with_note",
]
