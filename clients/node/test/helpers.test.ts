import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import {
  appendText,
  callModelWithHooks,
  executeToolWithHooks,
  findBinary,
  runToolWithHooks,
  runTurnWithHooks,
  selectToolsWithHooks,
  ToolNotRun,
  type TurnPrompt,
} from "../src/index.js";
import { printing, start } from "./scene.js";

const REQUEST = {
  model: "big",
  contents: [{ role: "user", parts: [{ text: "hi" }] }],
  config: { tools: [{ functionDeclarations: [{ name: "ls" }, { name: "rm" }] }] },
};
const answer = (text: string) => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] });

test("a tool runs as its hooks want it", async (t) => {
  const client = await start(t, {
    BeforeTool: `case "$(cat)" in
      *refuse*) echo "not this" >&2; exit 2;;
      *stop*) echo '{"continue": false, "stopReason": "enough"}';;
      *change*) echo '{"systemMessage": "mind", "hookSpecificOutput": {"tool_input": {"word": "changed"}}}';;
      *fail*) echo "oh" >&2; exit 9;; esac`,
    AfterTool: printing({ suppressOutput: true, systemMessage: "seen", hookSpecificOutput: { additionalContext: "more" } }),
  });
  const echo = (input: object) => ({ llmContent: JSON.stringify(input), returnDisplay: "shown" });
  const run = (word: string) => runToolWithHooks(client, "echo", { word }, echo);

  const changed = await run("change");
  assert.deepEqual(changed.result, {
    llmContent: '{"word":"changed"}\n\n[System] mind\n\nmore\n\n[System] seen',
    returnDisplay: "shown",
    suppressDisplay: true,
  });
  assert.deepEqual([changed.ending, changed.input, changed.stop], ["ran", { word: "changed" }, null]);
  const refused = await run("refuse");
  assert.deepEqual([refused.ending, refused.result.llmContent], ["blocked", "not this"]);
  const stopped = await run("stop");
  assert.deepEqual([stopped.ending, stopped.stop], ["blocked", "enough"]);
  assert.deepEqual((await run("fail")).warnings, ["Warning: oh"]);

  const parts = () => ({ llmContent: [{ text: "a" }] });
  const { llmContent } = await executeToolWithHooks(client, "parts", {}, parts);
  assert.deepEqual(llmContent, [{ text: "a" }, { text: "\n\nmore" }, { text: "\n\n[System] seen" }]);
  const notRun = await runToolWithHooks(client, "x", {}, () => {
    throw new ToolNotRun("the user said no");
  });
  assert.deepEqual([notRun.ending, notRun.result.llmContent], ["notRun", "the user said no"]);
  await assert.rejects(executeToolWithHooks(client, "x", {}, () => Promise.reject(new Error("boom"))), /boom/);
});

test("text is added to content of every form", () => {
  const cases: [unknown, unknown][] = [
    ["out", "out\n\nx"],
    [[{ text: "out" }], [{ text: "out" }, { text: "\n\nx" }]],
    [{ text: "out" }, [{ text: "out" }, { text: "\n\nx" }]],
    [null, "x"],
    [undefined, "x"],
  ];
  for (const [content, expected] of cases) assert.deepEqual(appendText(content, "\n\nx"), expected);
});

test("a model is called as hooks want it", async (t) => {
  const client = await start(t, {
    BeforeModel: printing({ systemMessage: "be kind", hookSpecificOutput: { llm_request: { model: "small" } } }),
    BeforeToolSelection: printing({ hookSpecificOutput: { toolConfig: { allowedFunctionNames: ["ls", "nowhere"] } } }),
    AfterModel: `grep -q '"llm_request_sent"' && echo '{"systemMessage": "both seen"}'`,
  });
  let sent: typeof REQUEST | undefined;
  const call = await callModelWithHooks(client, REQUEST, async (request) => {
    sent = request;
    return answer("hello");
  });
  assert.equal(sent?.model, "small");
  assert.deepEqual((sent.config as Record<string, unknown>)["toolConfig"], {
    functionCallingConfig: { mode: "VALIDATED", allowedFunctionNames: ["ls"] },
  });
  assert.deepEqual(sent.contents[0]?.parts.at(-1), { text: "\n\n[System] be kind" });
  assert.deepEqual([call.response, call.blocked, call.stop], [answer("hello"), null, null]);
  assert.deepEqual(call.notes, ["both seen"]);
  assert.deepEqual([call.restriction.permits("ls"), call.restriction.permits("rm")], [true, false]);
});

