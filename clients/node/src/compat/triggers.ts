/** The trigger functions of the document. None is ever rejected; an agent without hooks gets the safe default at once. */

import type { HookClient } from "../client.js";
import { type ToolResult, runToolWithHooks } from "../tools.js";
import type { JsonObject } from "../wire.js";
import type { HookSystem, HookSystemConfig } from "./system.js";
import {
  AfterAgentHookOutput,
  AfterToolHookOutput,
  BeforeAgentHookOutput,
  BeforeToolHookOutput,
  type DefaultHookOutput,
  type McpContext,
  SessionEndHookOutput,
  SessionStartHookOutput,
} from "./types.js";

type Config = Pick<HookSystemConfig, "getEnableHooks" | "getHookSystem">;

/** What hooks make of a request before it is sent. */
export interface BeforeModelHookResult {
  /** The request must not be sent; true for a stop as well (HOOK-184). */
  blocked: boolean;
  reason?: string;
  syntheticResponse?: JsonObject;
  modifiedRequest?: JsonObject;
  /** The agent's loop must end. */
  stop?: boolean;
}

/** What hooks make of a complete response. */
export interface AfterModelHookResult<Response extends object = JsonObject> {
  response: Response;
  stop?: boolean;
  reason?: string;
  suppressOutput?: boolean;
}

/** What hooks make of the choice of tools. */
export interface BeforeToolSelectionHookResult {
  toolConfig?: JsonObject;
  tools?: unknown[];
  stop?: boolean;
  reason?: string;
}

export async function fireBeforeToolHook(
  config: Config,
  toolName: string,
  toolInput: JsonObject,
  mcpContext?: McpContext,
): Promise<BeforeToolHookOutput | undefined> {
  const output = await ask(config, (system) => system.fireBeforeToolEvent(toolName, toolInput, mcpContext));
  return output && new BeforeToolHookOutput(output);
}

export async function fireAfterToolHook(
  config: Config,
  toolName: string,
  toolInput: JsonObject,
  toolResponse: JsonObject | ToolResult,
  mcpContext?: McpContext,
): Promise<AfterToolHookOutput | undefined> {
  const response = toolResponse as JsonObject;
  const output = await ask(config, (system) => system.fireAfterToolEvent(toolName, toolInput, response, mcpContext));
  return output && new AfterToolHookOutput(output);
}

export async function fireBeforeModelHook(config: Config, llmRequest: object): Promise<BeforeModelHookResult> {
  const output = await ask(config, (system) => system.fireBeforeModelEvent(llmRequest));
  if (!output) return { blocked: false };
  const stop = output.shouldStopExecution();
  if (stop || output.isBlockingDecision()) {
    const syntheticResponse = output.getSyntheticResponse();
    return { blocked: true, reason: output.getEffectiveReason(), stop, ...(syntheticResponse && { syntheticResponse }) };
  }
  const changed = output.hookSpecificOutput?.llm_request !== undefined;
  return changed
    ? { blocked: false, modifiedRequest: output.applyLLMRequestModifications(llmRequest as JsonObject) }
    : { blocked: false };
}

export async function fireAfterModelHook<Response extends object>(
  config: Config,
  llmRequest: object,
  llmResponse: Response,
): Promise<AfterModelHookResult<Response>> {
  const output = await ask(config, (system) => system.fireAfterModelEvent(llmRequest, llmResponse));
  if (!output) return { response: llmResponse };
  const response = (output.getModifiedResponse() as Response | undefined) ?? llmResponse;
  const suppressOutput = output.suppressOutput === true;
  return output.shouldStopExecution()
    ? { response, suppressOutput, stop: true, reason: output.getEffectiveReason() }
    : { response, suppressOutput };
}

