import assert from "node:assert/strict";
import { test } from "node:test";
import { HookClient, HookRequestError } from "../src/index.js";
import { BINARY, Project, printing, start } from "./scene.js";

const GENAI = { model: "big", contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const ANTHROPIC = { model: "big", max_tokens: 9, messages: [{ role: "user", content: "hi" }] };

test("a session tells what it found and what is wrong with it", async (t) => {
  const project = new Project(t);
  const file = project.write("settings.json", '{\n  "hooks": {\n    "BeforTool": []\n  }\n}\n');
  const client = await start(t, { BeforeTool: "exit 0" }, { cwd: project.path, settingsFiles: ["settings.json"] });
  assert.equal(client.info.protocolVersion, 1);
  assert.equal(client.info.server.name, "hookrail");
  assert.equal(client.info.enabled, true);
  assert.equal(client.info.totalHooks, 1);
  assert.deepEqual(client.info.diagnostics, [
    { origin: `${file}:3:5`, message: "unknown event `BeforTool`", hint: "did you mean `BeforeTool`?" },
  ]);
});

test("a tool call can be refused, changed and passed", async (t) => {
  const client = await start(t, {
    BeforeTool: `case "$(cat)" in *rm*) echo "no rm" >&2; exit 2;; *mv*) echo '${JSON.stringify({
      hookSpecificOutput: { tool_input: { command: "mv -i" } },
    })}';; esac`,
  });
  const refused = await client.beforeTool("sh", { command: "rm", cwd: "/" });
  assert.deepEqual([refused.decision, refused.blocked, refused.reason, refused.stop], ["block", true, "no rm", false]);
  assert.deepEqual(refused.runs.map(({ hook, outcome, error }) => ({ hook, outcome, error })), [
    { hook: "hook", outcome: "blocked", error: null },
  ]);

  const changed = await client.beforeTool("sh", { command: "mv", cwd: "/" });
  assert.equal(changed.blocked, false);
  assert.deepEqual(changed.toolInput, { command: "mv -i", cwd: "/" });

  const passed = await client.beforeTool("sh", { command: "ls" }, { mcpContext: { server_name: "shell" } });
  assert.deepEqual([passed.decision, passed.toolInput], ["none", { command: "ls" }]);
});

test("a tool's result gets context", async (t) => {
  const client = await start(t, { AfterTool: printing({ hookSpecificOutput: { additionalContext: "mind the gap" } }) });
  const result = await client.afterTool("sh", {}, { llmContent: "done" });
  assert.equal(result.context, "mind the gap");
});

test("a request to a model is changed in its provider's words", async (t) => {
  const changes = { hookSpecificOutput: { llm_request: { model: "small" } } };
  const client = await start(t, { BeforeModel: printing(changes) });
  assert.deepEqual((await client.beforeModel(GENAI)).modifiedRequest, { ...GENAI, model: "small" });
  const { modifiedRequest } = await client.beforeModel(ANTHROPIC, { provider: "anthropic" });
  assert.deepEqual(modifiedRequest, { ...ANTHROPIC, model: "small" });
});

test("the provider of all calls can be said once", async (t) => {
  const answer = { candidates: [{ content: { role: "model", parts: ["cached"] }, finishReason: "STOP" }] };
  const output = { decision: "deny", reason: "seen before", hookSpecificOutput: { llm_response: answer } };
  const client = await start(t, { BeforeModel: printing(output) }, { provider: "anthropic" });
  const { blocked, reason, syntheticResponse } = await client.beforeModel(ANTHROPIC);
  assert.deepEqual([blocked, reason], [true, "seen before"]);
  assert.deepEqual(syntheticResponse?.["content"], [{ type: "text", text: "cached" }]);
});

test("a model's response is given back changed or as it was", async (t) => {
  const changed = { candidates: [{ content: { role: "model", parts: ["(removed)"] } }] };
  const command = `grep -q secret && echo '${JSON.stringify({ hookSpecificOutput: { llm_response: changed } })}'`;
  const client = await start(t, { AfterModel: `${command} || true` });
  const response = (text: string) => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] });
  assert.deepEqual((await client.afterModel(GENAI, response("fine"))).response, response("fine"));
  const { response: given } = await client.afterModel(GENAI, response("a secret"));
  assert.equal(given.candidates[0]?.content.parts[0]?.text, "(removed)");
});

test("tools are restricted in the provider's words", async (t) => {
  const toolConfig = { mode: "ANY", allowedFunctionNames: ["read_file"] };
  const client = await start(t, { BeforeToolSelection: printing({ hookSpecificOutput: { toolConfig } }) });
  const result = await client.beforeToolSelection(GENAI);
  assert.deepEqual(result.toolConfig, { functionCallingConfig: toolConfig });
});

test("every other event can be fired", async (t) => {
  const client = await start(t, {
    SessionStart: "echo welcome",
    AfterAgent: printing({ continue: false, stopReason: "enough", hookSpecificOutput: { clearContext: true } }),
  });
  assert.equal((await client.fire("SessionStart", { source: "startup" })).systemMessage, "welcome");
  const end = await client.fire("AfterAgent");
  assert.deepEqual([end.decision, end.stop, end.reason, end.clearContext], ["stop", true, "enough", true]);
});

test("a session can be replaced", async (t) => {
  const client = await start(t, { BeforeTool: "exit 2" });
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
  const info = await client.initialize({ sessionId: "s-2", cwd: "/", enableHooks: false });
  assert.equal(info.enabled, false);
  assert.equal(client.info, info);
  assert.equal((await client.beforeTool("sh", {})).blocked, false);
  const { sessionId, enabled, running } = await client.status();
  assert.deepEqual([sessionId, enabled, running], ["s-2", false, 0]);
});

test("a refused call is rejected with the server's words", async (t) => {
  const client = await start(t, {});
  await assert.rejects(client.fire("SessionStrat"), (error) => {
    assert.ok(error instanceof HookRequestError);
    assert.equal(error.code, -32602);
    assert.match(error.message, /unknown event `SessionStrat`\nhint: did you mean `SessionStart`\?/);
    return true;
  });
});

test("a session that is refused does not start", async () => {
  const start = HookClient.start({ binary: BINARY, sessionId: "s", cwd: "not/absolute" });
  await assert.rejects(start, { name: "HookRequestError", code: -32602, message: /not an absolute path/ });
});

test("text that was cut inside a character is taken", async (t) => {
  const client = await start(t, { AfterTool: "grep -q 'cut .* here' && exit 2" });
  const result = await client.afterTool("sh", {}, { llmContent: "cut \ud83d here" });
  assert.equal(result.blocked, true);
});
