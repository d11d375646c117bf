import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { alive, BINARY, Project, start, until } from "./scene.js";

/** A hook that never ends by itself and leaves its process id. */
const ENDLESS = "echo $$ > hook; exec sleep 600";

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
  const given = await endless;
  assert.deepEqual([given.blocked, given.diagnostic], [false, "the call was cancelled"]);
  await until(() => !alive(pid));
  assert.equal((await client.beforeTool("other", {})).blocked, false);
  assert.equal((await client.status()).running, 0);
});

test("a call that was aborted before is not made", async (t) => {
  const client = await start(t, { BeforeTool: "exit 2" });
  const given = await client.beforeTool("sh", {}, { signal: AbortSignal.abort() });
  assert.deepEqual([given.runs, given.diagnostic], [[], "the call was cancelled"]);
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
  assert.equal((await client.beforeTool("sh", {})).diagnostic, "this client is closed");
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
  const info = '{"jsonrpc":"2.0","id":1,"result":{"enabled":true,"events":null}}';
  const deaf = project.write("deaf.mjs", `console.log('${info}'); setInterval(() => {}, 1000);`);
  const client = await start(t, { BeforeTool: "exit 2" }, { binary: process.execPath, args: [deaf] });
  const { pid } = client;
  assert.ok(alive(pid));
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
