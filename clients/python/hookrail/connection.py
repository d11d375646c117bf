"""One server process: requests go in, answers come out. It is over when the process is, or when it talks nonsense."""

from __future__ import annotations

import json
import math
import os
import queue
import subprocess
import threading
from concurrent.futures import Future, InvalidStateError
from typing import Any, Callable, Mapping, Optional, Sequence

#: The server refuses longer lines.
_LINE_BYTES = 64 * 1024 * 1024

#: No answer is longer.
_ANSWER_BYTES = 512 * 1024 * 1024


class HookRequestError(Exception):
    """The server refused a request; `code` is JSON-RPC's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class HookServerError(Exception):
    """There is no server to ask: it could not be started, it ended, or the client was closed."""


class Connection:
    """A running server. Every method may be called from every thread, and none of them waits for the server."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        on_log: Callable[[str], None],
        on_notification: Callable[[str, Any], None],
        on_end: Callable[["Connection", HookServerError], None],
    ) -> None:
        self._binary = command[0]
        self._on_log = on_log
        self._on_notification = on_notification
        self._on_end = on_end
        self._lock = threading.Lock()
        self._pending: dict[int, Future[Any]] = {}
        self._last_id = 0
        self._over: Optional[HookServerError] = None
        self._outgoing: queue.SimpleQueue[Optional[bytes]] = queue.SimpleQueue()
        try:
            # In a session of its own, so that Ctrl-C in the agent's terminal does not end the server before its agent.
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            hint = "install hookrail, or say where it is with the option `binary` or in HOOKRAIL_BIN"
            raise HookServerError(f"cannot start `{self._binary}`: {error}\nhint: {hint}") from error
        for work in (self._write_all, self._read_all, self._log_all):
            threading.Thread(target=work, name=f"hookrail-{work.__name__}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, method: str, params: Mapping[str, Any]) -> tuple[int, "Future[Any]"]:
        """Sends a request. Its future fails if the server refuses it or ends."""
        answer: Future[Any] = Future()
        with self._lock:
            self._last_id += 1
            number = self._last_id
        line = _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if len(line) > _LINE_BYTES:
            answer.set_exception(HookRequestError(-32700, f"a request may not be longer than {_LINE_BYTES} bytes"))
            return number, answer
        with self._lock:
            if self._over is not None:
                answer.set_exception(self._over)
                return number, answer
            self._pending[number] = answer
        self._outgoing.put(line)
        return number, answer

    def cancel(self, number: int) -> None:
        """Gives a request up: its hooks are ended and its answer is ignored."""
        with self._lock:
            known = self._pending.pop(number, None)
        if known is not None:
            self._outgoing.put(_encode({"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}))

    def kill(self, reason: Optional[str] = None) -> None:
        """Ends the process, whatever it does; nothing is waited for."""
        self._process.kill()
        if reason is not None:
            self._end(HookServerError(reason))

    def end(self, timeout: float) -> None:
        """Asks the server to end, then takes its input away, then kills it. No process is left."""
        self.send("shutdown", {})
        if self._wait(timeout):
            return
        self._outgoing.put(None)
        if self._wait(2.0):
            return
        self._process.kill()
        self._process.wait()

    def _wait(self, timeout: float) -> bool:
        try:
            self._process.wait(timeout)
            return True
        except subprocess.TimeoutExpired:
            return False

    def _write_all(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while (line := self._outgoing.get()) is not None:
                stdin.write(line + b"\n")
                if self._outgoing.empty():
                    stdin.flush()
            stdin.close()
        except (OSError, ValueError):
            pass  # A server that is gone is reported once, by its end.

    def _read_all(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            # Whatever is cut off here is no JSON, and so ends the server instead of filling the memory.
            while line := stdout.readline(_ANSWER_BYTES):
                if line.strip():
                    self._receive(line)
        code = self._process.wait()
        self._outgoing.put(None)
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self._end(HookServerError(f"`{self._binary}` ended {how}"))

    def _log_all(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for line in stderr:
                self._on_log(line.decode(errors="replace").rstrip("\n"))

    def _receive(self, line: bytes) -> None:
        if self._over is not None:
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            excerpt = line[:200].decode(errors="replace").rstrip("\n")
            return self.kill(f"`{self._binary}` wrote something that is no answer: {excerpt}")
        if isinstance(message.get("method"), str):
            return self._on_notification(message["method"], message.get("params"))
        number = message.get("id")
        with self._lock:
            # The answer to a request that was given up, or to a line that could not be read, is dropped.
            answer = self._pending.pop(number, None) if isinstance(number, int) else None
        if answer is None:
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            _settle(answer, error=HookRequestError(code if isinstance(code, int) else 0, str(error.get("message"))))
        else:
            _settle(answer, result=message.get("result"))

    def _end(self, error: HookServerError) -> None:
        with self._lock:
            if self._over is not None:
                return
            self._over = error
            pending = list(self._pending.values())
            self._pending.clear()
        self._on_end(self, error)
        for answer in pending:
            _settle(answer, error=error)


def _encode(message: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(message, allow_nan=False).encode()
    except ValueError as error:
        if "Circular" in str(error):
            raise
        return json.dumps(_without_nan(message), allow_nan=False).encode()


def _without_nan(value: Any) -> Any:
    """JSON has no such numbers: as in JavaScript, `null` takes their place."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return value


def _settle(answer: "Future[Any]", result: Any = None, error: Optional[Exception] = None) -> None:
    """The future may have been cancelled meanwhile."""
    try:
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)
    except InvalidStateError:
        pass
