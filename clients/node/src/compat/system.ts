/** The hook system of the document, on top of a {@link HookClient}. */

import { HookClient, type HookClientOptions } from "../client.js";
import type { HookResult, JsonObject, RegisteredHook } from "../wire.js";
import {
  type AggregatedHookResult,
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
  createSpecificHookOutput,
  type DefaultHookOutput,
  HookEventName,
  type HookOutput,
  type McpContext,
} from "./types.js";

/** What the hook system asks of an agent's configuration. Only the first three are needed. */
export interface HookSystemConfig {
  getEnableHooks(): boolean;
  getSessionId(): string;
  getTargetDir?(): string;
  getWorkingDir?(): string;
  /** Event names to groups of hooks. */
  getHooks?(): JsonObject | null | undefined;
  /** The same of the project alone, where user and project are kept apart. */
  getProjectHooks?(): JsonObject | null | undefined;
  getDisabledHooks?(): string[];
  getExtensions?(): { name: string; isActive?: boolean; hooks?: JsonObject }[];
  isTrustedFolder?(): boolean | undefined;
  getTranscriptPath?(): string | undefined;
  getSessionRecordingService?(): { getFilePath(): string | null | undefined } | null | undefined;
  getHookSystem?(): HookSystem | undefined;
}

export class HookSystemNotInitializedError extends Error {
  override readonly name = "HookSystemNotInitializedError";

  constructor(message = "HookSystem not initialized: call initialize() first") {
    super(message);
  }
}

/** The hooks of a session, as a panel lists them. */
export class HookRegistry {
  #hooks: RegisteredHook[] = [];

  constructor(private readonly client: () => HookClient) {}

  /** Every hook, disabled ones included, as it was when the system was initialised or the last switch was made. */
  getAllHooks(): RegisteredHook[] {
    return [...this.#hooks];
  }

  getHooksForEvent(eventName: string): RegisteredHook[] {
    return this.#hooks.filter((hook) => hook.event === eventName && hook.enabled);
  }

  setHookEnabled(hook: string, enabled: boolean): void {
    this.#hooks = this.#hooks.map((known) => (known.hook === hook ? { ...known, enabled } : known));
    void this.client().setEnabled(hook, enabled);
  }

  /** @internal */
  async read(): Promise<void> {
    this.#hooks = await this.client().list();
  }
}

/** Fires events. Nothing is rejected: an event that hooks cannot be asked about has an empty, successful result. */
export class HookEventHandler {
  constructor(private readonly client: () => HookClient) {}

  async fireBeforeToolEvent(
    toolName: string,
    toolInput: JsonObject,
    mcpContext?: McpContext,
  ): Promise<DefaultHookOutput | undefined> {
    const options = mcpContext ? { mcpContext } : {};
    return outputOf(await this.client().beforeTool(toolName, toolInput, options), HookEventName.BeforeTool);
  }

  async fireAfterToolEvent(
    toolName: string,
    toolInput: JsonObject,
    toolResponse: JsonObject,
    mcpContext?: McpContext,
  ): Promise<DefaultHookOutput | undefined> {
    const options = mcpContext ? { mcpContext } : {};
    return outputOf(await this.client().afterTool(toolName, toolInput, toolResponse, options), HookEventName.AfterTool);
  }

  async fireBeforeModelEvent(llmRequest: object): Promise<AggregatedHookResult> {
    return aggregated(await this.client().beforeModel(llmRequest), HookEventName.BeforeModel);
  }

  async fireAfterModelEvent(llmRequest: object, llmResponse: object): Promise<AggregatedHookResult> {
    return aggregated(await this.client().afterModel(llmRequest, llmResponse), HookEventName.AfterModel);
  }

  async fireBeforeToolSelectionEvent(llmRequest: object): Promise<AggregatedHookResult> {
    return aggregated(await this.client().beforeToolSelection(llmRequest), HookEventName.BeforeToolSelection);
  }

  fireSessionStartEvent(context: { source: string }): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.SessionStart, context);
  }

  fireSessionEndEvent(context: { reason: string }): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.SessionEnd, context);
  }

  firePreCompressEvent(context: { trigger: string }): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.PreCompress, context);
  }

  fireBeforeAgentEvent(context: { prompt: string }): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.BeforeAgent, context);
  }

  fireAfterAgentEvent(context: {
    prompt: string;
    prompt_response: string;
    stop_hook_active: boolean;
  }): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.AfterAgent, context);
  }

  fireNotificationEvent(type: string, message: string, details: JsonObject): Promise<AggregatedHookResult> {
    return this.#fire(HookEventName.Notification, { notification_type: type, message, details });
  }

  async #fire(event: HookEventName, context: object): Promise<AggregatedHookResult> {
    return aggregated(await this.client().fire(event, context), event);
  }
}

