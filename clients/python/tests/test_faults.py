"""What may go wrong between an agent and its hooks: nothing of it reaches the agent but as a safe default."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hookrail import AsyncHookClient, HookClient

from .scene import BINARY, Case, alive, settings, until

#: Never ends by itself the first time, but ends with its server; the second time it blocks.
ENDLESS_ONCE = "[ -e hook ] && exit 2; echo $$ > hook; while kill -0 $PPID; do sleep 0.05; done"


class Faults(Case):
    def test_a_server_that_dies_is_started_again_and_asked_again_what_may_be_asked_twice(self) -> None:
        client = self.start({"BeforeTool": ENDLESS_ONCE, "AfterTool": "while kill -0 $PPID; do sleep 0.05; done"})
        with ThreadPoolExecutor() as threads:
            repeated = threads.submit(client.before_tool, "sh", {})
            not_repeated = threads.submit(client.after_tool, "sh", {}, {})
            until(lambda: (self.project / "hook").exists())
            first = client.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            self.assertTrue(repeated.result().blocked, "the second server has the session and its hooks")
            given = not_repeated.result()
        self.assertEqual((given.blocked, given.diagnostic), (False, f"`{BINARY}` ended by signal 9"))
        self.assertNotEqual(client.pid, first)

    def test_a_server_that_keeps_dying_is_left_alone(self) -> None:
        script = self.project / "crash.py"
        script.write_text("import sys; sys.exit(3)")
        client = self.start({"BeforeTool": "exit 2"}, binary=sys.executable, args=[str(script)])
        diagnostics = [client.before_tool("sh", {}).diagnostic or "" for _ in range(30)]
        self.assertTrue(any("ended with exit code 3" in message for message in diagnostics), diagnostics[0])
        self.assertRegex(diagnostics[-1], r"keeps failing; it is tried again in \d+ ms")

    def test_a_program_that_does_not_exist_is_named_and_nothing_is_refused_for_it(self) -> None:
        client = self.start({"BeforeTool": "exit 2"}, binary="/no/such/hookrail")
        first = client.before_tool("sh", {"a": 1})
        self.assertFalse(first.blocked)
        self.assertEqual(first.tool_input, {"a": 1})
        self.assertRegex(first.diagnostic or "", r"^cannot start `/no/such/hookrail`: .*\nhint: ")
        for given in (
            client.after_tool("sh", {}, {}),
            client.before_model({}),
            client.after_model({}, {"x": 1}),
            client.before_tool_selection({}),
            client.fire("SessionStart"),
        ):
            self.assertEqual((given.blocked, given.success, given.runs), (False, True, []))
        self.assertEqual((client.list(), client.describe("x"), client.set_enabled("x", True)["switched"]), ([], [], 0))
        self.assertFalse(client.reload().enabled)
        self.assertFalse(client.status()["initialized"])
        strict = self.start({"BeforeTool": "exit 0"}, binary="/no/such/hookrail", on_unavailable="block")
        refused = strict.before_tool("sh", {})
        self.assertTrue(refused.blocked)
        self.assertRegex(refused.reason or "", "^hooks cannot be asked: ")

    def test_a_slow_server_is_waited_for_as_long_as_the_agent_wants(self) -> None:
        client = self.fake("pass", timeout=0.05)
        client.ready()
        self.assertEqual(client.before_tool("sh", {}).diagnostic, "no answer to `beforeTool` within 0.05 s")
        first = client.pid
        client.before_tool("sh", {}, timeout=0.02)
        client.before_tool("sh", {})
        until(lambda: not alive(first) or client.pid != first)

    def test_a_time_that_no_clock_can_count_is_no_time_limit(self) -> None:
        client = self.fake("time.sleep(0.05); send({'jsonrpc': '2.0', 'id': id, 'result': {'blocked': True, 'runs': []}})")
        for timeout in (float("inf"), 1e300, None):
            given = client.before_tool("sh", {}, timeout=timeout)
            self.assertEqual((given.blocked, given.diagnostic), (True, None), timeout)

    def test_arguments_that_cannot_be_sent_get_the_safe_default_and_all_others_are_asked_about(self) -> None:
        client = self.start({"BeforeTool": "grep -q 'rm -rf' && exit 2"})
        circle: dict[str, Any] = {}
        circle["self"] = circle
        for wrong in (circle, {"object": object()}, {"bytes": b"x"}):
            given = client.before_tool("sh", wrong)
            self.assertEqual((given.blocked, given.tool_input), (False, wrong))
            self.assertTrue(given.diagnostic, "it says why")
        deep: Any = "rm -rf"
        for _ in range(500):
            deep = [deep]
        for unusual in ({"deep": deep}, {"half": "\ud83d", "x": "rm -rf"}, {"x": [float("nan"), {"y": float("inf")}, "rm -rf"]}):
            given = client.before_tool("sh", unusual)
            self.assertEqual((given.blocked, given.diagnostic), (True, None))

    def test_answers_that_confuse_a_parser_end_no_thread(self) -> None:
        for body, said in (
            ("sys.stdout.write('[' * 100000 + '\\n'); sys.stdout.flush()", "wrote something that is no answer"),
            ("send({'jsonrpc': '2.0', 'id': id, 'error': {'code': 'x', 'message': 'no'}})", "^no$"),
        ):
            client = self.fake(body, timeout=30.0)
            self.assertRegex(client.before_tool("sh", {}).diagnostic or "", said)
            client.close(0.0)

    def test_output_that_is_no_answer_ends_the_server_and_not_the_agent(self) -> None:
        for garbage in ("oops", "[1, 2]", "3", '"text"', "{", "\x00\x01"):
            client = self.fake(f"sys.stdout.write({garbage!r} + '\\n'); sys.stdout.flush()")
            given = client.before_tool("sh", {})
            self.assertFalse(given.blocked)
            self.assertRegex(given.diagnostic or "", "wrote something that is no answer", garbage)
            client.close(0.0)

    def test_an_answer_of_another_form_is_no_answer(self) -> None:
        for result in (None, 1, {}, {"blocked": "yes", "runs": []}, {"blocked": True}):
            client = self.fake(f"send({{'jsonrpc': '2.0', 'id': id, 'result': json.loads({json.dumps(result)!r})}})")
            given = client.before_tool("sh", {"a": 1})
            self.assertEqual((given.blocked, given.tool_input), (False, {"a": 1}))
            self.assertEqual(given.diagnostic, "the server's answer has not the form of one")
            client.close(0.0)

    def test_ten_thousand_calls_at_a_time_are_all_answered(self) -> None:
        hook = {"type": "command", "command": "exit 2"}
        chosen = {"enableHooks": True, "hooks": {"BeforeTool": [{"matcher": "^refused$", "hooks": [hook]}]}}

        async def session() -> None:
            async with AsyncHookClient("s", str(self.project), binary=BINARY, settings=chosen) as hooks:
                names = ["refused" if n % 1000 == 0 else "free" for n in range(10_000)]
                results = await asyncio.gather(*(hooks.before_tool(name, {"n": n}) for n, name in enumerate(names)))
                self.assertTrue(all(result.tool_input == {"n": n} for n, result in enumerate(results)))
                self.assertEqual(sum(result.blocked for result in results), 10)

        asyncio.run(session())

    def test_ten_thousand_calls_survive_their_servers_death(self) -> None:
        async def session() -> None:
            options: dict[str, Any] = {"binary": BINARY, "settings": settings({"BeforeTool": "exit 0", "AfterTool": "exit 0"})}
            async with AsyncHookClient("s", str(self.project), **options) as hooks:
                await hooks.ready()
                asked = [asyncio.ensure_future(hooks.after_tool("sh", {}, {})) for _ in range(10_000)]
                await asyncio.sleep(0)
                assert hooks.pid is not None
                os.kill(hooks.pid, signal.SIGKILL)
                results = await asyncio.gather(*asked)
                self.assertFalse(any(result.blocked for result in results))
                self.assertTrue(any("ended by signal 9" in (result.diagnostic or "") for result in results))
                self.assertIsNone((await hooks.before_tool("sh", {})).diagnostic, "the next one has a server again")

        asyncio.run(session())

    def test_a_cancelled_task_ends_its_hooks(self) -> None:
        async def session() -> None:
            options: dict[str, Any] = {"binary": BINARY, "settings": settings({"BeforeTool": "echo $$ > hook; exec sleep 600"})}
            async with AsyncHookClient("s", str(self.project), **options) as hooks:
                task = asyncio.ensure_future(hooks.before_tool("sh", {}))
                file = self.project / "hook"
                while not (file.exists() and file.read_text().endswith("\n")):
                    await asyncio.sleep(0.01)
                pid = int(file.read_text())
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                await asyncio.to_thread(until, lambda: not alive(pid))

        asyncio.run(session())

    def test_no_process_runs_while_there_is_nothing_to_ask(self) -> None:
        hooks = {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}
        (self.project / "off.json").write_text(json.dumps({"hooks": hooks}))
        cases: list[tuple[dict[str, Any], bool]] = [
            ({"settings": {"enableHooks": True, "hooks": hooks}, "enableHooks": False}, False),
            ({"settings": {"enableHooks": False, "hooks": hooks}}, False),
            ({"settings": {"hooks": hooks}}, False),
            ({"settings": {"enableHooks": True}}, False),
            ({"settings": {}, "settingsFiles": ["off.json", "nowhere.json"]}, False),
            ({"settings": {"enableHooks": True, "hooks": hooks, "hooksConfig": {"disabled": ["exit 2"]}}}, False),
            ({"settings": {"hooksConfig": {"enabled": True}, "hooks": hooks}}, True),
            ({"settings": [{"format": "gemini", "settings": {"hooks": hooks}}]}, True),
        ]
        for session, expected in cases:
            client = HookClient("s", str(self.project), binary=BINARY, **session)
            self.assertIsNone(client.pid, "started when it is needed, not before")
            given = client.before_tool("sh", {})
            self.assertEqual((given.blocked, given.diagnostic), (expected, None), session)
            self.assertEqual(client.pid is not None, expected, session)
            client.close(0.0)

    def test_closing_leaves_no_process(self) -> None:
        client = self.start({"BeforeTool": "sleep 0.2; exit 2"})
        client.ready()
        pid = client.pid
        with ThreadPoolExecutor() as threads:
            underway = threads.submit(client.before_tool, "sh", {})
            until(lambda: client.status()["running"] == 1)
            client.close()
            self.assertTrue(underway.result().blocked)
        self.assertFalse(alive(pid))
        self.assertEqual(client.before_tool("sh", {}).diagnostic, "this client is closed")

    def test_a_program_that_forgets_to_close_its_client_leaves_nothing(self) -> None:
        import subprocess

        script = (
            "from hookrail import HookClient\n"
            f"client = HookClient('s', {str(self.project)!r}, binary={BINARY!r}, settings={settings({'BeforeTool': 'exit 2'})!r})\n"
            "print(client.before_tool('sh', {}).blocked, client.pid)\n"
        )
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=60)
        blocked, pid = done.stdout.split()
        self.assertEqual((blocked, done.returncode), ("True", 0), done.stderr)
        until(lambda: not alive(int(pid)))

    def test_what_an_agents_own_functions_raise_does_not_reach_its_calls(self) -> None:
        def fail(_: object) -> None:
            raise RuntimeError("of the agent's making")

        names = ("on_log", "on_diagnostic", "on_hook_started", "on_hook_finished", "on_telemetry")
        client = self.start({"BeforeTool": "exit 2"}, **{name: fail for name in names})
        self.assertTrue(client.before_tool("sh", {}).blocked)
        self.assertFalse(client.fire("Strange").blocked)

    def test_threads_may_share_a_client(self) -> None:
        client = self.start({"BeforeTool": "exit 2"})
        blocked: list[bool] = []
        threads = [threading.Thread(target=lambda: blocked.append(client.before_tool("sh", {}).blocked)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(blocked, [True] * 16)
