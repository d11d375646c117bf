from __future__ import annotations

import asyncio
import json
from typing import Any

from hookrail import AsyncHookClient, HookClient

from .scene import BINARY, Case, printing, settings

GENAI = {"model": "big", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}


class Methods(Case):
    def test_a_tool_call_can_be_refused_changed_and_passed(self) -> None:
        change = json.dumps({"hookSpecificOutput": {"tool_input": {"command": "mv -i"}}})
        command = f"case \"$(cat)\" in *rm*) echo 'no rm' >&2; exit 2;; *mv*) echo '{change}';; esac"
        client = self.start({"BeforeTool": command})
        refused = client.before_tool("sh", {"command": "rm"})
        self.assertEqual((refused.decision, refused.blocked, refused.reason), ("block", True, "no rm"))
        self.assertEqual([(run.hook, run.outcome, run.exit_code) for run in refused.runs], [("hook", "blocked", 2)])
        changed = client.before_tool("sh", {"command": "mv", "cwd": "/"})
        self.assertEqual(changed.tool_input, {"command": "mv -i", "cwd": "/"})
        passed = client.before_tool("sh", {"command": "ls"}, mcp_context={"server_name": "shell"})
        self.assertEqual((passed.decision, passed.tool_input), ("none", {"command": "ls"}))

    def test_an_answer_has_the_whole_result(self) -> None:
        said = {"systemMessage": "note", "hookSpecificOutput": {"additionalContext": "more", "own": 1}}
        hooks = [
            {"type": "command", "name": "talks", "command": printing(said)},
            {"type": "command", "name": "fails", "command": "echo trouble >&2; exit 7"},
        ]
        file = self.project / "settings.json"
        file.write_text(json.dumps({"hooksConfig": {"enabled": True}, "hooks": {"AfterTool": [{"hooks": hooks}]}}))
        client = self.start({}, settings={}, settingsFiles=["settings.json"])
        result = client.after_tool("sh", {}, {"llmContent": "x"})
        self.assertEqual((result.success, result.system_message, result.warnings), (False, "note", ["Warning: trouble"]))
        self.assertEqual(result.hook_specific_output, said["hookSpecificOutput"])
        talks, fails = result.runs
        self.assertEqual((talks.exit_code, talks.output, talks.source), (0, said, "project"))
        self.assertTrue(talks.origin.startswith(f"{file}:1:"), talks.origin)
        self.assertEqual((fails.exit_code, fails.stderr, fails.error), (7, "trouble\n", "exit code 7"))

    def test_models_are_asked_in_their_providers_words(self) -> None:
        other = {"candidates": [{"content": {"role": "model", "parts": ["other"]}}]}
        client = self.start(
            {
                "BeforeModel": printing({"hookSpecificOutput": {"llm_request": {"model": "small"}}}),
                "AfterModel": f"cat > seen; {printing({'hookSpecificOutput': {'llm_response': other}})[15:]}",
                "BeforeToolSelection": printing({"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}}),
            }
        )
        changed = client.before_model(GENAI).modified_request
        self.assertEqual(changed, {**GENAI, "model": "small"})
        anthropic = {"model": "big", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
        result = client.before_model(anthropic, provider="anthropic")
        self.assertEqual(result.modified_request, {**anthropic, "model": "small"})
        after = client.after_model(GENAI, {"candidates": []}, sent_request=changed)
        self.assertEqual(after.response["candidates"][0]["content"]["parts"], [{"text": "other"}])
        seen = json.loads((self.project / "seen").read_text())
        self.assertEqual((seen["llm_request"]["model"], seen["llm_request_sent"]["model"]), ("big", "small"))
        selection = client.before_tool_selection(GENAI)
        self.assertEqual(selection.tool_config, {"functionCallingConfig": {"mode": "NONE"}})
        stable = {"model": "big", "messages": []}
        self.assertEqual(client.before_model(stable, provider="stable").modified_request, {**stable, "model": "small"})

    def test_every_other_event_can_be_fired(self) -> None:
        stop = {"continue": False, "stopReason": "enough", "hookSpecificOutput": {"clearContext": True}}
        client = self.start({"SessionStart": "echo welcome", "AfterAgent": printing(stop)})
        self.assertEqual(client.fire("SessionStart", {"source": "startup"}).system_message, "welcome")
        end = client.fire("AfterAgent")
        self.assertEqual((end.decision, end.stop_reason, end.clear_context), ("stop", "enough", True))

    def test_hooks_are_listed_described_switched_and_read_again(self) -> None:
        client = self.start({"BeforeTool": "exit 2"})
        (listed,) = client.list()
        self.assertEqual((listed["hook"], listed["event"], listed["enabled"]), ("hook", "BeforeTool", True))
        self.assertTrue(client.before_tool("sh", {}).blocked)
        (described,) = client.describe("hook")
        self.assertEqual((described["runs"], described["lastOutcome"]), (1, "blocked"))
        self.assertEqual(client.set_enabled("hook", False), {"switched": 1, "events": []})
        self.assertFalse(client.before_tool("sh", {}).blocked)
        client.reload()
        self.assertFalse(client.list()[0]["enabled"], "what was switched stays switched")
        client.set_enabled("hook", True)
        self.assertTrue(client.before_tool("sh", {}).blocked)
        info = client.initialize("s-2", str(self.project), enableHooks=False)
        self.assertFalse(info.enabled)
        self.assertIsNone(client.pid)
        self.assertFalse(client.before_tool("sh", {}).blocked)

    def test_observers_see_hooks_begin_and_end(self) -> None:
        seen: list[str] = []
        client = self.start(
            {"BeforeTool": "exit 2"},
            on_hook_started=lambda hook: seen.append(f"start {hook['hook']}"),
            on_hook_finished=lambda hook: seen.append(f"end {hook['run']['outcome']}"),
            on_telemetry=lambda told: seen.append(f"{told['event']} {told['hooks']} {told['decision']}"),
        )
        client.before_tool("sh", {})
        self.assertEqual(seen, ["start hook", "end blocked", "BeforeTool 1 block"])

    def test_asyncio_has_the_same_methods(self) -> None:
        names = {name for name in dir(HookClient) if not name.startswith("_")}
        self.assertEqual(names, {name for name in dir(AsyncHookClient) if not name.startswith("_")})

        async def session() -> None:
            options: dict[str, Any] = {"binary": BINARY, "settings": settings({"BeforeTool": "exit 2", "SessionStart": "echo hi"})}
            async with AsyncHookClient("s", str(self.project), **options) as hooks:
                self.assertTrue((await hooks.ready()).enabled)
                results = await asyncio.gather(*(hooks.before_tool("sh", {"n": n}) for n in range(20)))
                self.assertTrue(all(result.blocked for result in results))
                self.assertEqual([result.tool_input for result in results], [{"n": n} for n in range(20)])
                self.assertEqual((await hooks.fire("SessionStart")).system_message, "hi")
                self.assertFalse((await hooks.after_tool("sh", {}, None)).blocked)
                self.assertEqual(len(await hooks.list()), 2)
                self.assertEqual((await hooks.set_enabled("hook", False))["switched"], 2)
                self.assertFalse((await hooks.before_tool("sh", {})).blocked)

        asyncio.run(session())
