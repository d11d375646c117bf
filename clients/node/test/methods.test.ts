import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HookClient } from "../src/index.js";
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
  assert.equal(client.pid, undefined, "hooks are disabled: there is nothing to run");
  const { sessionId, enabled, running } = await client.status();
  assert.deepEqual([sessionId, enabled, running], ["s-2", false, 0]);
});

test("a call that the server refuses gets the safe default, with the server's words", async (t) => {
  const told: string[] = [];
  const client = await start(t, { SessionStart: "exit 0" }, { onDiagnostic: (message) => told.push(message) });
  const result = await client.fire("SessionStrat");
  assert.deepEqual([result.blocked, result.decision, result.success], [false, "none", true]);
  assert.match(result.diagnostic ?? "", /unknown event `SessionStrat`\nhint: did you mean `SessionStart`\?/);
  assert.deepEqual(told, [result.diagnostic]);
});

test("a session that is refused has no hooks, and says why", async () => {
  const told: string[] = [];
  const settings = { enableHooks: true, hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
  const onDiagnostic = (message: string) => told.push(message);
  const client = await HookClient.start({ binary: BINARY, sessionId: "s", cwd: "not/absolute", settings, onDiagnostic });
  const result = await client.beforeTool("sh", {});
  assert.equal(result.blocked, false);
  assert.match(told[0] ?? "", /not an absolute path/);
  await client.close();
});

test("an answer has the whole result", async (t) => {
  const project = new Project(t);
  const said = { systemMessage: "note", hookSpecificOutput: { additionalContext: "more", own: { a: 1 } } };
  const hook = (name: string, command: string) => ({ type: "command", name, command });
  const hooks = [hook("talks", printing(said)), hook("fails", "echo trouble >&2; exit 7"), hook("refuses", "exit 2")];
  const file = project.write(
    "settings.json",
    JSON.stringify({ hooksConfig: { enabled: true }, hooks: { BeforeTool: [{ hooks }] } }),
  );
  const client = await start(t, {}, { cwd: project.path, settings: {}, settingsFiles: ["settings.json"] });
  const result = await client.beforeTool("sh", { command: "ls" });
  assert.deepEqual(
    [result.decision, result.success, result.systemMessage, result.warnings],
    ["block", false, "note", ["Warning: trouble"]],
  );
  assert.deepEqual(result.hookSpecificOutput, said.hookSpecificOutput);
  assert.equal(result.output?.["decision"], "block");
  assert.ok(result.totalDuration > 0);
  const [talks, fails, refuses] = result.runs;
  assert.ok(talks && fails && refuses);
  assert.deepEqual([talks.exitCode, talks.success, talks.kind, talks.source], [0, true, "command", "project"]);
  assert.deepEqual(talks.output, said);
  assert.ok(talks.origin.startsWith(`${file}:1:`), talks.origin);
  assert.deepEqual([fails.exitCode, fails.stderr, fails.outcome, fails.error], [7, "trouble\n", "failed", "exit code 7"]);
  assert.deepEqual([refuses.exitCode, refuses.outcome, refuses.success], [2, "blocked", false]);
});

test("observers see hooks begin and end, and telemetry is told on request", async (t) => {
  const seen: string[] = [];
  const client = await start(t, { BeforeTool: "exit 2", SessionStart: "exit 0" }, {
    onHookStarted: ({ event, hook }) => seen.push(`start ${event} ${hook}`),
    onHookFinished: ({ event, run }) => seen.push(`end ${event} ${run.outcome}`),
    onTelemetry: ({ event, hooks, success, decision }) => seen.push(`${event} ${hooks} ${success} ${decision}`),
  });
  await client.beforeTool("sh", {});
  assert.deepEqual(seen, ["start BeforeTool hook", "end BeforeTool blocked", "BeforeTool 1 false block"]);
});

test("hooks are listed, described and switched", async (t) => {
  const client = await start(t, { BeforeTool: "exit 2" });
  const [listed] = await client.list();
  assert.ok(listed);
  assert.deepEqual(
    [listed.hook, listed.event, listed.enabled, listed.switchable, listed.onError, listed.action],
    ["hook", "BeforeTool", true, true, "allow", "exit 2"],
  );
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
  const [described] = await client.describe("hook");
  assert.deepEqual([described?.runs, described?.blocked, described?.lastOutcome], [1, 1, "blocked"]);
  assert.deepEqual(await client.describe("nobody"), []);

  assert.deepEqual(await client.setEnabled("hook", false), { switched: 1, events: [] });
  assert.equal((await client.beforeTool("sh", {})).blocked, false);
  await client.reload();
  assert.equal((await client.list())[0]?.enabled, false, "what was switched stays switched");
  assert.deepEqual(await client.setEnabled("hook", true), { switched: 1, events: ["BeforeTool"] });
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
});

test("settings are read again when the agent says so", async (t) => {
  const project = new Project(t);
  const settings = (command: string) =>
    JSON.stringify({ enableHooks: true, hooks: { BeforeTool: [{ hooks: [{ type: "command", command }] }] } });
  project.write("settings.json", settings("exit 2"));
  const client = await start(t, {}, { cwd: project.path, settings: {}, settingsFiles: ["settings.json"] });
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
  project.write("settings.json", settings("exit 0"));
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
  assert.equal((await client.reload()).enabled, true);
  assert.equal((await client.beforeTool("sh", {})).blocked, false);
});

test("both calls about a tool carry the server of an MCP tool, and hooks know the transcript", async (t) => {
  const project = new Project(t);
  const record = "cat >> seen; echo >> seen";
  const options = { cwd: project.path, transcriptPath: "/tmp/talk.jsonl" };
  const client = await start(t, { BeforeTool: record, AfterTool: record }, options);
  const mcpContext = { server_name: "files" };
  await client.beforeTool("read", {}, { mcpContext });
  await client.afterTool("read", {}, { llmContent: "x" }, { mcpContext });
  const seen = readFileSync(project.at("seen"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(seen.map(({ hook_event_name }) => hook_event_name), ["BeforeTool", "AfterTool"]);
  for (const input of seen) {
    assert.deepEqual(input.mcp_context, mcpContext);
    assert.equal(input.transcript_path, "/tmp/talk.jsonl");
  }
});

test("the stable form passes as it is", async (t) => {
  const request = { model: "big", messages: [{ role: "user", content: "hi" }], config: { temperature: 1 } };
  const change = { hookSpecificOutput: { llm_request: { model: "small" } } };
  const client = await start(t, { BeforeModel: printing(change) }, { provider: "stable" });
  assert.deepEqual((await client.beforeModel(request)).modifiedRequest, { ...request, model: "small" });
});

test("after a model call hooks see the request as it was and as it was sent", async (t) => {
  const project = new Project(t);
  const client = await start(t, { AfterModel: "cat > seen" }, { cwd: project.path });
  const sentRequest = { ...GENAI, model: "small" };
  await client.afterModel(GENAI, { candidates: [] }, { sentRequest });
  const seen = JSON.parse(readFileSync(project.at("seen"), "utf8"));
  assert.deepEqual([seen.llm_request.model, seen.llm_request_sent.model], ["big", "small"]);
});

test("text that was cut inside a character is taken", async (t) => {
  const client = await start(t, { AfterTool: "grep -q 'cut .* here' && exit 2" });
  const result = await client.afterTool("sh", {}, { llmContent: "cut \ud83d here" });
  assert.equal(result.blocked, true);
});

test("an event without hooks is answered here, and the server is not asked", async (t) => {
  const asked: string[] = [];
  const client = await start(t, { BeforeTool: "exit 0" }, { onTelemetry: ({ event }) => asked.push(event) });
  const begin = process.hrtime.bigint();
  for (let call = 0; call < 20_000; call += 1) {
    const result = await client.afterTool("sh", {}, "done");
    if (result.blocked || result.runs.length > 0) assert.fail(JSON.stringify(result));
  }
  const micros = Number(process.hrtime.bigint() - begin) / 20_000 / 1000;
  assert.ok(micros < 50, `${micros} µs each`);
  await client.beforeTool("sh", {});
  assert.deepEqual(asked, ["BeforeTool"]);
  const aborted = await client.afterTool("sh", {}, "done", { signal: AbortSignal.abort() });
  assert.equal(aborted.diagnostic, "the call was cancelled");
});
