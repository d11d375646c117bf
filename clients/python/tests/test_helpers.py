from __future__ import annotations

import asyncio
from typing import Any

from hookrail import (
    AsyncHookClient,
    ToolNotRun,
    TurnPrompt,
    append_text,
    call_model_with_hooks,
    call_model_with_hooks_async,
    execute_tool_with_hooks_async,
    find_binary,
    run_tool_with_hooks,
    run_turn_with_hooks,
    run_turn_with_hooks_async,
    select_tools_with_hooks,
    select_tools_with_hooks_async,
)

from .scene import BINARY, Case, printing, settings

REQUEST: dict[str, Any] = {
    "model": "big",
    "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    "config": {"tools": [{"functionDeclarations": [{"name": "ls"}, {"name": "rm"}]}]},
}

TOOL_HOOKS = {
    "BeforeTool": """case "$(cat)" in
      *refuse*) echo "not this" >&2; exit 2;;
      *stop*) echo '{"continue": false, "stopReason": "enough"}';;
      *change*) echo '{"systemMessage": "mind", "hookSpecificOutput": {"tool_input": {"word": "changed"}}}';;
      *fail*) echo "oh" >&2; exit 9;; esac""",
    "AfterTool": printing(
        {"suppressOutput": True, "systemMessage": "seen", "hookSpecificOutput": {"additionalContext": "more"}}
    ),
}


