"""What `hookrail serve` takes and gives, field by field. Its manual is the page `serve` of hookrail's book."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Sequence, TypedDict, Union

Json = Any
JsonObject = dict[str, Any]

Decision = Literal["stop", "block", "ask", "allow", "none"]
Provider = Literal["genai", "anthropic", "openai", "stable"]
Outcome = Literal["succeeded", "blocked", "warned", "skipped", "failed", "timedOut", "cancelled"]
Scope = Literal["project", "user", "system"]
SettingsFormat = Literal["protocol", "llxprt", "gemini", "claude", "hookrail"]


class SessionOptions(TypedDict, total=False):
    """What a session may have beside its id and its folder, as `initialize` takes it."""

    settings: Union[JsonObject, Sequence[JsonObject]]
    settingsFiles: Sequence[Union[str, JsonObject]]
    extensions: Sequence[JsonObject]
    enableHooks: bool
    trustedFolder: bool
    tools: Union[str, dict[str, JsonObject]]
    packs: Sequence[str]
    hookrailToml: bool
    journal: bool
    transcriptPath: str
    promptEndpoint: JsonObject
    httpPolicy: JsonObject
    answerLimitBytes: int


class _Session(TypedDict):
    sessionId: str
    cwd: str


class Session(_Session, SessionOptions):
    """A session as `initialize` takes it."""


class HookRunWire(TypedDict):
    """One hook that was asked, as the server sends it."""

    hook: str
    kind: str
    source: str
    origin: str
    outcome: Outcome
    success: bool
    milliseconds: float
    exitCode: Optional[int]
    signal: Optional[str]
    stdout: str
    stderr: str
    truncated: bool
    error: Optional[str]
    output: Optional[JsonObject]


class RegisteredHook(TypedDict):
    """A hook of the session at one event."""

    hook: str
    kind: str
    event: str
    matcher: Optional[str]
    action: str
    source: str
    origin: str
    enabled: bool
    sequential: bool
    #: Milliseconds.
    timeout: float
    onError: Literal["allow", "ask", "deny"]
    mode: Literal["enforce", "warn", "off"]
    statusMessage: Optional[str]
    #: Whether `set_enabled` can switch it.
    switchable: bool


class HookDescription(RegisteredHook):
    """A hook and what became of it in this session."""

    runs: int
    blocked: int
    failed: int
    lastOutcome: Optional[Outcome]
    lastMilliseconds: Optional[float]
    lastError: Optional[str]


class Switched(TypedDict):
    """How many hooks have the name and can be switched, and the events that have hooks now."""

    switched: int
    events: Optional[list[str]]


class Status(TypedDict):
    """What the server is doing."""

    protocolVersion: int
    initialized: bool
    sessionId: str
    enabled: bool
    totalHooks: int
    running: int


class HookStarted(TypedDict):
    """A hook is about to run."""

    event: str
    hook: str
    kind: str
    source: str
    origin: str
    statusMessage: Optional[str]


class HookFinished(TypedDict):
    """A hook is done."""

    event: str
    run: HookRunWire


class Telemetry(TypedDict):
    """How an event went, in a few numbers."""

    event: str
    hooks: int
    totalDuration: float
    success: bool
    decision: Decision


@dataclass(frozen=True)
class HookRun:
    """One hook that was asked."""

    hook: str
    kind: str
    source: str
    origin: str
    outcome: Outcome
    success: bool
    milliseconds: float
    exit_code: Optional[int]
    signal: Optional[str]
    stdout: str
    stderr: str
    truncated: bool
    error: Optional[str]
    output: Optional[JsonObject]

    @staticmethod
    def read(wire: JsonObject) -> "HookRun":
        """A run as the server sends it."""
        return HookRun(
            hook=str(wire.get("hook", "")),
            kind=str(wire.get("kind", "")),
            source=str(wire.get("source", "")),
            origin=str(wire.get("origin", "")),
            outcome=wire.get("outcome", "failed"),
            success=wire.get("success") is True,
            milliseconds=float(wire.get("milliseconds") or 0.0),
            exit_code=wire.get("exitCode"),
            signal=wire.get("signal"),
            stdout=str(wire.get("stdout", "")),
            stderr=str(wire.get("stderr", "")),
            truncated=wire.get("truncated") is True,
            error=wire.get("error"),
            output=wire.get("output"),
        )


@dataclass(frozen=True)
class HookResult:
    """What hooks made of an event. Which of the last fields have a value depends on the event."""

    decision: Decision = "none"
    #: The operation must not happen; true for a stop as well.
    blocked: bool = False
    #: Always there when `blocked`.
    reason: Optional[str] = None
    #: The agent's loop must end.
    stop: bool = False
    #: Text that hooks want said.
    system_message: Optional[str] = None
    #: Text that hooks want the model to have.
    context: Optional[str] = None
    #: The person is not to be shown the output of the operation.
    suppress_output: bool = False
    #: Every hook ran without failing. Says nothing about what they decided.
    success: bool = True
    errors: list[str] = field(default_factory=list)
    #: Of all hooks together, in milliseconds.
    total_duration: float = 0.0
    #: What hooks that failed left to say. It is no part of `system_message`.
    warnings: list[str] = field(default_factory=list)
    #: What hookrail has to say about its own work.
    notices: list[str] = field(default_factory=list)
    conflicts: list[JsonObject] = field(default_factory=list)
    #: The merged output in the words of the hook protocol.
    output: Optional[JsonObject] = None
    #: Every hook that was asked, in order.
    runs: list[HookRun] = field(default_factory=list)
    #: Why hooks could not be asked, so that this is the safe default; `None` if they were, or if there are none.
    diagnostic: Optional[str] = None

    #: Before a tool: the arguments to run it with.
    tool_input: JsonObject = field(default_factory=dict)
    #: Before a model call or a choice of tools: the request to send instead, if hooks changed it.
    modified_request: Optional[JsonObject] = None
    #: Before a model call, when `blocked`: the answer that a hook gave.
    synthetic_response: Optional[JsonObject] = None
    #: Before a model call, when `blocked`: what takes the model's place.
    blocked_response: Optional[JsonObject] = None
    #: After a model call: the response to go on with.
    response: JsonObject = field(default_factory=dict)
    #: Before a choice of tools: the restriction in the provider's words.
    tool_config: Json = None
    #: After the agent: the conversation so far is to be forgotten.
    clear_context: bool = False

    @property
    def hook_specific_output(self) -> Optional[JsonObject]:
        """The `hookSpecificOutput` of the merged output."""
        specific = (self.output or {}).get("hookSpecificOutput")
        return specific if isinstance(specific, dict) else None

    @property
    def stop_reason(self) -> Optional[str]:
        """Why the agent's loop must end, if it must."""
        return (self.reason or "") if self.stop else None


