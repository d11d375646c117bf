"""A session's hooks, asked through a `hookrail serve` process of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence, TypeVar, cast

from .binary import find_binary
from .connection import HookServerError
from .presence import may_have_hooks
from .supervisor import SAFE_TO_REPEAT, Sent, Supervisor
from .wire import (
    HookDescription,
    HookFinished,
    HookResult,
    HookStarted,
    Json,
    JsonObject,
    Provider,
    RegisteredHook,
    SessionInfo,
    SessionOptions,
    Status,
    Switched,
    Telemetry,
    read_result,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

_PROTOCOL_EVENTS = frozenset(
    "BeforeTool AfterTool BeforeModel AfterModel BeforeToolSelection BeforeAgent AfterAgent SessionStart SessionEnd "
    "PreCompress Notification".split()
)


class _Question:
    """A call on its way: what is sent, and what it comes to if hooks cannot be asked."""

    def __init__(self, method: str, event: str, params: Mapping[str, Any], **fallback: Any) -> None:
        self.method = method
        self.event = event
        self.params = {key: value for key, value in params.items() if value is not None}
        self.fallback = fallback


class _Base:
    """What the blocking and the asyncio client have in common."""

    def __init__(
        self,
        session_id: str,
        cwd: str,
        *,
        binary: Optional[str] = None,
        args: Sequence[str] = ("serve", "--stdio"),
        env: Optional[Mapping[str, str]] = None,
        provider: Provider = "genai",
        timeout: Optional[float] = 600.0,
        on_unavailable: str = "allow",
        on_log: Optional[Callable[[str], None]] = None,
        on_diagnostic: Optional[Callable[[str], None]] = None,
        on_hook_started: Optional[Callable[[HookStarted], None]] = None,
        on_hook_finished: Optional[Callable[[HookFinished], None]] = None,
        on_telemetry: Optional[Callable[[Telemetry], None]] = None,
        **session: Unpack[SessionOptions],
    ) -> None:
        """`session` takes the other fields of `initialize` under their own names, such as `settingsFiles`.

        `timeout` is how long a call may take, in seconds, before it gets the safe default; `None` is for ever.
        `on_unavailable` says what an operation gets that hooks could not be asked about: `allow` or `block`.
        """
        environment = {**os.environ, **(env or {})}
        self._session: JsonObject = {"sessionId": session_id, "cwd": cwd, **session}
        self._provider: Provider = provider
        self._timeout = _limit(timeout)
        self._blocks = on_unavailable == "block"
        self._listeners: dict[str, Optional[Callable[[Any], None]]] = {
            "log": on_log,
            "diagnostic": on_diagnostic,
            "hookStarted": on_hook_started,
            "hookFinished": on_hook_finished,
            "telemetry": on_telemetry,
        }
        self._info = SessionInfo()
        self._presence: Optional[bool] = None
        self._closed = False
        self._supervisor = Supervisor(
            [find_binary(binary, environment), *args],
            environment,
            lambda line: self._tell("log", line),
            self._tell,
            self._opening,
            self._timeout,
        )
        # Of the asyncio client.
        self._underway: set[asyncio.Future[None]] = set()

    @property
    def info(self) -> SessionInfo:
        """What the server said about the session: whether hooks are enabled, for which events, what is wrong."""
        return self._info

    @property
    def provider(self) -> Provider:
        """Whose JSON the model methods are given, unless a call says otherwise."""
        return self._provider

    @property
    def pid(self) -> Optional[int]:
        """The server's process id, while there is one."""
        return self._supervisor.pid

    def has_hooks(self, event: str) -> bool:
        """Whether an event may have hooks, as far as that is known without asking."""
        return self._info.protocol_version == 0 or self._info.events is None or event in self._info.events

    def _opening(self) -> tuple[JsonObject, Callable[[Any], bool]]:
        wants = self._listeners
        notifications = wants["hookStarted"] is not None or wants["hookFinished"] is not None
        params = {**self._session, "notifications": notifications, "telemetry": wants["telemetry"] is not None}

        def accept(answer: Any) -> bool:
            self._info = SessionInfo.read(answer)
            return self._info.enabled and (self._info.events is None or len(self._info.events) > 0)

        return params, accept

    def _may_have_hooks(self) -> bool:
        if self._presence is None:
            self._presence = may_have_hooks(self._session)
        return self._presence

    def _may_concern(self, event: str) -> bool:
        """Names that this client does not know may be other words for an event; those the server has to read."""
        events = self._info.events
        return self._info.enabled and (events is None or event in events or event not in _PROTOCOL_EVENTS)

    def _without_hooks(self, question: _Question) -> HookResult:
        return HookResult(**question.fallback)

    def _unavailable(self, question: _Question, error: BaseException) -> HookResult:
        diagnostic = self._diagnose(error)
        result = HookResult(diagnostic=diagnostic, **question.fallback)
        if not self._blocks:
            return result
        return replace(result, decision="block", blocked=True, reason=f"hooks cannot be asked: {diagnostic}")

    def _diagnose(self, error: BaseException) -> str:
        message = str(error) or type(error).__name__
        self._tell("diagnostic", message)
        return message

    def _tell(self, what: str, value: Any) -> None:
        listener = self._listeners.get(what)
        if listener is None:
            return
        try:
            listener(value)
        except Exception:  # noqa: BLE001 - a callback of the caller must not break a call.
            pass

    def _check_open(self) -> None:
        if self._closed:
            raise HookServerError("this client is closed")

    def _before_tool(self, tool_name: str, tool_input: JsonObject, mcp_context: Optional[JsonObject]) -> _Question:
        params = {"toolName": tool_name, "toolInput": tool_input, "mcpContext": mcp_context}
        return _Question("beforeTool", "BeforeTool", params, tool_input=tool_input)

    def _after_tool(
        self, tool_name: str, tool_input: JsonObject, tool_response: Json, mcp_context: Optional[JsonObject]
    ) -> _Question:
        params = {"toolName": tool_name, "toolInput": tool_input, "mcpContext": mcp_context}
        question = _Question("afterTool", "AfterTool", params)
        question.params["toolResponse"] = tool_response
        return question

    def _before_model(self, request: JsonObject, provider: Optional[Provider]) -> _Question:
        return _Question("beforeModel", "BeforeModel", {"request": request, "provider": provider or self._provider})

    def _after_model(
        self, request: JsonObject, response: JsonObject, sent: Optional[JsonObject], provider: Optional[Provider]
    ) -> _Question:
        params = {"request": request, "sentRequest": sent, "response": response, "provider": provider or self._provider}
        return _Question("afterModel", "AfterModel", params, response=response)

    def _selection(self, request: JsonObject, provider: Optional[Provider]) -> _Question:
        params = {"request": request, "provider": provider or self._provider}
        return _Question("beforeToolSelection", "BeforeToolSelection", params)

    def _read_switched(self, answer: Any) -> Switched:
        self._info = replace(self._info, events=answer.get("events"))
        return cast(Switched, dict(answer))

    def _no_status(self) -> Status:
        return {
            "protocolVersion": 0,
            "initialized": False,
            "sessionId": self._session["sessionId"],
            "enabled": False,
            "totalHooks": 0,
            "running": 0,
        }

    def _read_info(self, answer: Any) -> SessionInfo:
        self._info = SessionInfo.read(answer)
        return self._info


