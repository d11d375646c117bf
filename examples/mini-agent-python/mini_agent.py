#!/usr/bin/env python3
"""A small real agent: a model of the Gemini API, three tools, and the user's hooks around all of it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Callable

from hookrail import HookClient, ToolRestriction, TurnPrompt, call_model_with_hooks, run_tool_with_hooks, run_turn_with_hooks

MAX_TURNS = 50


class Stopped(Exception):
    """A hook wants the agent to end."""


def inside(path: str) -> Path:
    """A path of the project; a model has no business elsewhere."""
    full = Path(path).resolve()
    if not full.is_relative_to(Path.cwd()):
        raise ValueError(f"`{path}` is outside of the project")
    return full


def run_shell_command(command: str) -> str:
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr + (f"exit code {done.returncode}" if done.returncode else "")


def read_file(file_path: str) -> str:
    return inside(file_path).read_text()


def write_file(file_path: str, content: str) -> str:
    inside(file_path).write_text(content)
    return f"wrote {file_path}"


TOOLS: dict[str, tuple[Callable[..., str], str, list[str]]] = {
    "run_shell_command": (run_shell_command, "Runs a command and returns what it prints.", ["command"]),
    "read_file": (read_file, "Returns the text of a file.", ["file_path"]),
    "write_file": (write_file, "Writes text to a file.", ["file_path", "content"]),
}


def declaration(name: str) -> dict[str, Any]:
    _, description, fields = TOOLS[name]
    properties = {field: {"type": "string"} for field in fields}
    parameters = {"type": "object", "properties": properties, "required": fields}
    return {"name": name, "description": description, "parameters": parameters}


class Agent:
    """A conversation with a model."""

    def __init__(self, hooks: HookClient, base_url: str, model: str) -> None:
        self.hooks = hooks
        self.base_url = base_url
        self.model = model
        self.contents: list[dict[str, Any]] = []
        #: What hooks want the model to know next time.
        self.notes: list[str] = []

    def work(self, turn: TurnPrompt) -> str:
        """Works on a prompt until the model is done, and returns its last answer."""
        self.tell([{"text": text} for text in (turn.prompt, turn.context) if text])
        for _ in range(MAX_TURNS):
            call = call_model_with_hooks(self.hooks, self.request(), self.send)
            self.notes += call.notes
            content = next((candidate.get("content") for candidate in call.response.get("candidates", [])), None)
            parts = (content or {}).get("parts", [])
            said = "".join(part.get("text", "") for part in parts)
            if content:
                self.contents.append(content)
            if call.stop is not None:
                raise Stopped(call.stop)
            if call.blocked is not None and not content:
                raise Stopped(call.blocked)
            if said and not call.suppress_output:
                print(said)
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            if not calls:
                return said
            self.tell([self.use_tool(one, call.restriction) for one in calls])
        raise RuntimeError(f"the model did not come to an end in {MAX_TURNS} turns")

    def use_tool(self, call: dict[str, Any], restriction: ToolRestriction) -> dict[str, Any]:
        """Runs a tool that the model called, as hooks want it."""
        name, answer = call["name"], {key: call[key] for key in ("id", "name") if key in call}
        if name not in TOOLS:
            return {"functionResponse": {**answer, "response": {"error": f"there is no tool `{name}`"}}}
        if not restriction.permits(name):
            refusal = f"the tool `{name}` is not available in this turn"
            return {"functionResponse": {**answer, "response": {"error": refusal}}}

        def execute(arguments: dict[str, Any]) -> dict[str, Any]:
            try:
                text = TOOLS[name][0](**arguments)
                return {"llmContent": text, "returnDisplay": text}
            except Exception as error:  # noqa: BLE001 - whatever a tool fails with, the model is told.
                return {"llmContent": str(error), "returnDisplay": str(error), "error": {"message": str(error)}}

        done = run_tool_with_hooks(self.hooks, name, call.get("args", {}), execute)
        if done.stop is not None:
            raise Stopped(done.stop)
        self.notes += done.warnings
        if not done.result.get("suppressDisplay"):
            print(f"[{name}: {done.ending}]", file=sys.stderr)
        key = "output" if done.ending == "ran" and not done.result.get("error") else "error"
        return {"functionResponse": {**answer, "response": {key: done.result["llmContent"]}}}

    def tell(self, parts: list[dict[str, Any]]) -> None:
        """Adds to what the user said last, so that user and model take turns."""
        parts = parts + [{"text": f"\n\n[System] {note}"} for note in self.notes]
        self.notes = []
        if self.contents and self.contents[-1]["role"] == "user":
            self.contents[-1]["parts"] += parts
        else:
            self.contents.append({"role": "user", "parts": parts})

    def request(self) -> dict[str, Any]:
        tools = [{"functionDeclarations": [declaration(name) for name in TOOLS]}]
        return {"model": self.model, "contents": self.contents, "config": {"tools": tools}}

    def send(self, request: dict[str, Any]) -> dict[str, Any]:
        config = dict(request["config"])
        body = {"contents": request["contents"], **{key: config.pop(key) for key in ("tools", "toolConfig") if key in config}}
        body["generationConfig"] = config
        url = f"{self.base_url}/v1beta/models/{urllib.parse.quote(request['model'], safe='')}:generateContent"
        headers = {"content-type": "application/json", "x-goog-api-key": os.environ.get("GEMINI_API_KEY", "")}
        post = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        with urllib.request.urlopen(post, timeout=300) as response:
            return json.load(response)  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="https://generativelanguage.googleapis.com")
    parser.add_argument("--model", default="gemini-2.5-flash")
    parser.add_argument("--settings", default=".llxprt/settings.json")
    parser.add_argument("prompt", nargs="+")
    options = parser.parse_args()
    with HookClient(
        f"mini-{os.getpid()}",
        os.getcwd(),
        settingsFiles=[options.settings],
        tools="gemini",
        on_diagnostic=lambda message: print(f"hooks: {message}", file=sys.stderr),
    ) as hooks:
        agent = Agent(hooks, options.base_url, options.model)
        hooks.fire("SessionStart", {"source": "startup"})
        try:
            end = run_turn_with_hooks(hooks, " ".join(options.prompt), agent.work)
            if end.refused is not None:
                raise Stopped(end.refused)
            return 0
        except Stopped as stop:
            print(f"a hook stopped the agent: {stop}", file=sys.stderr)
            return 2
        except (RuntimeError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        finally:
            hooks.fire("SessionEnd", {"reason": "exit"})


if __name__ == "__main__":
    sys.exit(main())