test("the helpers use the provider that the client was given", async (t) => {
  const client = await start(t, { BeforeModel: "echo no >&2; exit 2" }, { provider: "anthropic" });
  const request = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] };
  const call = await callModelWithHooks(client, request, () => Promise.reject(new Error("must not be called")));
  assert.equal((call.response as { role?: string }).role, "assistant", "the empty response is Anthropic's");
  const restricting = await start(
    t,
    { BeforeToolSelection: printing({ hookSpecificOutput: { toolConfig: { mode: "NONE" } } }) },
    { provider: "openai" },
  );
  const tools = [{ type: "function", function: { name: "ls" } }];
  const selection = await selectToolsWithHooks(restricting, { model: "m", messages: [], tools });
  assert.deepEqual([(selection.request as { tool_choice?: unknown }).tool_choice, selection.stop], ["none", null]);
  assert.equal(selection.restriction.permits("ls"), false);
});

test("a blocked model call is answered without the model", async (t) => {
  const client = await start(t, { BeforeModel: "echo 'no more today' >&2; exit 2" });
  const call = await callModelWithHooks(client, REQUEST, () => Promise.reject(new Error("must not be called")));
  assert.deepEqual([call.blocked, call.response], ["no more today", { candidates: [] }]);
});

test("a turn begins and ends as hooks want it", async (t) => {
  const client = await start(t, {
    BeforeAgent: `case "$(cat)" in *forbidden*) echo no >&2; exit 2;; esac
      echo '{"hookSpecificOutput": {"additionalContext": "the date"}}'`,
    AfterAgent: `case "$(cat)" in *'"stop_hook_active":true'*) exit 0;; esac; echo 'run the tests' >&2; exit 2`,
  });
  const prompts: TurnPrompt[] = [];
  const end = await runTurnWithHooks(client, "do it", async (prompt) => {
    prompts.push(prompt);
    return `answer ${prompts.length}`;
  });
  assert.deepEqual(prompts, [
    { prompt: "do it", context: "the date", stopHookActive: false },
    { prompt: "run the tests", context: null, stopHookActive: true },
  ]);
  assert.deepEqual(end, { kind: "done", response: "answer 2", clearContext: false, systemMessage: null });
  const refused = await runTurnWithHooks(client, "forbidden", () => Promise.reject(new Error("must not begin")));
  assert.deepEqual(refused, { kind: "refused", reason: "no", stop: false });
});

test("hooks that never let an agent stop are overruled", async (t) => {
  const client = await start(t, { AfterAgent: "exit 2" });
  let turns = 0;
  const end = await runTurnWithHooks(client, "x", async () => String((turns += 1)));
  assert.deepEqual([turns, end.kind], [9, "done"]);
});

test("the package can be required", async () => {
  const required = createRequire(import.meta.url)("@hookrail/client");
  assert.equal(typeof required.HookClient.start, "function");
  const compat = createRequire(import.meta.url)("@hookrail/client/compat");
  assert.equal(typeof compat.HookSystem, "function");
});

test("the binary is the one that is named, that of the environment, or one from the search path", () => {
  assert.equal(findBinary("/a", { HOOKRAIL_BIN: "/b" }), "/a");
  assert.equal(findBinary(undefined, { HOOKRAIL_BIN: "/b" }), "/b");
  assert.equal(findBinary(undefined, {}), "hookrail");
});
