"""A turn of an agent with the hooks of `BeforeAgent` and `AfterAgent` around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Optional

from .client import AsyncHookClient, HookClient
from .steps import Steps, run, run_async, unwrap
from .wire import HookResult

#: After this many refused stops in a row the agent may stop: hooks that never let go would keep it working for ever.
REFUSED_STOPS = 8


@dataclass(frozen=True)
class TurnPrompt:
    """What the agent works on next."""

    #: The user's prompt or, after a hook did not let the agent stop, the hook's reason.
    prompt: str
    #: Text that hooks want the model to have beside the prompt.
    context: Optional[str] = None
    stop_hook_active: bool = False


@dataclass(frozen=True)
class TurnEnd:
    """How a turn ended: `refused` says why the prompt did not reach the model, otherwise `response` is the last answer."""

    response: str = ""
    refused: Optional[str] = None
    #: The refusal ends the agent's loop.
    stop: bool = False
    clear_context: bool = False
    system_message: Optional[str] = None


def run_turn_with_hooks(hooks: HookClient, prompt: str, work: Callable[[TurnPrompt], str]) -> TurnEnd:
    """Works on a prompt: a refused one does not reach `work`, and an agent whose stop is refused works on with the reason.

    `work` takes the prompt to the model, does what the model asks for, and returns its last answer.
    """
    return run(_turn_steps(hooks, prompt, work))


async def run_turn_with_hooks_async(
    hooks: AsyncHookClient, prompt: str, work: Callable[[TurnPrompt], Awaitable[str]]
) -> TurnEnd:
    """`run_turn_with_hooks` for asyncio."""
    return await run_async(_turn_steps(hooks, prompt, work))


def _turn_steps(hooks: Any, prompt: str, work: Callable[[TurnPrompt], Any]) -> Steps[TurnEnd]:
    before: HookResult = unwrap((yield lambda: hooks.fire("BeforeAgent", {"prompt": prompt})))
    if before.blocked:
        return TurnEnd(refused=before.reason or "", stop=before.stop)
    current = TurnPrompt(prompt, before.context)
    refused = 0
    while True:
        task = current
        response: str = unwrap((yield lambda: work(task)))
        report = {"prompt": prompt, "prompt_response": response, "stop_hook_active": task.stop_hook_active}
        after: HookResult = unwrap((yield lambda: hooks.fire("AfterAgent", report)))
        if not after.blocked or after.stop or refused >= REFUSED_STOPS:
            return TurnEnd(response, clear_context=after.clear_context, system_message=after.system_message)
        refused += 1
        current = TurnPrompt(after.reason or "", after.context, True)
