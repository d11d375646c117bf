import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { HookClient, HookServerError } from "../src/index.js";
import { alive, BINARY, Project, start, until } from "./scene.js";

/** A hook that never ends by itself and leaves its process id. */
const ENDLESS = "echo $$ > hook; exec sleep 600";

/** The same the first time, ending with its server; the second time it blocks. */
const ENDLESS_ONCE = "[ -e hook ] && exit 2; echo $$ > hook; while kill -0 $PPID; do sleep 0.05; done";

test("answers come when they are ready", async (t) => {
  const project = new Project(t);
  const client = await start(
    t,
    { BeforeTool: "case $(cat) in *slow*) while [ ! -e go ]; do sleep 0.01; done; exit 2;; esac" },
    { cwd: project.path },
  );
  const order: string[] = [];
  const slow = client.beforeTool("slow", {}).then((result) => order.push(`slow ${result.decision}`));
  const quick = [1, 2, 3].map((n) => client.beforeTool("quick", {}).then(() => order.push(`quick ${n}`)));
  await Promise.all(quick);
  assert.equal((await client.status()).running, 1);
  project.write("go", "");
  await slow;
  assert.deepEqual(order.slice(0, 3).sort(), ["quick 1", "quick 2", "quick 3"]);
  assert.equal(order[3], "slow block");
});

test("an aborted call ends its hooks and no others", async (t) => {
  const project = new Project(t);
  const command = `case $(cat) in *endless*) ${ENDLESS};; esac`;
  const client = await start(t, { BeforeTool: command }, { cwd: project.path });
  const controller = new AbortController();
  const endless = client.beforeTool("endless", {}, { signal: controller.signal });
  const pid = await project.pid("hook");
  controller.abort();
  await assert.rejects(endless, { name: "AbortError" });
  await until(() => !alive(pid));
  assert.equal((await client.beforeTool("other", {})).blocked, false);
  assert.equal((await client.status()).running, 0);
});

test("a call that was aborted before is not made", async (t) => {
  const client = await start(t, { BeforeTool: "exit 2" });
  const reason = new Error("changed my mind");
  await assert.rejects(client.beforeTool("sh", {}, { signal: AbortSignal.abort(reason) }), reason);
});

test("a server that dies is started again, once", async (t) => {
  const project = new Project(t);
  const log: string[] = [];
  const onLog = (line: string) => log.push(line);
  const commands = { BeforeTool: ENDLESS_ONCE, AfterTool: "while kill -0 $PPID; do sleep 0.05; done" };
  const client = await start(t, commands, { cwd: project.path, onLog });
  const first = client.pid;
  const repeated = client.beforeTool("sh", {});
  const notRepeated = client.afterTool("sh", {}, {});
  notRepeated.catch(() => {});
  await project.pid("hook");

  process.kill(first!, "SIGKILL");
  await assert.rejects(notRepeated, { name: "HookServerError", message: `\`${BINARY}\` ended by SIGKILL` });
  assert.equal((await repeated).blocked, true, "the second server has the session and its hooks");
  assert.notEqual(client.pid, first);
  assert.ok(log.some((line) => line.includes("starting it again")));

  process.kill(client.pid!, "SIGKILL");
  await until(() => client.pid === undefined);
  await assert.rejects(client.beforeTool("sh", {}), HookServerError);
  await assert.rejects(client.status(), { message: `\`${BINARY}\` ended by SIGKILL` });
  await client.close();
});

