import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import {
  BeforeToolHookOutput,
  createHookOutput,
  executeToolWithHooks,
  fireAfterModelHook,
  fireAfterToolHook,
  fireBeforeModelHook,
  fireBeforeToolHook,
  fireBeforeToolSelectionHook,
  HookEventHandler,
  HookSystem,
  type HookSystemConfig,
  HookSystemNotInitializedError,
  triggerToolNotificationHook,
} from "../src/compat/index.js";
import type { JsonObject } from "../src/index.js";
import { BINARY, printing, Project } from "./scene.js";

interface Agent extends HookSystemConfig {
  hookSystem: HookSystem;
}

/** An agent's configuration with these hooks. */
function agent(t: TestContext, commands: Record<string, string>, enabled = true): Agent {
  const cwd = new Project(t).path;
  const group = (command: string) => [{ hooks: [{ type: "command", name: "hook", command }] }];
  const hooks = Object.fromEntries(Object.entries(commands).map(([event, command]) => [event, group(command)]));
  const config: HookSystemConfig = {
    getEnableHooks: () => enabled,
    getSessionId: () => "s-1",
    getTargetDir: () => cwd,
    getHooks: () => hooks,
    getHookSystem: () => (enabled ? system : undefined),
  };
  const system = new HookSystem(config, { binary: BINARY });
  t.after(() => system.dispose());
  return Object.assign(config, { hookSystem: system });
}

const REQUEST = { model: "m", contents: [{ role: "user", parts: [{ text: "hi" }] }] };

test("a hook system is made without starting anything, and initialised before it is used", async (t) => {
  const { hookSystem } = agent(t, { BeforeTool: "exit 2" });
  assert.deepEqual(hookSystem.getStatus(), { initialized: false, totalHooks: 0 });
  assert.throws(() => hookSystem.getEventHandler(), HookSystemNotInitializedError);
  await hookSystem.initialize();
  assert.deepEqual(hookSystem.getStatus(), { initialized: true, totalHooks: 1 });
  assert.ok(hookSystem.getEventHandler() instanceof HookEventHandler);
  hookSystem.setHookEnabled("hook", false);
  assert.equal(hookSystem.getRegistry().getAllHooks()[0]?.enabled, false);
  assert.equal(await hookSystem.fireBeforeToolEvent("sh", {}), undefined);
});

test("the trigger functions give what the document says", async (t) => {
  const changed = { candidates: [{ content: { role: "model", parts: ["other"] } }] };
  const config = agent(t, {
    BeforeTool: "echo no >&2; exit 2",
    AfterTool: printing({ hookSpecificOutput: { additionalContext: "more" } }),
    BeforeModel: printing({ decision: "deny", reason: "cached", hookSpecificOutput: { llm_response: changed } }),
    AfterModel: printing({ hookSpecificOutput: { llm_response: changed } }),
    BeforeToolSelection: printing({ hookSpecificOutput: { toolConfig: { mode: "NONE" } } }),
  });
  const before = await fireBeforeToolHook(config, "sh", {});
  assert.ok(before instanceof BeforeToolHookOutput);
  assert.deepEqual([before.isBlockingDecision(), before.getEffectiveReason()], [true, "no"]);
  assert.equal((await fireAfterToolHook(config, "sh", {}, {}))?.getAdditionalContext(), "more");
  const other = { candidates: [{ content: { role: "model", parts: [{ text: "other" }] } }] };
  const blocked = await fireBeforeModelHook(config, REQUEST);
  assert.deepEqual([blocked.blocked, blocked.reason, blocked.syntheticResponse], [true, "cached", other]);
  assert.deepEqual((await fireAfterModelHook(config, REQUEST, { candidates: [] })).response, other as JsonObject);
  const { toolConfig } = await fireBeforeToolSelectionHook(config, REQUEST);
  assert.equal((toolConfig?.["functionCallingConfig"] as JsonObject)["mode"], "NONE");
  const result = await executeToolWithHooks(config, "sh", {}, async () => ({ llmContent: "ran" }));
  assert.equal(result.llmContent, "no");
});

test("without hooks the trigger functions give the safe defaults", async (t) => {
  const off = agent(t, { BeforeTool: "exit 2" }, false);
  assert.equal(await fireBeforeToolHook(off, "sh", {}), undefined);
  assert.equal(await fireAfterToolHook(off, "sh", {}, {}), undefined);
  assert.deepEqual(await fireBeforeModelHook(off, REQUEST), { blocked: false });
  const response = { candidates: [] };
  assert.deepEqual(await fireAfterModelHook(off, REQUEST, response), { response });
  assert.deepEqual(await fireBeforeToolSelectionHook(off, REQUEST), {});
  assert.equal(await triggerToolNotificationHook(off, { type: "exec", title: "x" }), undefined);
});

test("a failing system does not reach the caller", async () => {
  const broken = { initialize: () => Promise.reject(new Error("broken")) } as unknown as HookSystem;
  const config = { getEnableHooks: () => true, getHookSystem: () => broken };
  assert.equal(await fireBeforeToolHook(config, "sh", {}), undefined);
  assert.deepEqual(await fireBeforeModelHook(config, REQUEST), { blocked: false });
  const result = { llmContent: "ran" };
  assert.equal(await executeToolWithHooks(config, "sh", {}, async () => result), result);
});

test("a configuration that cannot be read once is read the next time", async (t) => {
  const config = agent(t, { BeforeTool: "exit 2" });
  const { getSessionId } = config;
  config.getSessionId = () => {
    throw new Error("not yet");
  };
  assert.equal(await fireBeforeToolHook(config, "sh", {}), undefined);
  config.getSessionId = getSessionId;
  assert.equal((await fireBeforeToolHook(config, "sh", {}))?.isBlockingDecision(), true);
  config.getHookSystem?.()?.dispose();
  const result = { llmContent: "ran" };
  assert.equal(await executeToolWithHooks(config, "sh", {}, async () => result), result, "a disposed system asks nothing");
});

test("the factory has the document's quirk", () => {
  const data = { hookSpecificOutput: { permissionDecision: "block" } };
  assert.equal(createHookOutput("BeforeTool", data).isBlockingDecision(), false);
  assert.equal(new BeforeToolHookOutput(data).isBlockingDecision(), true);
});