def _hooks_of(answer: Any) -> List[RegisteredHook]:
    return list(answer["hooks"])


def _descriptions_of(answer: Any) -> List[HookDescription]:
    return list(answer["hooks"])


def _status_of(answer: Any) -> Status:
    return cast(Status, dict(answer))


def _limit(timeout: Optional[float]) -> Optional[float]:
    """Python cannot wait for longer, and takes a longer time for an error."""
    return None if timeout is None or timeout >= threading.TIMEOUT_MAX else timeout


class HookClient(_Base):
    """The blocking client. It may be used from several threads, and no call raises: what goes wrong between it and the hooks
    is told by `diagnostic` of the result, and the operation gets the safe default.

    The process is started when the first event needs it, not at all while hooks are disabled or no event has any, and again
    with growing pauses if it dies.
    """

    def __enter__(self) -> "HookClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self) -> SessionInfo:
        """Opens the session now rather than at the first event."""
        try:
            self._check_open()
            if self._may_have_hooks():
                self._supervisor.open()
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
        return self._info

    def initialize(self, session_id: str, cwd: str, **session: Unpack[SessionOptions]) -> SessionInfo:
        """Replaces the session. Calls under way finish with their old hooks."""
        self._session = {"sessionId": session_id, "cwd": cwd, **session}
        return self._open_again()

    def reload(self) -> SessionInfo:
        """Reads the settings of the session again. What `set_enabled` switched stays switched."""
        if not self._supervisor.is_open:
            return self._open_again()
        return self._administer("reload", {}, self._read_info) or self._info

    def before_tool(
        self,
        tool_name: str,
        tool_input: JsonObject,
        *,
        mcp_context: Optional[JsonObject] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """A tool is about to run: ask whether, and with what."""
        return self._ask(self._before_tool(tool_name, tool_input, mcp_context), timeout)

    def after_tool(
        self,
        tool_name: str,
        tool_input: JsonObject,
        tool_response: Json,
        *,
        mcp_context: Optional[JsonObject] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """A tool has run: show its result before the model sees it."""
        return self._ask(self._after_tool(tool_name, tool_input, tool_response, mcp_context), timeout)

    def before_model(
        self, request: JsonObject, *, provider: Optional[Provider] = None, timeout: Optional[float] = None
    ) -> HookResult:
        """A request to the model is complete and not sent yet."""
        return self._ask(self._before_model(request, provider), timeout)

    def after_model(
        self,
        request: JsonObject,
        response: JsonObject,
        *,
        sent_request: Optional[JsonObject] = None,
        provider: Optional[Provider] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """The model's answer is complete. `request` is the original one, whatever hooks made of it."""
        return self._ask(self._after_model(request, response, sent_request, provider), timeout)

    def before_tool_selection(
        self, request: JsonObject, *, provider: Optional[Provider] = None, timeout: Optional[float] = None
    ) -> HookResult:
        """The model is about to choose among tools."""
        return self._ask(self._selection(request, provider), timeout)

    def fire(self, event: str, input: Optional[JsonObject] = None, *, timeout: Optional[float] = None) -> HookResult:
        """Any other event, such as `SessionStart`, with its fields in the words of the hook protocol."""
        return self._ask(_Question("fire", event, {"event": event, "input": input or {}}), timeout)

    def list(self) -> List[RegisteredHook]:
        """Every hook of the session, those that are disabled included."""
        return self._administer("list", {}, _hooks_of) or []

    def describe(self, hook: str) -> List[HookDescription]:
        """The hooks of this name, with what became of them in this session."""
        return self._administer("describe", {"hook": hook}, _descriptions_of) or []

    def set_enabled(self, hook: str, enabled: bool) -> Switched:
        """Enables or disables every hook of this name for the rest of the session."""
        switched = self._administer("setEnabled", {"hook": hook, "enabled": enabled}, self._read_switched)
        return switched or {"switched": 0, "events": self._info.events}

    def status(self) -> Status:
        """What the server is doing."""
        status = self._administer("status", {}, _status_of) if self._supervisor.is_open else None
        return status or self._no_status()

    def close(self, timeout: float = 5.0) -> None:
        """Lets the calls under way finish and ends the server. No process is left."""
        self._closed = True
        self._supervisor.close(timeout)

    def _ask(self, question: _Question, timeout: Optional[float]) -> HookResult:
        try:
            self._check_open()
            if not self._may_have_hooks():
                return self._without_hooks(question)
            self._supervisor.open()
            if not self._may_concern(question.event):
                return self._without_hooks(question)
            return read_result(self._exchange(question.method, question.params, timeout))
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            return self._unavailable(question, error)

    def _exchange(self, method: str, params: Mapping[str, Any], timeout: Optional[float]) -> Any:
        try:
            return self._exchange_once(method, params, timeout)
        except HookServerError:
            if method not in SAFE_TO_REPEAT or self._closed:
                raise
        self._supervisor.open()
        return self._exchange_once(method, params, timeout)

    def _exchange_once(self, method: str, params: Mapping[str, Any], timeout: Optional[float]) -> Any:
        sent = self._supervisor.send(method, params)
        limit = self._timeout if timeout is None else _limit(timeout)
        try:
            result = sent.answer.result(limit)
        except FutureTimeout as error:
            self._supervisor.timed_out(sent)
            raise TimeoutError(f"no answer to `{method}` within {limit} s") from error
        self._supervisor.answered()
        return result

    def _administer(self, method: str, params: JsonObject, read: Callable[[Any], T]) -> Optional[T]:
        try:
            self._check_open()
            if not self._may_have_hooks():
                return None
            self._supervisor.open(even_without_hooks=True)
            return read(self._exchange(method, params, None))
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
            return None

    def _open_again(self) -> SessionInfo:
        self._presence, self._info = None, SessionInfo()
        try:
            self._check_open()
            if self._may_have_hooks():
                self._supervisor.open(again=True)
            else:
                self._supervisor.rest()
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
        return self._info


class AsyncHookClient(_Base):
    """The same for asyncio. Cancelling a task that waits for hooks ends the hooks and cancels the task, as asyncio has it."""

    async def __aenter__(self) -> "AsyncHookClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def ready(self) -> SessionInfo:
        """Opens the session now rather than at the first event."""
        try:
            self._check_open()
            if await self._has_any():
                await self._open()
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
        return self._info

    async def initialize(self, session_id: str, cwd: str, **session: Unpack[SessionOptions]) -> SessionInfo:
        """Replaces the session. Calls under way finish with their old hooks."""
        self._session = {"sessionId": session_id, "cwd": cwd, **session}
        return await self._open_again()

    async def reload(self) -> SessionInfo:
        """Reads the settings of the session again. What `set_enabled` switched stays switched."""
        if not self._supervisor.is_open:
            return await self._open_again()
        return await self._administer("reload", {}, self._read_info) or self._info

    async def before_tool(
        self,
        tool_name: str,
        tool_input: JsonObject,
        *,
        mcp_context: Optional[JsonObject] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """A tool is about to run: ask whether, and with what."""
        return await self._ask(self._before_tool(tool_name, tool_input, mcp_context), timeout)

    async def after_tool(
        self,
        tool_name: str,
        tool_input: JsonObject,
        tool_response: Json,
        *,
        mcp_context: Optional[JsonObject] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """A tool has run: show its result before the model sees it."""
        return await self._ask(self._after_tool(tool_name, tool_input, tool_response, mcp_context), timeout)

    async def before_model(
        self, request: JsonObject, *, provider: Optional[Provider] = None, timeout: Optional[float] = None
    ) -> HookResult:
        """A request to the model is complete and not sent yet."""
        return await self._ask(self._before_model(request, provider), timeout)

    async def after_model(
        self,
        request: JsonObject,
        response: JsonObject,
        *,
        sent_request: Optional[JsonObject] = None,
        provider: Optional[Provider] = None,
        timeout: Optional[float] = None,
    ) -> HookResult:
        """The model's answer is complete. `request` is the original one, whatever hooks made of it."""
        return await self._ask(self._after_model(request, response, sent_request, provider), timeout)

    async def before_tool_selection(
        self, request: JsonObject, *, provider: Optional[Provider] = None, timeout: Optional[float] = None
    ) -> HookResult:
        """The model is about to choose among tools."""
        return await self._ask(self._selection(request, provider), timeout)

    async def fire(
        self, event: str, input: Optional[JsonObject] = None, *, timeout: Optional[float] = None
    ) -> HookResult:
        """Any other event, such as `SessionStart`, with its fields in the words of the hook protocol."""
        return await self._ask(_Question("fire", event, {"event": event, "input": input or {}}), timeout)

    async def list(self) -> List[RegisteredHook]:
        """Every hook of the session, those that are disabled included."""
        return await self._administer("list", {}, _hooks_of) or []

    async def describe(self, hook: str) -> List[HookDescription]:
        """The hooks of this name, with what became of them in this session."""
        return await self._administer("describe", {"hook": hook}, _descriptions_of) or []

    async def set_enabled(self, hook: str, enabled: bool) -> Switched:
        """Enables or disables every hook of this name for the rest of the session."""
        switched = await self._administer("setEnabled", {"hook": hook, "enabled": enabled}, self._read_switched)
        return switched or {"switched": 0, "events": self._info.events}

    async def status(self) -> Status:
        """What the server is doing."""
        status = await self._administer("status", {}, _status_of) if self._supervisor.is_open else None
        return status or self._no_status()

    async def close(self, timeout: float = 5.0) -> None:
        """Lets the calls under way finish and ends the server. No process is left."""
        self._closed = True
        underway = list(self._underway)
        if underway:
            await asyncio.wait(underway, timeout=timeout)
        await asyncio.to_thread(self._supervisor.close, timeout)

    async def _ask(self, question: _Question, timeout: Optional[float]) -> HookResult:
        done = asyncio.get_running_loop().create_future()
        self._underway.add(done)
        try:
            return await self._ask_now(question, timeout)
        finally:
            self._underway.discard(done)
            if not done.done():
                done.set_result(None)

    async def _ask_now(self, question: _Question, timeout: Optional[float]) -> HookResult:
        try:
            self._check_open()
            if not await self._has_any():
                return self._without_hooks(question)
            await self._open()
            if not self._may_concern(question.event):
                return self._without_hooks(question)
            return read_result(await self._exchange(question.method, question.params, timeout))
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            return self._unavailable(question, error)

    async def _has_any(self) -> bool:
        return self._presence if self._presence is not None else await asyncio.to_thread(self._may_have_hooks)

    async def _open(self, **options: bool) -> None:
        # Once the session is open, which is nearly always, no thread is needed to find that out.
        if options.get("again") or not self._supervisor.is_ready(options.get("even_without_hooks", False)):
            await asyncio.to_thread(self._supervisor.open, **options)

    async def _exchange(self, method: str, params: Mapping[str, Any], timeout: Optional[float]) -> Any:
        try:
            return await self._exchange_once(method, params, timeout)
        except HookServerError:
            if method not in SAFE_TO_REPEAT or self._closed:
                raise
        await self._open()
        return await self._exchange_once(method, params, timeout)

    async def _exchange_once(self, method: str, params: Mapping[str, Any], timeout: Optional[float]) -> Any:
        sent: Sent = self._supervisor.send(method, params)
        limit = self._timeout if timeout is None else _limit(timeout)
        try:
            result = await asyncio.wait_for(asyncio.wrap_future(sent.answer), limit)
        except (asyncio.TimeoutError, TimeoutError) as error:
            self._supervisor.timed_out(sent)
            raise TimeoutError(f"no answer to `{method}` within {limit} s") from error
        except asyncio.CancelledError:
            sent.connection.cancel(sent.number)
            raise
        self._supervisor.answered()
        return result

    async def _administer(self, method: str, params: JsonObject, read: Callable[[Any], T]) -> Optional[T]:
        try:
            self._check_open()
            if not await self._has_any():
                return None
            await self._open(even_without_hooks=True)
            return read(await self._exchange(method, params, None))
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
            return None

    async def _open_again(self) -> SessionInfo:
        self._presence, self._info = None, SessionInfo()
        try:
            self._check_open()
            if await self._has_any():
                await self._open(again=True)
            else:
                await asyncio.to_thread(self._supervisor.rest)
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong here is the agent's.
            self._diagnose(error)
        return self._info