/** One session's hooks. Making one starts nothing; the server comes with the first event that has hooks. */
export class HookSystem {
  #client: HookClient | undefined;
  #handler: HookEventHandler | undefined;
  readonly #registry: HookRegistry;
  /** What the session was opened with. */
  #opened: string | undefined;
  #initialized: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(
    private readonly config: HookSystemConfig,
    private readonly options: Partial<HookClientOptions> = {},
  ) {
    this.#registry = new HookRegistry(() => this.#open());
  }

  /**
   * Reads the configuration. A further call returns at once (HOOK-004), unless the configuration has changed since:
   * extensions come and go.
   */
  async initialize(signal?: AbortSignal): Promise<void> {
    if (this.#disposed) throw new Error("HookSystem has been disposed.");
    signal?.throwIfAborted();
    // A configuration that could not be read once may be readable the next time.
    this.#initialized = this.#initialized.catch(() => {}).then(() => this.#initialize());
    await this.#initialized;
    signal?.throwIfAborted();
    if (this.#disposed) throw new Error("HookSystem has been disposed.");
  }

  async #initialize(): Promise<void> {
    const session = sessionOf(this.config);
    const opened = JSON.stringify(session);
    if (this.#handler && this.#opened === opened) return;
    this.#opened = opened;
    if (this.#client) await this.#client.initialize(session);
    else this.#client = new HookClient({ ...this.options, ...session });
    await this.#registry.read();
    this.#handler = new HookEventHandler(() => this.#open());
  }

  getRegistry(): HookRegistry {
    return this.#registry;
  }

  getEventHandler(): HookEventHandler {
    if (!this.#handler) {
      throw new HookSystemNotInitializedError("Cannot access HookEventHandler before HookSystem is initialized");
    }
    return this.#handler;
  }

  /** The client behind the system, for what the document does not name. */
  getClient(): HookClient {
    return this.#open();
  }

  getStatus(): { initialized: boolean; totalHooks: number } {
    return { initialized: this.isInitialized(), totalHooks: this.#registry.getAllHooks().length };
  }

  isInitialized(): boolean {
    return this.#handler !== undefined;
  }

  getAllHooks(): RegisteredHook[] {
    return this.#registry.getAllHooks();
  }

  setHookEnabled(hook: string, enabled: boolean): void {
    this.#registry.setHookEnabled(hook, enabled);
  }

  async fireBeforeToolEvent(toolName: string, toolInput: JsonObject, mcpContext?: McpContext) {
    return this.getEventHandler().fireBeforeToolEvent(toolName, toolInput, mcpContext);
  }

  async fireAfterToolEvent(toolName: string, toolInput: JsonObject, toolResponse: JsonObject, mcpContext?: McpContext) {
    return this.getEventHandler().fireAfterToolEvent(toolName, toolInput, toolResponse, mcpContext);
  }

  async fireBeforeModelEvent(llmRequest: object): Promise<BeforeModelHookOutput | undefined> {
    const { finalOutput } = await this.getEventHandler().fireBeforeModelEvent(llmRequest);
    return finalOutput && new BeforeModelHookOutput(finalOutput);
  }

  async fireAfterModelEvent(llmRequest: object, llmResponse: object): Promise<AfterModelHookOutput | undefined> {
    const { finalOutput } = await this.getEventHandler().fireAfterModelEvent(llmRequest, llmResponse);
    return finalOutput && new AfterModelHookOutput(finalOutput);
  }

  async fireBeforeToolSelectionEvent(llmRequest: object): Promise<BeforeToolSelectionHookOutput | undefined> {
    const { finalOutput } = await this.getEventHandler().fireBeforeToolSelectionEvent(llmRequest);
    return finalOutput && new BeforeToolSelectionHookOutput(finalOutput);
  }

  async fireSessionStartEvent(context: { source: string }) {
    return this.getEventHandler().fireSessionStartEvent(context);
  }

  async fireSessionEndEvent(context: { reason: string }) {
    return this.getEventHandler().fireSessionEndEvent(context);
  }

  async firePreCompressEvent(context: { trigger: string }) {
    return this.getEventHandler().firePreCompressEvent(context);
  }

  async fireBeforeAgentEvent(context: { prompt: string }) {
    return this.getEventHandler().fireBeforeAgentEvent(context);
  }

  async fireAfterAgentEvent(context: { prompt: string; prompt_response: string; stop_hook_active: boolean }) {
    return this.getEventHandler().fireAfterAgentEvent(context);
  }

  async fireNotificationEvent(type: string, message: string, details: JsonObject) {
    return this.getEventHandler().fireNotificationEvent(type, message, details);
  }

  /** Ends the server. The system cannot be used any more. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#handler = undefined;
    void this.#client?.close({ timeoutMs: 0 });
  }

  #open(): HookClient {
    this.#client ??= new HookClient({ ...this.options, ...sessionOf(this.config) });
    return this.#client;
  }
}

/** What an agent's configuration says, as the options of a client. */
export function sessionOf(config: HookSystemConfig): HookClientOptions {
  const hooks = config.getHooks?.() ?? {};
  const project = config.getProjectHooks?.();
  const disabled = config.getDisabledHooks?.() ?? [];
  const scope = project ? "user" : "project";
  const settings = [{ scope, settings: { hooks, hooksConfig: { disabled } } }];
  if (project) settings.push({ scope: "project", settings: { hooks: project, hooksConfig: { disabled: [] } } });
  const extensions = (config.getExtensions?.() ?? []).map(({ name, isActive, hooks }) => ({
    name,
    active: isActive !== false,
    hooks: hooks ?? {},
  }));
  const transcript = config.getTranscriptPath?.() ?? config.getSessionRecordingService?.()?.getFilePath() ?? "";
  return {
    sessionId: config.getSessionId(),
    cwd: config.getTargetDir?.() ?? config.getWorkingDir?.() ?? process.cwd(),
    enableHooks: config.getEnableHooks(),
    trustedFolder: config.isTrustedFolder?.() ?? true,
    transcriptPath: transcript,
    settings: settings as NonNullable<HookClientOptions["settings"]>,
    extensions,
  };
}

function outputOf({ output }: HookResult, event: HookEventName): DefaultHookOutput | undefined {
  return output ? createSpecificHookOutput(output as HookOutput, event) : undefined;
}

function aggregated(result: HookResult, event: HookEventName): AggregatedHookResult {
  return {
    success: result.success,
    finalOutput: outputOf(result, event),
    allOutputs: result.runs.flatMap(({ output }) => (output ? [output as HookOutput] : [])),
    errors: result.errors.map((message) => new Error(message)),
    totalDuration: result.totalDuration,
  };
}