test("output that is no answer is tolerated and logged", async (t) => {
  const project = new Project(t);
  const fake = project.write(
    "fake.mjs",
    `import { createInterface } from "node:readline";
     const info = { protocolVersion: 1, server: { name: "fake", version: "0" }, enabled: true, totalHooks: 0, diagnostics: [] };
     for await (const line of createInterface({ input: process.stdin })) {
       const { id, method } = JSON.parse(line);
       process.stdout.write("oops\\n[1, 2]\\n\\n{\\"jsonrpc\\": \\"2.0\\", \\"id\\": 999, \\"result\\": 1}\\n3\\n{\\"id\\": null}\\n");
       const answer = JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? info : { text: "gr\\u00fc\\u00dfe" } });
       // Cut inside a character, so that neither lines nor characters come whole.
       const bytes = Buffer.from(answer + "\\n");
       const cut = bytes.indexOf(0xc3) + 1 || 5;
       process.stdout.write(bytes.subarray(0, cut));
       await new Promise((resolve) => setTimeout(resolve, 20));
       process.stdout.write(bytes.subarray(cut));
       if (method === "shutdown") process.exit();
     }`,
  );
  const log: string[] = [];
  const options = { binary: process.execPath, args: [fake], onLog: (line: string) => log.push(line) };
  const client = await start(t, {}, options);
  assert.deepEqual(await client.status(), { text: "grüße" });
  await client.close();
  for (const line of ["oops", "[1, 2]", "3", '{"id": null}']) {
    assert.ok(log.includes(`unexpected output: ${line}`), `${line} in ${JSON.stringify(log)}`);
  }
});

test("a program that does not exist is named", async () => {
  const start = HookClient.start({ binary: "/no/such/hookrail", sessionId: "s", cwd: "/" });
  await assert.rejects(start, { name: "HookServerError", message: /^cannot start `\/no\/such\/hookrail`: .*\nhint: / });
});

test("what the server says on stderr can be heard", async (t) => {
  const log: string[] = [];
  const client = await start(t, { BeforeTool: "exit 7" }, { onLog: (line) => log.push(line) });
  await client.beforeTool("sh", {});
  await until(() => log.some((line) => line.includes("exit code 7")));
});

test("closing lets calls finish and leaves no process", async (t) => {
  const client = await start(t, { BeforeTool: "sleep 0.2; exit 2" });
  const { pid } = client;
  assert.ok(alive(pid));
  const underway = client.beforeTool("sh", {});
  await Promise.all([client.close(), client.close()]);
  assert.equal((await underway).blocked, true);
  assert.ok(!alive(pid));
  assert.equal(client.pid, undefined);
  await assert.rejects(client.beforeTool("sh", {}), { name: "HookServerError", message: "this client is closed" });
});

test("closing does not wait for ever", async (t) => {
  const project = new Project(t);
  const client = await start(t, { BeforeTool: ENDLESS }, { cwd: project.path });
  const endless = client.beforeTool("sh", {});
  const hook = await project.pid("hook");
  const { pid } = client;
  await client.close({ timeoutMs: 50 });
  assert.equal((await endless).runs[0]?.outcome, "cancelled");
  assert.ok(!alive(pid) && !alive(hook));
});

test("a server that does not listen is killed", async (t) => {
  const project = new Project(t);
  const info = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const deaf = project.write("deaf.mjs", `console.log('${info}'); setInterval(() => {}, 1000);`);
  const client = await start(t, {}, { binary: process.execPath, args: [deaf] });
  const { pid } = client;
  await client.close({ timeoutMs: 0 });
  assert.ok(!alive(pid));
});

test("a program that forgets to close its client ends all the same", async (t) => {
  const project = new Project(t);
  const module = new URL("../src/index.js", import.meta.url);
  const program = project.write(
    "program.mjs",
    `import { HookClient } from ${JSON.stringify(module.href)};
     const client = await HookClient.start(${JSON.stringify({
       binary: BINARY,
       sessionId: "s",
       cwd: project.path,
       settings: { enableHooks: true, hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "sleep 0.3" }] }] } },
     })});
     const { runs } = await client.beforeTool("sh", {});
     console.log(client.pid, runs.length);`,
  );
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const [pid, runs] = output.trim().split(" ").map(Number);
  assert.equal(runs, 1);
  await until(() => !alive(pid));
});
