import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HookClient } from "@hookrail/client";
import { AgentStopped, runTool, type Tool } from "../examples/run-tool.js";
import { BINARY, Project } from "./scene.js";

const echo: Tool = {
  name: "echo",
  execute: async (input) => ({ llmContent: JSON.stringify(input), returnDisplay: "shown" }),
};

test("the example of the manual does what hooks want", async (t) => {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const hooks = await HookClient.start({
    binary: BINARY,
    sessionId: "s",
    cwd: new Project(t).path,
    settings: {
      enableHooks: true,
      hooks: {
        BeforeTool: hook(`case "$(cat)" in
          *refuse*) echo "not this" >&2; exit 2;;
          *stop*) echo '{"continue": false, "stopReason": "enough"}';;
          *change*) echo '{"hookSpecificOutput": {"tool_input": {"word": "changed"}}}';; esac`),
        AfterTool: hook(`echo '{"suppressOutput": true, "hookSpecificOutput": {"additionalContext": "and so on"}}'`),
      },
    },
  });
  t.after(() => hooks.close());
  const run = (word: string) => runTool(hooks, echo, { word }, AbortSignal.timeout(60_000));

  assert.deepEqual(await run("plain"), { llmContent: '{"word":"plain"}\n\nand so on', returnDisplay: "" });
  assert.deepEqual(await run("change"), { llmContent: '{"word":"changed"}\n\nand so on', returnDisplay: "" });
  assert.deepEqual(await run("refuse"), { llmContent: "not this", returnDisplay: "not this" });
  await assert.rejects(run("stop"), new AgentStopped("enough"));
});

test("the manual shows the example as it is", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  assert.ok(read("README.md").includes(`\`\`\`ts\n${read("examples/run-tool.ts")}\`\`\``));
});
