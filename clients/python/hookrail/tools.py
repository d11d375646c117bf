"""Tool calls with hooks around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Literal, Optional, Union

from .client import AsyncHookClient, HookClient
from .steps import Steps, run, run_async, unwrap
from .wire import HookResult, Json, JsonObject

#: `llmContent` for the model (text or a list of parts), `returnDisplay` for the person, `metadata`, `error`, and
#: `suppressDisplay` if the person is not to be shown it.
ToolResult = JsonObject


class ToolNotRun(Exception):
    """Raised by a tool that does not want to run with the arguments hooks left it."""


@dataclass(frozen=True)
class ToolExecution:
    """A tool call from the first hook to the last."""

    result: ToolResult
    #: The arguments the tool ran with, or would have.
    input: JsonObject
    #: The tool ran, a hook refused it, or it did not run although no hook objected.
    ending: Literal["ran", "blocked", "notRun"]
    #: The agent's loop must end, for this reason.
    stop: Optional[str] = None
    #: What hooks that failed left to say. The model is told beside the result, which they must not change.
    warnings: list[str] = field(default_factory=list)


def run_tool_with_hooks(
    hooks: HookClient,
    tool_name: str,
    tool_input: JsonObject,
    execute: Callable[[JsonObject], ToolResult],
    *,
    mcp_context: Optional[JsonObject] = None,
) -> ToolExecution:
    """Runs a tool as its hooks want it: refused, with other arguments, with something to add to its result.

    What `execute` raises is the caller's, but for a `ToolNotRun`, which becomes the result.
    """
    return run(_tool_steps(hooks, tool_name, tool_input, execute, mcp_context))


async def run_tool_with_hooks_async(
    hooks: AsyncHookClient,
    tool_name: str,
    tool_input: JsonObject,
    execute: Callable[[JsonObject], Union[ToolResult, Awaitable[ToolResult]]],
    *,
    mcp_context: Optional[JsonObject] = None,
) -> ToolExecution:
    """`run_tool_with_hooks` for asyncio."""
    return await run_async(_tool_steps(hooks, tool_name, tool_input, execute, mcp_context))


def execute_tool_with_hooks(
    hooks: HookClient,
    tool_name: str,
    tool_input: JsonObject,
    execute: Callable[[JsonObject], ToolResult],
    *,
    mcp_context: Optional[JsonObject] = None,
) -> ToolResult:
    """`run_tool_with_hooks`, if only the result matters."""
    return run_tool_with_hooks(hooks, tool_name, tool_input, execute, mcp_context=mcp_context).result


async def execute_tool_with_hooks_async(
    hooks: AsyncHookClient,
    tool_name: str,
    tool_input: JsonObject,
    execute: Callable[[JsonObject], Union[ToolResult, Awaitable[ToolResult]]],
    *,
    mcp_context: Optional[JsonObject] = None,
) -> ToolResult:
    """`execute_tool_with_hooks` for asyncio."""
    done = await run_tool_with_hooks_async(hooks, tool_name, tool_input, execute, mcp_context=mcp_context)
    return done.result


def _tool_steps(
    hooks: Any, name: str, tool_input: JsonObject, execute: Callable[[JsonObject], Any], mcp_context: Optional[JsonObject]
) -> Steps[ToolExecution]:
    before: HookResult = unwrap((yield lambda: hooks.before_tool(name, tool_input, mcp_context=mcp_context)))
    if before.blocked:
        refused = with_system_message({"llmContent": before.reason, "returnDisplay": before.reason}, before)
        return ToolExecution(refused, tool_input, "blocked", before.stop_reason, before.warnings)
    arguments = before.tool_input
    outcome = yield lambda: execute(arguments)
    try:
        result: ToolResult = unwrap(outcome)
    except ToolNotRun as error:
        failed = {"llmContent": str(error), "returnDisplay": str(error), "error": {"message": str(error)}}
        return ToolExecution(with_system_message(failed, before), arguments, "notRun", None, before.warnings)
    response = {key: result.get(key) for key in ("llmContent", "returnDisplay")}
    response["metadata"] = result.get("metadata") or {}
    if result.get("error") is not None:
        response["error"] = result["error"]
    after: HookResult = unwrap((yield lambda: hooks.after_tool(name, arguments, response, mcp_context=mcp_context)))
    applied = apply_after_tool(with_system_message(result, before), after)
    return ToolExecution(applied, arguments, "ran", after.stop_reason, [*before.warnings, *after.warnings])


def apply_after_tool(result: ToolResult, after: HookResult) -> ToolResult:
    """A tool's result with what AfterTool hooks said. A block cannot undo what happened; the model is told its reason."""
    replaced = (after.hook_specific_output or {}).get("updatedToolOutput")
    content = result.get("llmContent") if replaced is None else replaced
    if after.context:
        content = append_text(content, f"\n\n{after.context}")
    if (after.output or {}).get("decision") in ("block", "deny") and after.reason:
        content = append_text(content, f"\n\n{after.reason}")
    applied = with_system_message({**result, "llmContent": content}, after)
    return {**applied, "suppressDisplay": True} if after.suppress_output else applied


def with_system_message(result: ToolResult, said: HookResult) -> ToolResult:
    """A hook's system message is for the model, never for the screen."""
    if not said.system_message:
        return result
    return {**result, "llmContent": append_text(result.get("llmContent"), annotation(said.system_message))}


def annotation(message: str) -> str:
    """A hook's system message as the model reads it."""
    return f"\n\n[System] {message}"


def append_text(content: Json, text: str) -> Json:
    """Content for a model with text at its end, whatever form the content has."""
    if isinstance(content, str):
        return content + text
    if isinstance(content, list):
        return [*content, {"text": text}]
    if content is None:
        return text.lstrip()
    return [content, {"text": text}]
