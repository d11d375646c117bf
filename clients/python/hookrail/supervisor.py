"""Keeps one server alive for a client: starts it when it is needed, and again when it dies."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Mapping, Optional, Sequence

from .connection import Connection, HookServerError

#: Asked before an operation, so asking again does no harm; what hooks did after one must not be done twice.
SAFE_TO_REPEAT = frozenset({"beforeTool", "beforeModel", "beforeToolSelection", "status", "list", "describe"})

#: A server is started again at once the first time, then after pauses that double, in seconds.
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 30.0

#: A program takes a moment to start, however little time the calls of an agent may take, in seconds.
_OPENING = 30.0

#: So many calls in a row may time out before the server is taken for hung.
_MOST_TIMEOUTS = 3


class Sent:
    """A request under way."""

    def __init__(self, connection: Connection, number: int, answer: "Future[Any]") -> None:
        self.connection = connection
        self.number = number
        self.answer = answer


class Supervisor:
    """The server of a client. Every method may be called from every thread."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        on_log: Callable[[str], None],
        on_notification: Callable[[str, Any], None],
        opening: Callable[[], tuple[Mapping[str, Any], Callable[[Any], bool]]],
        timeout: Optional[float],
    ) -> None:
        self._command = command
        self._env = env
        self._on_log = on_log
        self._on_notification = on_notification
        self._opening = opening
        self._timeout = timeout
        self._lock = threading.RLock()
        self._connection: Optional[Connection] = None
        self._idle = False
        self._closed = False
        self._failures = 0
        self._timeouts = 0
        self._not_before = 0.0

    @property
    def pid(self) -> Optional[int]:
        """The server's process id, while there is one."""
        connection = self._connection
        return connection.pid if connection else None

    @property
    def is_open(self) -> bool:
        """Whether there is a server."""
        return self._connection is not None

    def is_ready(self, even_without_hooks: bool = False) -> bool:
        """Whether `open` would return at once."""
        return self._connection is not None or (self._idle and not even_without_hooks)

    def open(self, even_without_hooks: bool = False, again: bool = False) -> None:
        """Sees to it that the session is open. Raises if there is no server to be had now."""
        with self._lock:
            if not again and self.is_ready(even_without_hooks):
                return
            params, accept = self._opening()
            connection = self._connection or self._start()
            try:
                _, answer = connection.send("initialize", params)
                limit = None if self._timeout is None else max(self._timeout, _OPENING)
                goes_on = accept(answer.result(limit))
            except BaseException as error:
                # A session that is refused is refused again: not at every call.
                if not isinstance(error, HookServerError):
                    self._pause()
                self._connection = None
                connection.kill()
                raise
            self._idle = not goes_on
            self._connection = connection if goes_on or even_without_hooks else None
        if self._connection is None:
            connection.end(0.0)

    def send(self, method: str, params: Mapping[str, Any]) -> Sent:
        """Sends a request to the open session."""
        connection = self._connection
        if connection is None:
            raise HookServerError("the server is not running")
        number, answer = connection.send(method, params)
        return Sent(connection, number, answer)

    def answered(self) -> None:
        """A server that answers is well."""
        self._failures = 0
        self._timeouts = 0

    def timed_out(self, sent: Sent) -> None:
        """Gives a request up. A server that answers nothing any more is as good as dead."""
        sent.connection.cancel(sent.number)
        self._timeouts += 1
        if self._timeouts >= _MOST_TIMEOUTS:
            self._timeouts = 0
            sent.connection.kill(f"`{self._command[0]}` did not answer {_MOST_TIMEOUTS} calls in a row")

    def rest(self) -> None:
        """Ends a server that has nothing to do."""
        with self._lock:
            connection, self._connection, self._idle = self._connection, None, True
        if connection:
            connection.end(0.0)
        self._idle = False

    def close(self, timeout: float) -> None:
        """Lets calls under way finish and ends the server for good."""
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection:
            connection.end(timeout)

    def _start(self) -> Connection:
        if self._closed:
            raise HookServerError("this client is closed")
        pause = self._not_before - time.monotonic()
        if pause > 0:
            raise HookServerError(f"`{self._command[0]}` keeps failing; it is tried again in {pause * 1000:.0f} ms")
        try:
            return Connection(self._command, self._env, self._on_log, self._on_notification, self._ended)
        except HookServerError:
            self._pause()
            raise

    def _ended(self, connection: Connection, error: HookServerError) -> None:
        if self._connection is connection:
            self._connection = None
        if self._closed or self._idle:
            return
        self._pause()
        self._on_log(str(error))

    def _pause(self) -> None:
        pause = 0.0 if self._failures == 0 else _FIRST_PAUSE * 2 ** min(self._failures - 1, 10)
        self._failures += 1
        self._not_before = time.monotonic() + min(pause, _LONGEST_PAUSE)
