import type { HookClient, ToolCallOptions } from "./client.js";
import { isObject } from "./results.js";
import type { HookResult, Json, JsonObject } from "./wire.js";

/** What a tool gives back: one thing for the model, one for the person. */
export interface ToolResult {
  /** Text, or a list of parts. */
  llmContent: Json;
  returnDisplay?: Json;
  metadata?: JsonObject;
  error?: Json;
  /** The person is not to be shown this result; the model still gets it. */
  suppressDisplay?: boolean;
}

/** How far a call came: the tool ran, a hook refused it, or it did not run although no hook objected. */
export type ToolEnding = "ran" | "blocked" | "notRun";

/** A tool call from the first hook to the last. */
export interface ToolExecution<Input extends object = JsonObject, Result extends ToolResult = ToolResult> {
  result: Result | ToolResult;
  /** The arguments the tool ran with, or would have. */
  input: Input;
  ending: ToolEnding;
  /** The agent's loop must end, for this reason. */
  stop: string | null;
  /** What hooks that failed left to say. The model is told beside the result, which they must not change. */
  warnings: string[];
}

/** Thrown by a tool that does not want to run with the arguments hooks left it. */
export class ToolNotRun extends Error {
  override readonly name = "ToolNotRun";
}

/** Runs a tool as its hooks want it: refused, with other arguments, with something to add to its result. */
export async function executeToolWithHooks<Input extends object, Result extends ToolResult>(
  hooks: HookClient,
  toolName: string,
  toolInput: Input,
  execute: (input: Input) => Promise<Result> | Result,
  options: ToolCallOptions = {},
): Promise<Result | ToolResult> {
  return (await runToolWithHooks(hooks, toolName, toolInput, execute, options)).result;
}

/**
 * {@link executeToolWithHooks}, telling also what the agent's loop has to know. What `execute` throws is the caller's, but
 * for a {@link ToolNotRun}, which becomes the result; no AfterTool hook is asked about a tool that did not run.
 */
export async function runToolWithHooks<Input extends object, Result extends ToolResult>(
  hooks: HookClient,
  toolName: string,
  toolInput: Input,
  execute: (input: Input) => Promise<Result> | Result,
  options: ToolCallOptions = {},
): Promise<ToolExecution<Input, Result>> {
  const before = await hooks.beforeTool(toolName, toolInput, options);
  if (before.blocked) {
    const refused: ToolResult = { llmContent: before.reason, returnDisplay: before.reason };
    const result = withSystemMessage(refused, before);
    return { result, input: toolInput, ending: "blocked", stop: stopOf(before), warnings: before.warnings };
  }
  const input = before.toolInput;
  let result: Result;
  try {
    result = await execute(input);
  } catch (error) {
    if (!(error instanceof ToolNotRun)) throw error;
    const failed: ToolResult = {
      llmContent: error.message,
      returnDisplay: error.message,
      error: { message: error.message },
    };
    return { result: withSystemMessage(failed, before), input, ending: "notRun", stop: null, warnings: before.warnings };
  }
  const after = await hooks.afterTool(toolName, input, hookResponse(result), options);
  return {
    result: applyAfterTool(withSystemMessage(result, before), after),
    input,
    ending: "ran",
    stop: stopOf(after),
    warnings: [...before.warnings, ...after.warnings],
  };
}

/** A tool's result with what AfterTool hooks said. A block cannot undo what happened; its reason is told to the model. */
export function applyAfterTool<Result extends ToolResult>(result: Result, after: HookResult): Result {
  let content = replacedContent(after) ?? result.llmContent;
  if (after.context) content = appendText(content, `\n\n${after.context}`);
  if (after.output && isBlocking(after.output) && after.reason) content = appendText(content, `\n\n${after.reason}`);
  const applied = withSystemMessage({ ...result, llmContent: content }, after);
  return after.suppressOutput ? { ...applied, suppressDisplay: true } : applied;
}

/** Content for a model with text at its end, whatever form the content has. */
export function appendText(content: Json, text: string): Json {
  if (typeof content === "string") return content + text;
  if (Array.isArray(content)) return [...content, { text }];
  if (content === null || content === undefined) return text.trimStart();
  return [content, { text }];
}

/** A hook's system message as the model reads it. It is never for the screen. */
export function annotation(message: string): string {
  return `\n\n[System] ${message}`;
}

function withSystemMessage<Result extends ToolResult>(result: Result, { systemMessage }: HookResult): Result {
  return systemMessage ? { ...result, llmContent: appendText(result.llmContent, annotation(systemMessage)) } : result;
}

/** Hooks may replace what the model is told altogether. */
function replacedContent({ hookSpecificOutput }: HookResult): Json {
  return hookSpecificOutput?.updatedToolOutput;
}

function hookResponse({ llmContent, returnDisplay, metadata, error }: ToolResult): JsonObject {
  const response: JsonObject = { llmContent, returnDisplay: returnDisplay ?? null, metadata: metadata ?? {} };
  return error === undefined ? response : { ...response, error };
}

function isBlocking(output: JsonObject): boolean {
  return isObject(output) && (output.decision === "block" || output.decision === "deny");
}

function stopOf(result: HookResult): string | null {
  return result.stop ? (result.reason ?? "") : null;
}
