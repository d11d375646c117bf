/** What may go wrong between an agent and its hooks: nothing of it reaches the agent but as a safe default. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { HookClient, type HookClientOptions } from "../src/index.js";
import { LineSplitter } from "../src/lines.js";
import { alive, BINARY, Project, start, until } from "./scene.js";

/** Never ends by itself the first time, but ends with its server; the second time it blocks. */
const ENDLESS_ONCE = "[ -e hook ] && exit 2; echo $$ > hook; while kill -0 $PPID; do sleep 0.05; done";

/** A server of our own making; `body` handles one request, given as `id` and `method`. */
async function startFake(t: TestContext, body: string, options: Partial<HookClientOptions> = {}): Promise<HookClient> {
  const fake = new Project(t).write(
    "fake.mjs",
    `import { createInterface } from "node:readline";
     const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
     const info = { protocolVersion: 1, server: { name: "fake", version: "0" }, enabled: true, totalHooks: 1, events: null, diagnostics: [] };
     for await (const line of createInterface({ input: process.stdin })) {
       const { id, method } = JSON.parse(line);
       if (method === "initialize") { send({ jsonrpc: "2.0", id, result: info }); continue; }
       if (method === "shutdown") process.exit();
       ${body}
     }`,
  );
  return start(t, { BeforeTool: "exit 0" }, { binary: process.execPath, args: [fake], ...options });
}

test("a server that dies is started again and asked again what may be asked twice", async (t) => {
  const project = new Project(t);
  const commands = { BeforeTool: ENDLESS_ONCE, AfterTool: "while kill -0 $PPID; do sleep 0.05; done" };
  const client = await start(t, commands, { cwd: project.path });
  const first = client.pid;
  const repeated = client.beforeTool("sh", {});
  const notRepeated = client.afterTool("sh", {}, {});
  await project.pid("hook");
  process.kill(first!, "SIGKILL");
  const given = await notRepeated;
  assert.deepEqual([given.blocked, given.diagnostic], [false, `\`${BINARY}\` ended by SIGKILL`]);
  assert.equal((await repeated).blocked, true, "the second server has the session and its hooks");
  assert.notEqual(client.pid, first);

  for (let round = 0; round < 3; round += 1) {
    process.kill(client.pid!, "SIGKILL");
    await until(() => client.pid === undefined);
    assert.equal((await client.beforeTool("sh", {})).blocked, true, "it answered before it died, so it is started at once");
  }
});

test("a server that keeps dying is left alone for longer and longer", async (t) => {
  const project = new Project(t);
  const crash = project.write("crash.sh", "#!/bin/sh\nexit 3\n");
  const client = await start(t, { BeforeTool: "exit 2" }, { binary: "/bin/sh", args: [crash], cwd: project.path });
  const diagnostics: string[] = [];
  for (let call = 0; call < 50; call += 1) {
    const { blocked, diagnostic } = await client.beforeTool("sh", {});
    assert.equal(blocked, false);
    diagnostics.push(diagnostic ?? "");
  }
  assert.ok(diagnostics.some((message) => message.includes("ended with exit code 3")), diagnostics[0]);
  assert.match(diagnostics.at(-1)!, /keeps failing; it is tried again in \d+ ms/);
});

test("a program that does not exist is named, and nothing is refused for it", async (t) => {
  const client = await start(t, { BeforeTool: "exit 2" }, { binary: "/no/such/hookrail" });
  const { blocked, diagnostic } = await client.beforeTool("sh", {});
  assert.equal(blocked, false);
  assert.match(diagnostic!, /^(cannot start `\/no\/such\/hookrail`: .*\nhint: |`\/no\/such\/hookrail` keeps failing)/);
  for (const given of [
    await client.afterTool("sh", {}, {}),
    await client.beforeModel({}),
    await client.afterModel({}, {}),
    await client.beforeToolSelection({}),
    await client.fire("SessionStart"),
  ]) {
    assert.deepEqual([given.blocked, given.success, given.runs], [false, true, []]);
  }
  assert.deepEqual(await client.list(), []);
  assert.deepEqual(await client.describe("x"), []);
  assert.equal((await client.setEnabled("x", true)).switched, 0);
  assert.equal((await client.reload()).enabled, false);
  assert.equal((await client.status()).initialized, false);
});