export async function fireBeforeToolSelectionHook(
  config: Config,
  llmRequest: object,
): Promise<BeforeToolSelectionHookResult> {
  const output = await ask(config, (system) => system.fireBeforeToolSelectionEvent(llmRequest));
  if (!output) return {};
  const { toolConfig } = output.applyToolConfigModifications<{ toolConfig?: JsonObject }>({});
  const stop = output.shouldStopExecution() ? { stop: true, reason: output.getEffectiveReason() } : {};
  return { ...(toolConfig && { toolConfig }), ...stop };
}

/** Runs a tool as its hooks want it. */
export async function executeToolWithHooks<Input extends JsonObject>(
  config: Config,
  toolName: string,
  toolInput: Input,
  executeFn: (input: Input) => Promise<ToolResult>,
): Promise<ToolResult> {
  const system = await available(config).catch(() => undefined);
  if (!system) return executeFn(toolInput);
  return (await runToolWithHooks(system.getClient(), toolName, toolInput, executeFn)).result;
}

export const triggerBeforeToolHook = fireBeforeToolHook;
export const triggerAfterToolHook = fireAfterToolHook;

export async function triggerSessionStartHook(
  config: Config,
  source: string,
): Promise<SessionStartHookOutput | undefined> {
  const output = (await ask(config, (system) => system.fireSessionStartEvent({ source })))?.finalOutput;
  return output && new SessionStartHookOutput(output);
}

export async function triggerSessionEndHook(config: Config, reason: string): Promise<SessionEndHookOutput | undefined> {
  const output = (await ask(config, (system) => system.fireSessionEndEvent({ reason })))?.finalOutput;
  return output && new SessionEndHookOutput(output);
}

export async function triggerBeforeAgentHook(
  config: Config,
  prompt: string,
): Promise<BeforeAgentHookOutput | undefined> {
  const output = (await ask(config, (system) => system.fireBeforeAgentEvent({ prompt })))?.finalOutput;
  return output && new BeforeAgentHookOutput(output);
}

export async function triggerAfterAgentHook(
  config: Config,
  prompt: string,
  promptResponse: string,
  stopHookActive = false,
): Promise<AfterAgentHookOutput | undefined> {
  const context = { prompt, prompt_response: promptResponse, stop_hook_active: stopHookActive };
  const output = (await ask(config, (system) => system.fireAfterAgentEvent(context)))?.finalOutput;
  return output && new AfterAgentHookOutput(output);
}

export async function triggerPreCompressHook(config: Config, trigger: string): Promise<DefaultHookOutput | undefined> {
  return (await ask(config, (system) => system.firePreCompressEvent({ trigger })))?.finalOutput;
}

/** What a tool's confirmation dialog is about. */
export interface ConfirmationDetails {
  type: string;
  title: string;
  [key: string]: unknown;
}

const REQUIRES: Record<string, string> = {
  edit: "requires editing",
  exec: "requires execution",
  mcp: "requires MCP",
  info: "requires information",
};

export async function triggerToolNotificationHook(config: Config, confirmation: ConfirmationDetails) {
  const kind = REQUIRES[confirmation.type];
  const message = kind ? `Tool ${confirmation.title} ${kind}` : "Tool requires confirmation";
  // Functions, such as the dialog's own callback, are not for hooks.
  const entries = Object.entries(confirmation).filter(([, value]) => typeof value !== "function");
  const details = Object.fromEntries(entries) as ConfirmationDetails;
  const notificationType = "ToolPermission";
  const fired = await ask(config, (system) => system.fireNotificationEvent(notificationType, message, details));
  return fired && { notificationType, message, details };
}

/** Asks the session's hook system, initialised at its first event; `undefined` while there is none, or if it fails. */
async function ask<T>(config: Config, fire: (system: HookSystem) => Promise<T>): Promise<T | undefined> {
  try {
    const system = await available(config);
    return system && (await fire(system));
  } catch {
    return undefined;
  }
}

async function available(config: Config): Promise<(HookSystem & { getClient(): HookClient }) | undefined> {
  if (config.getEnableHooks?.() !== true) return undefined;
  const system = config.getHookSystem?.();
  if (!system) return undefined;
  await system.initialize();
  return system;
}
