"""Model calls and choices of tools with hooks around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Optional

from .client import AsyncHookClient, HookClient
from .steps import Steps, run, run_async, unwrap
from .tools import annotation
from .wire import HookResult, Json, JsonObject, Provider


@dataclass(frozen=True)
class ToolRestriction:
    """Which tools a model may call in one turn. Providers are told too, but a model may call what it likes."""

    names: Optional[tuple[str, ...]] = None

    @staticmethod
    def of(selection: HookResult) -> "ToolRestriction":
        """What hooks allow. An empty list of names restricts nothing; it is the mode `NONE` that forbids tools."""
        config = (selection.hook_specific_output or {}).get("toolConfig")
        if not isinstance(config, dict):
            return ToolRestriction()
        if str(config.get("mode")).upper() == "NONE":
            return ToolRestriction(())
        names = tuple(name for name in config.get("allowedFunctionNames") or [] if isinstance(name, str))
        return ToolRestriction(names or None)

    def permits(self, tool: str) -> bool:
        """Whether the tool may be called."""
        return self.names is None or tool in self.names


@dataclass(frozen=True)
class ToolSelection:
    """A choice of tools with hooks around it."""

    #: The request to send: the caller's, or the one with the hooks' restriction in it.
    request: JsonObject
    restriction: ToolRestriction = field(default_factory=ToolRestriction)
    #: The agent's loop must end, for this reason.
    stop: Optional[str] = None
    suppress_output: bool = False
    #: What the model is to be told.
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ModelCall:
    """A model call from the first hook to the last."""

    #: The response to go on with: the model's, a hook's, or an empty one if a hook let nothing be asked.
    response: JsonObject
    #: The request that was sent; the caller's if none was.
    request: JsonObject
    restriction: ToolRestriction = field(default_factory=ToolRestriction)
    #: Why a hook did not let the model be asked.
    blocked: Optional[str] = None
    #: Why a hook wants the agent to stop.
    stop: Optional[str] = None
    suppress_output: bool = False
    #: Hooks' messages to the model that did not reach it with this call.
    notes: list[str] = field(default_factory=list)


def call_model_with_hooks(
    hooks: HookClient,
    request: JsonObject,
    call: Callable[[JsonObject], JsonObject],
    *,
    provider: Optional[Provider] = None,
) -> ModelCall:
    """Calls a model as hooks want it: not at all, with another request, with fewer tools, with another response.

    `call` sends the request and returns the complete response; what it raises is the caller's.
    """
    return run(_model_steps(hooks, request, call, provider or hooks.provider))


async def call_model_with_hooks_async(
    hooks: AsyncHookClient,
    request: JsonObject,
    call: Callable[[JsonObject], Awaitable[JsonObject]],
    *,
    provider: Optional[Provider] = None,
) -> ModelCall:
    """`call_model_with_hooks` for asyncio."""
    return await run_async(_model_steps(hooks, request, call, provider or hooks.provider))


def select_tools_with_hooks(
    hooks: HookClient, request: JsonObject, *, provider: Optional[Provider] = None
) -> ToolSelection:
    """Asks BeforeToolSelection hooks about a request and puts their restriction into it."""
    return run(_selection_steps(hooks, request, provider or hooks.provider))


async def select_tools_with_hooks_async(
    hooks: AsyncHookClient, request: JsonObject, *, provider: Optional[Provider] = None
) -> ToolSelection:
    """`select_tools_with_hooks` for asyncio."""
    return await run_async(_selection_steps(hooks, request, provider or hooks.provider))


def _selection_steps(hooks: Any, request: JsonObject, provider: Provider) -> Steps[ToolSelection]:
    selection: HookResult = unwrap((yield lambda: hooks.before_tool_selection(request, provider=provider)))
    return ToolSelection(
        request if selection.modified_request is None else selection.modified_request,
        ToolRestriction.of(selection),
        selection.stop_reason,
        selection.suppress_output,
        _notes(selection),
    )


def _model_steps(
    hooks: Any, request: JsonObject, call: Callable[[JsonObject], Any], provider: Provider
) -> Steps[ModelCall]:
    before: HookResult = unwrap((yield lambda: hooks.before_model(request, provider=provider)))
    messages = [before.system_message] if before.system_message else []
    if before.blocked:
        response = before.blocked_response or {}
        return ModelCall(response, request, blocked=before.reason, stop=before.stop_reason, notes=messages)
    changed = request if before.modified_request is None else before.modified_request
    selection = ToolSelection(changed)
    if offers_tools(changed):
        selection = yield from _selection_steps(hooks, changed, provider)
    messages += selection.notes
    if selection.stop is not None:
        return ModelCall(_empty_response(provider), request, stop=selection.stop, notes=messages)
    sent = selection.request
    for message in messages:
        sent = with_note(sent, message, provider)
    answered: JsonObject = unwrap((yield lambda: call(sent)))
    after: HookResult = unwrap(
        (yield lambda: hooks.after_model(request, answered, sent_request=sent, provider=provider))
    )
    return ModelCall(
        response=after.response,
        request=sent,
        restriction=selection.restriction,
        stop=after.stop_reason,
        suppress_output=before.suppress_output or selection.suppress_output or after.suppress_output,
        notes=_notes(after),
    )


def with_note(request: JsonObject, message: str, provider: Provider) -> JsonObject:
    """A request with a message of hooks at the end of what the user says."""
    text = annotation(message)
    if provider == "genai":
        contents = _list_of(request.get("contents"))
        last = contents[-1] if contents else None
        if isinstance(last, dict) and last.get("role") == "user" and isinstance(last.get("parts"), list):
            told = {**last, "parts": [*last["parts"], {"text": text}]}
            return {**request, "contents": [*contents[:-1], told]}
        return {**request, "contents": [*contents, {"role": "user", "parts": [{"text": text}]}]}
    role = "user" if provider == "anthropic" else "system"
    key = "input" if "input" in request else "messages"
    return {**request, key: [*_list_of(request.get(key)), {"role": role, "content": text.lstrip()}]}


def offers_tools(request: JsonObject) -> bool:
    """Whether a request defines tools, wherever its provider keeps them."""
    config = request.get("config")
    return bool(request.get("tools")) or (isinstance(config, dict) and bool(config.get("tools")))


def _empty_response(provider: Provider) -> JsonObject:
    if provider == "anthropic":
        return {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}
    return {"choices": []} if provider == "openai" else {"candidates": []}


def _notes(result: HookResult) -> list[str]:
    """What hooks want the model to know. What happened cannot be blocked any more; the model is told why a hook objects."""
    objection = result.reason if result.blocked and not result.stop else None
    return [note for note in (result.system_message, objection) if note]


def _list_of(value: Json) -> list[Json]:
    """A list; the SDK of Gemini takes one thing for a list of it."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [{"role": "user", "parts": [{"text": item}]} if isinstance(item, str) else item for item in items]