test("an agent that must not go on without its hooks does not", async (t) => {
  const options = { binary: "/no/such/hookrail", onUnavailable: "block" } as const;
  const client = await start(t, { BeforeTool: "exit 0" }, options);
  const { blocked, reason } = await client.beforeTool("sh", {});
  assert.equal(blocked, true);
  assert.match(reason!, /^hooks cannot be asked: /);
});

test("a slow server is waited for as long as the agent wants", async (t) => {
  const client = await startFake(t, "/* never answers */", { timeoutMs: 50 });
  const first = client.pid;
  const { blocked, diagnostic } = await client.beforeTool("sh", {});
  assert.deepEqual([blocked, diagnostic], [false, "no answer to `beforeTool` within 50 ms"]);
  assert.match((await client.beforeTool("sh", {}, { timeoutMs: 20 })).diagnostic!, /within 20 ms/);
  await client.beforeTool("sh", {});
  await until(() => !alive(first));
  assert.notEqual(client.pid, first, "one that answers nothing any more is ended");
});

test("a time that no timer can count is no time limit", async (t) => {
  const client = await startFake(t, "setTimeout(() => send({ jsonrpc: '2.0', id, result: { blocked: true, runs: [] } }), 50);");
  for (const timeoutMs of [Infinity, 2 ** 31, 0]) {
    const { blocked, diagnostic } = await client.beforeTool("sh", {}, { timeoutMs });
    assert.deepEqual([blocked, diagnostic], [true, null], `${timeoutMs}`);
  }
});

test("arguments that cannot be sent get the safe default, and those that hooks can be asked about are", async (t) => {
  const client = await start(t, { BeforeTool: "grep -q 'rm -rf' && exit 2" });
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const input of [circle, { big: 1n }, { toJSON: () => { throw new Error("no"); } }]) {
    const { blocked, diagnostic, toolInput } = await client.beforeTool("sh", input);
    assert.deepEqual([blocked, toolInput === input], [false, true]);
    assert.ok(diagnostic, "it says why");
  }
  let deep: unknown = "rm -rf";
  for (let level = 0; level < 1000; level += 1) deep = [deep];
  for (const input of [{ deep }, { half: "\ud83d", command: "rm -rf" }, { nothing: NaN, command: "rm -rf" }]) {
    assert.equal((await client.beforeTool("sh", input)).blocked, true);
  }
});

test("a server that never ends its line does not fill the memory", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), 8);
  for (const chunk of ["ab", "cd\nef", "ghijklmno", "p", "\nq\n"]) splitter.push(Buffer.from(chunk));
  assert.deepEqual(lines, ["abcd", "efghijklmno", "p", "q"]);
});

test("output that is no answer ends the server and not the agent", async (t) => {
  for (const garbage of ["oops", "[1, 2]", "3", '"text"', "{", "\\u0000\\u0001"]) {
    const client = await startFake(t, `process.stdout.write(${JSON.stringify(garbage)} + "\\n");`);
    const { blocked, diagnostic } = await client.beforeTool("sh", {});
    assert.equal(blocked, false);
    assert.match(diagnostic!, /wrote something that is no answer/, garbage);
    await client.close({ timeoutMs: 0 });
  }
});

test("an answer of another form is no answer", async (t) => {
  for (const result of ["null", "1", "{}", '{"blocked": "yes", "runs": []}', '{"blocked": true}']) {
    const client = await startFake(t, `send({ jsonrpc: "2.0", id, result: ${result} });`);
    const { blocked, diagnostic, toolInput } = await client.beforeTool("sh", { a: 1 });
    assert.deepEqual([blocked, toolInput], [false, { a: 1 }]);
    assert.equal(diagnostic, "the server's answer has not the form of one", result);
    await client.close({ timeoutMs: 0 });
  }
});

test("answers come whole however they are cut", async (t) => {
  const client = await startFake(
    t,
    `const result = { blocked: true, reason: "gr\\u00fc\\u00dfe", output: null, runs: [] };
     const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
     const cut = bytes.indexOf(0xc3) + 1;
     process.stdout.write(bytes.subarray(0, cut));
     await new Promise((resolve) => setTimeout(resolve, 20));
     process.stdout.write(bytes.subarray(cut));`,
  );
  assert.equal((await client.beforeTool("sh", {})).reason, "grüße");
});