#: The particulars of an answer, by their names on the wire.
_PARTICULARS = {
    "toolInput": "tool_input",
    "modifiedRequest": "modified_request",
    "syntheticResponse": "synthetic_response",
    "blockedResponse": "blocked_response",
    "response": "response",
    "toolConfig": "tool_config",
    "clearContext": "clear_context",
}


def read_result(answer: Json) -> HookResult:
    """The server's answer as callers get it; a `ValueError` if it is no answer of hooks."""
    if not isinstance(answer, dict) or not isinstance(answer.get("blocked"), bool) or not isinstance(answer.get("runs"), list):
        raise ValueError("the server's answer has not the form of one")
    particulars = {own: answer[wire] for wire, own in _PARTICULARS.items() if wire in answer}
    return HookResult(
        decision=answer.get("decision", "none"),
        blocked=answer["blocked"],
        reason=answer.get("reason"),
        stop=answer.get("stop") is True,
        system_message=answer.get("systemMessage"),
        context=answer.get("context"),
        suppress_output=answer.get("suppressOutput") is True,
        success=answer.get("success") is True,
        errors=list(answer.get("errors") or []),
        total_duration=float(answer.get("totalDuration") or 0.0),
        warnings=list(answer.get("warnings") or []),
        notices=list(answer.get("notices") or []),
        conflicts=list(answer.get("conflicts") or []),
        output=answer.get("output"),
        runs=[HookRun.read(run) for run in answer["runs"] if isinstance(run, dict)],
        **particulars,
    )


@dataclass(frozen=True)
class SessionInfo:
    """What the server said about the session."""

    protocol_version: int = 0
    server: JsonObject = field(default_factory=dict)
    enabled: bool = False
    total_hooks: int = 0
    #: The events that have hooks, whatever their matchers say. `None`: every event may have.
    events: Optional[list[str]] = field(default_factory=list)
    diagnostics: list[JsonObject] = field(default_factory=list)

    @staticmethod
    def read(answer: Json) -> "SessionInfo":
        """The answer to `initialize` or `reload`."""
        if not isinstance(answer, dict):
            raise ValueError("the server's answer has not the form of one")
        return SessionInfo(
            protocol_version=int(answer.get("protocolVersion") or 0),
            server=answer.get("server") or {},
            enabled=answer.get("enabled") is True,
            total_hooks=int(answer.get("totalHooks") or 0),
            events=answer.get("events"),
            diagnostics=list(answer.get("diagnostics") or []),
        )
