import type { HookClient } from "@hookrail/client";

export interface ToolResult { llmContent: string; returnDisplay: string }
export interface Tool { name: string; execute(input: object, signal: AbortSignal): Promise<ToolResult> }
export class AgentStopped extends Error {}

/** Runs a tool as the user's hooks want it. */
export async function runTool(hooks: HookClient, tool: Tool, input: object, signal: AbortSignal): Promise<ToolResult> {
  const before = await hooks.beforeTool(tool.name, input, { signal });
  if (before.stop) throw new AgentStopped(before.reason ?? undefined);
  if (before.blocked) return { llmContent: before.reason!, returnDisplay: before.reason! };

  const result = await tool.execute(before.toolInput, signal);

  const after = await hooks.afterTool(tool.name, before.toolInput, result, { signal });
  if (after.stop) throw new AgentStopped(after.reason ?? undefined);
  const notes = [before.systemMessage, after.context, after.blocked ? after.reason : null, after.systemMessage];
  const llmContent = [result.llmContent, ...notes.filter((note) => note !== null)].join("\n\n");
  return { llmContent, returnDisplay: after.suppressOutput ? "" : result.returnDisplay };
}