test("ten thousand calls at a time are all answered", async (t) => {
  const hook = { type: "command", command: "exit 2" };
  const settings = { enableHooks: true, hooks: { BeforeTool: [{ matcher: "^refused$", hooks: [hook] }] } };
  const client = await start(t, {}, { settings });
  const calls = Array.from({ length: 10_000 }, (_, n) => client.beforeTool(n % 1000 === 0 ? "refused" : "free", { n }));
  const results = await Promise.all(calls);
  assert.ok(results.every(({ toolInput }, n) => toolInput.n === n));
  assert.equal(results.filter(({ blocked }) => blocked).length, 10);
});

test("ten thousand calls survive their server's death", async (t) => {
  const client = await start(t, { BeforeTool: "exit 0", AfterTool: "exit 0" });
  const asked = Array.from({ length: 10_000 }, () => client.afterTool("sh", {}, {}));
  await until(() => client.pid !== undefined);
  process.kill(client.pid!, "SIGKILL");
  const results = await Promise.all(asked);
  assert.ok(results.every(({ blocked }) => blocked === false));
  assert.ok(results.some(({ diagnostic }) => diagnostic?.includes("ended by SIGKILL")));
  assert.equal((await client.beforeTool("sh", {})).diagnostic, null, "the next one has a server again");
});

test("no process runs while there is nothing to ask", async (t) => {
  const project = new Project(t);
  project.write("off.json", '{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}');
  project.write("empty.json", '{"enableHooks": true, "hooks": {}}');
  const hooks = { BeforeTool: [{ hooks: [{ type: "command", command: "exit 2" }] }] };
  const disabled = { disabled: ["exit 2"] };
  const cases: [Partial<HookClientOptions>, boolean][] = [
    [{ settings: { enableHooks: true, hooks }, enableHooks: false }, false],
    [{ settings: { enableHooks: false, hooks } }, false],
    [{ settings: { hooks } }, false],
    [{ settings: { enableHooks: true } }, false],
    [{ settingsFiles: ["off.json", "nowhere.json"], settings: {} }, false],
    [{ settingsFiles: ["empty.json"] }, false],
    [{ settingsFiles: ["off.json", "empty.json"] }, true],
    [{ settings: { enableHooks: true, hooks, hooksConfig: disabled } }, false],
    [{ settings: { enableHooks: true, hooks, tools: { enableHooks: false } } }, false],
    [{ settings: { enableHooks: true, hooks } }, true],
    [{ settings: { hooksConfig: { enabled: true }, hooks } }, true],
    [{ settings: [{ format: "gemini", settings: { hooks } }] }, true],
  ];
  for (const [options, expected] of cases) {
    const client = new HookClient({ binary: BINARY, sessionId: "s", cwd: project.path, ...options });
    assert.equal(client.pid, undefined, "started when it is needed, not before");
    const { blocked, diagnostic } = await client.beforeTool("sh", {});
    assert.deepEqual([blocked, diagnostic], [expected, null], JSON.stringify(options));
    assert.equal(client.pid !== undefined, expected, JSON.stringify(options));
    await client.close({ timeoutMs: 0 });
  }
});

test("events without hooks are not sent", async (t) => {
  const project = new Project(t);
  const seen: string[] = [];
  const options = { cwd: project.path, onTelemetry: ({ event }: { event: string }) => seen.push(event) };
  const client = await start(t, { BeforeTool: "touch ran" }, options);
  await client.afterTool("sh", {}, {});
  await client.fire("SessionEnd");
  await client.beforeTool("sh", {});
  assert.deepEqual(seen, ["BeforeTool"]);
  assert.ok(existsSync(project.at("ran")));
});

test("what an agent's own functions throw does not reach its calls", async (t) => {
  const fail = () => {
    throw new Error("of the agent's making");
  };
  const options = { onLog: fail, onDiagnostic: fail, onHookStarted: fail, onHookFinished: fail, onTelemetry: fail };
  const client = await start(t, { BeforeTool: "exit 2" }, options);
  assert.equal((await client.beforeTool("sh", {})).blocked, true);
  assert.equal((await client.fire("Strange")).blocked, false);
});
