"""What the tests have in common: the real binary, a project, hooks, and questions about processes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from hookrail import AsyncHookClient, HookClient


def build() -> str:
    """Builds hookrail; cargo says where it put it."""
    command = ["cargo", "build", "--quiet", "--package", "hookrail-cli", "--message-format", "json-render-diagnostics"]
    made = subprocess.run(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, check=True)
    messages = [json.loads(line) for line in made.stdout.splitlines()]
    return str(next(it["executable"] for it in messages if it.get("executable") and it["target"]["name"] == "hookrail"))


BINARY = os.environ.get("HOOKRAIL_BIN") or build()

#: Longer than anything here takes, even on a busy machine.
HANG = 60.0

Client = TypeVar("Client", HookClient, AsyncHookClient)


def settings(commands: dict[str, str]) -> dict[str, Any]:
    """Settings with one hook, named `hook`, per event."""
    groups = {
        event: [{"hooks": [{"type": "command", "name": "hook", "command": command}]}]
        for event, command in commands.items()
    }
    return {"enableHooks": True, "hooks": groups}


def printing(output: dict[str, Any]) -> str:
    """A command that prints this JSON."""
    return f"cat >/dev/null; echo {shlex.quote(json.dumps(output))}"


def alive(pid: Optional[int]) -> bool:
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


def until(condition: Callable[[], bool]) -> None:
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > HANG:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


class Case(unittest.TestCase):
    """A test with a project of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="hookrail-")
        self.addCleanup(folder.cleanup)
        self.project = Path(folder.name).resolve()

    def start(self, commands: dict[str, str], **options: Any) -> HookClient:
        """A client that is closed with the test."""
        client = HookClient("s-1", str(self.project), **self.options(commands, options))
        self.addCleanup(client.close, 0.0)
        return client

    def options(self, commands: dict[str, str], options: dict[str, Any]) -> dict[str, Any]:
        return {"binary": BINARY, "settings": settings(commands), **options}

    def fake(self, body: str, **options: Any) -> HookClient:
        """A client of a server of our own making; `body` handles one request, given as `id` and `method`."""
        script = self.project / "fake.py"
        script.write_text(
            "import json, sys, time\n"
            "def send(message): sys.stdout.write(json.dumps(message) + '\\n'); sys.stdout.flush()\n"
            "info = {'protocolVersion': 1, 'enabled': True, 'totalHooks': 1, 'events': None, 'diagnostics': []}\n"
            "for line in sys.stdin:\n"
            "    request = json.loads(line); id, method = request.get('id'), request['method']\n"
            "    if method == 'initialize': send({'jsonrpc': '2.0', 'id': id, 'result': info}); continue\n"
            "    if method == 'shutdown': sys.exit()\n"
            f"    {body}\n"
        )
        import sys

        return self.start({"BeforeTool": "exit 0"}, **{"binary": sys.executable, "args": [str(script)], **options})