class Helpers(Case):
    def test_a_tool_runs_as_its_hooks_want_it(self) -> None:
        client = self.start(TOOL_HOOKS)

        def run(word: str) -> Any:
            return run_tool_with_hooks(client, "echo", {"word": word}, lambda input: {"llmContent": input["word"]})

        changed = run("change")
        self.assertEqual(
            changed.result, {"llmContent": "changed\n\n[System] mind\n\nmore\n\n[System] seen", "suppressDisplay": True}
        )
        self.assertEqual((changed.ending, changed.input, changed.stop), ("ran", {"word": "changed"}, None))
        refused = run("refuse")
        self.assertEqual((refused.ending, refused.result["llmContent"]), ("blocked", "not this"))
        self.assertEqual((run("stop").ending, run("stop").stop), ("blocked", "enough"))
        self.assertEqual(run("fail").warnings, ["Warning: oh"])

        def not_run(_: object) -> Any:
            raise ToolNotRun("the user said no")

        given = run_tool_with_hooks(client, "x", {}, not_run)
        self.assertEqual((given.ending, given.result["llmContent"]), ("notRun", "the user said no"))
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            run_tool_with_hooks(client, "x", {}, lambda _: {"llmContent": str(1 / 0)})

    def test_text_is_added_to_content_of_every_form(self) -> None:
        cases: list[tuple[Any, Any]] = [
            ("out", "out\n\nx"),
            ([{"text": "out"}], [{"text": "out"}, {"text": "\n\nx"}]),
            ({"text": "out"}, [{"text": "out"}, {"text": "\n\nx"}]),
            (None, "x"),
        ]
        for content, expected in cases:
            self.assertEqual(append_text(content, "\n\nx"), expected)

    def test_a_model_is_called_as_hooks_want_it(self) -> None:
        client = self.start(
            {
                "BeforeModel": printing(
                    {"systemMessage": "be kind", "hookSpecificOutput": {"llm_request": {"model": "small"}}}
                ),
                "BeforeToolSelection": printing(
                    {"hookSpecificOutput": {"toolConfig": {"allowedFunctionNames": ["ls", "nowhere"]}}}
                ),
                "AfterModel": """grep -q '"llm_request_sent"' && echo '{"systemMessage": "both seen"}'""",
            }
        )
        sent: list[dict[str, Any]] = []

        def call(request: dict[str, Any]) -> dict[str, Any]:
            sent.append(request)
            return {"candidates": []}

        done = call_model_with_hooks(client, REQUEST, call)
        self.assertEqual(sent[0]["model"], "small")
        calling = sent[0]["config"]["toolConfig"]["functionCallingConfig"]
        self.assertEqual(calling, {"mode": "VALIDATED", "allowedFunctionNames": ["ls"]})
        self.assertEqual(sent[0]["contents"][0]["parts"][-1], {"text": "\n\n[System] be kind"})
        self.assertEqual((done.notes, done.blocked, done.stop), (["both seen"], None, None))
        self.assertEqual((done.restriction.permits("ls"), done.restriction.permits("rm")), (True, False))

    def test_a_turn_begins_and_ends_as_hooks_want_it(self) -> None:
        client = self.start(
            {
                "BeforeAgent": """case "$(cat)" in *forbidden*) echo no >&2; exit 2;; esac
                  echo '{"hookSpecificOutput": {"additionalContext": "the date"}}'""",
                "AfterAgent": """case "$(cat)" in *'"stop_hook_active":true'*) exit 0;; esac
                  echo 'run the tests' >&2; exit 2""",
            }
        )
        prompts: list[TurnPrompt] = []

        def work(prompt: TurnPrompt) -> str:
            prompts.append(prompt)
            return f"answer {len(prompts)}"

        end = run_turn_with_hooks(client, "do it", work)
        self.assertEqual(prompts, [TurnPrompt("do it", "the date"), TurnPrompt("run the tests", None, True)])
        self.assertEqual((end.response, end.refused), ("answer 2", None))
        self.assertEqual(run_turn_with_hooks(client, "forbidden", work).refused, "no")

    def test_asyncio_has_the_same_helpers(self) -> None:
        async def session() -> None:
            hooks_of = {**TOOL_HOOKS, "BeforeModel": "echo later >&2; exit 2", "AfterAgent": "exit 2"}
            async with AsyncHookClient("s", str(self.project), binary=BINARY, settings=settings(hooks_of)) as hooks:

                async def execute(_: object) -> dict[str, Any]:
                    return {"llmContent": [{"text": "a"}]}

                result = await execute_tool_with_hooks_async(hooks, "parts", {}, execute)
                self.assertEqual(result["llmContent"], [{"text": "a"}, {"text": "\n\nmore"}, {"text": "\n\n[System] seen"}])

                async def call(_: object) -> dict[str, Any]:
                    raise AssertionError("must not be called")

                blocked = await call_model_with_hooks_async(hooks, REQUEST, call)
                self.assertEqual((blocked.blocked, blocked.response), ("later", {"candidates": []}))
                turns: list[TurnPrompt] = []

                async def work(prompt: TurnPrompt) -> str:
                    turns.append(prompt)
                    return "x"

                await run_turn_with_hooks_async(hooks, "x", work)
                self.assertEqual(len(turns), 9, "hooks that never let an agent stop are overruled")

        asyncio.run(session())

    def test_the_binary_is_the_one_named_that_of_the_environment_or_one_from_the_search_path(self) -> None:
        self.assertEqual(find_binary("/a", {"HOOKRAIL_BIN": "/b"}), "/a")
        self.assertEqual(find_binary(None, {"HOOKRAIL_BIN": "/b"}), "/b")
        self.assertEqual(find_binary(None, {}), "hookrail")

    def test_the_helpers_use_the_provider_that_the_client_was_given(self) -> None:
        client = self.start({"BeforeModel": "echo no >&2; exit 2"}, provider="anthropic")
        request = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}
        self.assertEqual(call_model_with_hooks(client, request, lambda _: {}).response["role"], "assistant")

    def test_tools_are_chosen_as_hooks_want_it(self) -> None:
        restricting = {"BeforeToolSelection": printing({"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}})}
        request = {"model": "m", "messages": [], "tools": [{"type": "function", "function": {"name": "ls"}}]}
        client = self.start(restricting, provider="openai")
        selection = select_tools_with_hooks(client, request)
        self.assertEqual((selection.request["tool_choice"], selection.stop), ("none", None))
        self.assertFalse(selection.restriction.permits("ls"))

        async def session() -> None:
            async with AsyncHookClient("s", str(self.project), binary=BINARY, settings=settings(restricting)) as hooks:
                self.assertFalse((await select_tools_with_hooks_async(hooks, REQUEST)).restriction.permits("ls"))

        asyncio.run(session())
