// How long the client takes for an event without hooks, in nanoseconds: `node scripts/bench.mjs path/to/hookrail`.
import { HookClient } from "../dist/index.js";

const CALLS = 200_000;
const [binary] = process.argv.slice(2);
const hooks = { BeforeTool: [{ hooks: [{ type: "command", name: "hook", command: "exit 0" }] }] };
const client = await HookClient.start({ binary, sessionId: "bench", cwd: process.cwd(), settings: { enableHooks: true, hooks } });
if (!client.hasHooks("BeforeTool") || client.hasHooks("AfterTool")) throw new Error("the session is not what it should be");

let best = Infinity;
for (let round = 0; round < 7; round += 1) {
  const start = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) await client.afterTool("sh", { command: "ls" }, null);
  best = Math.min(best, Number(process.hrtime.bigint() - start) / CALLS);
}
console.log(Math.round(best));
await client.close({ timeoutMs: 0 });
