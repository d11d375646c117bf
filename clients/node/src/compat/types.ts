/** The names of the hook system's document for events, sources and outputs. */

import type { JsonObject } from "../wire.js";
import { defaultHookTranslator } from "./translator.js";

export enum HookEventName {
  BeforeTool = "BeforeTool",
  AfterTool = "AfterTool",
  BeforeAgent = "BeforeAgent",
  Notification = "Notification",
  AfterAgent = "AfterAgent",
  SessionStart = "SessionStart",
  SessionEnd = "SessionEnd",
  PreCompress = "PreCompress",
  BeforeModel = "BeforeModel",
  AfterModel = "AfterModel",
  BeforeToolSelection = "BeforeToolSelection",
}

export enum HookType {
  Command = "command",
}

/** Whose configuration a hook is from. */
export enum ConfigSource {
  Project = "project",
  User = "user",
  System = "system",
  Extensions = "extensions",
}

export enum SessionStartSource {
  Startup = "startup",
  Resume = "resume",
  Clear = "clear",
  Compress = "compress",
}

export enum SessionEndReason {
  Exit = "exit",
  Clear = "clear",
  Logout = "logout",
  PromptInputExit = "prompt_input_exit",
  Other = "other",
}

export enum PreCompressTrigger {
  Manual = "manual",
  Auto = "auto",
}

export enum NotificationType {
  ToolPermission = "ToolPermission",
}

export type HookDecision = "ask" | "block" | "deny" | "approve" | "allow" | undefined;

export interface McpContext {
  server_name: string;
  [key: string]: unknown;
}

/** What a hook says, in the words of the hook protocol. */
export interface HookOutput {
  continue?: boolean;
  stopReason?: string;
  suppressOutput?: boolean;
  systemMessage?: string;
  decision?: HookDecision;
  reason?: string;
  hookSpecificOutput?: JsonObject;
}

export interface AggregatedHookResult {
  success: boolean;
  finalOutput: DefaultHookOutput | undefined;
  allOutputs: HookOutput[];
  errors: Error[];
  totalDuration: number;
}

const NO_REASON = "No reason provided";

/** What hooks said together. */
export class DefaultHookOutput implements HookOutput {
  declare continue?: boolean;
  declare stopReason?: string;
  declare suppressOutput?: boolean;
  declare systemMessage?: string;
  declare decision?: HookDecision;
  declare reason?: string;
  declare hookSpecificOutput?: JsonObject;

  constructor(data: Partial<HookOutput> = {}) {
    const { continue: goesOn, stopReason, suppressOutput, systemMessage, decision, reason, hookSpecificOutput } = data;
    Object.assign(this, {
      continue: goesOn,
      stopReason,
      suppressOutput,
      systemMessage,
      decision,
      reason,
      hookSpecificOutput,
    });
  }

  isBlockingDecision(): boolean {
    return this.decision === "block" || this.decision === "deny";
  }

  shouldStopExecution(): boolean {
    return this.continue === false;
  }

  getEffectiveReason(): string {
    return (this.stopReason ?? this.reason) || NO_REASON;
  }

  getAdditionalContext(): string | undefined {
    const context = this.hookSpecificOutput?.additionalContext;
    return typeof context === "string" ? context : undefined;
  }

  getBlockingError(): { blocked: boolean; reason: string } {
    const blocked = this.isBlockingDecision();
    return { blocked, reason: blocked ? this.getEffectiveReason() : "" };
  }

  shouldClearContext(): boolean {
    return false;
  }

  applyLLMRequestModifications<Target extends object>(target: Target): Target {
    return target;
  }

  applyToolConfigModifications<Target extends object>(target: Target): Target {
    return target;
  }
}

export class BeforeToolHookOutput extends DefaultHookOutput {
  override isBlockingDecision(): boolean {
    const permission = this.hookSpecificOutput?.permissionDecision;
    return permission === "block" || permission === "deny" || super.isBlockingDecision();
  }

  override getEffectiveReason(): string {
    const reason = this.hookSpecificOutput?.permissionDecisionReason;
    return typeof reason === "string" ? reason : super.getEffectiveReason();
  }

  getModifiedToolInput(): JsonObject | undefined {
    return objectOf(this.hookSpecificOutput?.tool_input);
  }
}

export class AfterToolHookOutput extends DefaultHookOutput {}
export class SessionStartHookOutput extends DefaultHookOutput {}
export class SessionEndHookOutput extends DefaultHookOutput {}
export class BeforeAgentHookOutput extends DefaultHookOutput {}

export class AfterAgentHookOutput extends DefaultHookOutput {
  override shouldClearContext(): boolean {
    return this.hookSpecificOutput?.clearContext === true;
  }
}

export class BeforeModelHookOutput extends DefaultHookOutput {
  /** Only what a hook gave: a stop without a response has none (HOOK-194). */
  getSyntheticResponse(): JsonObject | undefined {
    const response = objectOf(this.hookSpecificOutput?.llm_response);
    return response && defaultHookTranslator.fromHookLLMResponse(response);
  }

  override applyLLMRequestModifications<Target extends object>(target: Target): Target {
    const request = objectOf(this.hookSpecificOutput?.llm_request);
    if (!request) return target;
    return { ...target, ...defaultHookTranslator.fromHookLLMRequest(request, target as JsonObject) } as Target;
  }
}

export class AfterModelHookOutput extends DefaultHookOutput {
  /** What hooks made of the response; a stop leaves one that says why (HOOK-048). */
  getModifiedResponse(): JsonObject | undefined {
    const response = objectOf(this.hookSpecificOutput?.llm_response);
    const [first] = Array.isArray(response?.candidates) ? (response.candidates as unknown[]) : [];
    if (response && objectOf(objectOf(first)?.content)) return defaultHookTranslator.fromHookLLMResponse(response);
    if (!this.shouldStopExecution()) return undefined;
    const parts = [this.getEffectiveReason()];
    return defaultHookTranslator.fromHookLLMResponse({
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    });
  }
}

export class BeforeToolSelectionHookOutput extends DefaultHookOutput {
  override applyToolConfigModifications<Target extends object>(target: Target): Target {
    const config = objectOf(this.hookSpecificOutput?.toolConfig);
    if (!config) return target;
    const toolConfig = { ...defaultHookTranslator.fromHookToolConfig(config) } as JsonObject;
    if (config.allowedFunctionNames !== undefined) toolConfig.allowedFunctionNames = config.allowedFunctionNames;
    return { ...target, tools: (target as JsonObject).tools ?? [], toolConfig } as Target;
  }
}

/** The factory of the document. It makes no {@link BeforeToolHookOutput} (HOOK-200). */
export function createHookOutput(eventName: string, data: Partial<HookOutput>): DefaultHookOutput {
  switch (eventName) {
    case "BeforeModel":
      return new BeforeModelHookOutput(data);
    case "AfterModel":
      return new AfterModelHookOutput(data);
    case "BeforeToolSelection":
      return new BeforeToolSelectionHookOutput(data);
    case "AfterAgent":
      return new AfterAgentHookOutput(data);
    default:
      return new DefaultHookOutput(data);
  }
}

/** The output class of an event, as the aggregator makes it. */
export function createSpecificHookOutput(output: Partial<HookOutput>, eventName: string): DefaultHookOutput {
  switch (eventName) {
    case "BeforeTool":
      return new BeforeToolHookOutput(output);
    case "AfterTool":
      return new AfterToolHookOutput(output);
    default:
      return createHookOutput(eventName, output);
  }
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
