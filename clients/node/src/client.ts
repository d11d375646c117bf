import { findBinary } from "./binary.js";
import { type ConnectionEvents } from "./connection.js";
import { mayHaveHooks } from "./presence.js";
import { complete, emptyInfo, emptyStatus, isObject, nothing, refusal } from "./results.js";
import { type AskOptions, settlesWithin, Supervisor } from "./supervisor.js";
import type {
  AfterModelResult,
  BeforeModelResult,
  BeforeToolResult,
  BeforeToolSelectionResult,
  EventName,
  FireResult,
  HookDescription,
  HookFinished,
  HookResult,
  HookStarted,
  Json,
  JsonObject,
  Provider,
  RegisteredHook,
  Session,
  SessionInfo,
  Status,
  Switched,
  Telemetry,
} from "./wire.js";

export interface HookClientOptions extends Session {
  /** The program to start. If absent: `HOOKRAIL_BIN`, the platform package, or `hookrail` from the search path. */
  binary?: string;
  /** Its arguments; `serve --stdio` if absent. */
  args?: readonly string[];
  /** Set on top of this process's environment, for the server and its hooks. */
  env?: Record<string, string | undefined>;
  /** Whose JSON the model methods are given, unless a call says otherwise; `genai` if absent. */
  provider?: Provider;
  /** How long a call may take before it gets the safe default; ten minutes if absent, for ever if 0. */
  timeoutMs?: number;
  /** What an operation gets that hooks could not be asked about: it may happen (`allow`, the default), or not. */
  onUnavailable?: "allow" | "block";
  /** Takes what the server says on stderr. */
  onLog?: (line: string) => void;
  /** Takes every reason for which hooks could not be asked. */
  onDiagnostic?: (message: string) => void;
  /** A hook is about to run. */
  onHookStarted?: (hook: HookStarted) => void;
  /** A hook is done. */
  onHookFinished?: (hook: HookFinished) => void;
  /** Takes a line about every event that reached the server, for debugging. */
  onTelemetry?: (telemetry: Telemetry) => void;
}

export type CallOptions = AskOptions;

export interface ToolCallOptions extends CallOptions {
  /** Describes the server of an MCP tool. */
  mcpContext?: JsonObject;
}

export interface ModelCallOptions extends CallOptions {
  provider?: Provider;
}

export interface AfterModelOptions extends ModelCallOptions {
  /** The request that was sent, if hooks changed it. */
  sentRequest?: object;
}

export interface CloseOptions {
  /** How long hooks that run may take to finish before they are cancelled; 5000 if absent. */
  timeoutMs?: number;
}

const TEN_MINUTES = 600_000;

/**
 * A session's hooks, asked through a `hookrail serve` process of its own.
 *
 * No call is ever rejected, and none throws. What goes wrong between this client and its hooks is told by
 * `result.diagnostic` and `onDiagnostic`, and the operation gets the safe default: it may happen, unless the option
 * `onUnavailable` says otherwise. The process is started when the first event needs it, not at all while hooks are
 * disabled or no event has any, and again with growing pauses if it dies.
 */
export class HookClient {
  readonly #supervisor: Supervisor;
  readonly #options: HookClientOptions;
  readonly #provider: Provider;
  #session: Session;
  #info: SessionInfo = emptyInfo();
  /** Whether the session may have hooks, found out once; and again when settings are re-read. */
  #presence: Promise<boolean> | undefined;
  readonly #underway = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: HookClientOptions) {
    const { binary, args = ["serve", "--stdio"], env, provider = "genai", timeoutMs = TEN_MINUTES } = options;
    const environment = { ...process.env, ...env };
    const command = { binary: findBinary(binary, environment), args, env: environment };
    this.#options = options;
    this.#provider = provider;
    this.#session = sessionOf(options);
    const events: Pick<ConnectionEvents, "onLog" | "onNotification"> = {
      onLog: (line) => quietly(() => options.onLog?.(line)),
      onNotification: (method, params) => quietly(() => this.#notified(method, params)),
    };
    this.#supervisor = new Supervisor(command, events, timeoutMs, () => this.#opening());
  }

  /** A client whose server runs already, if there are hooks. What is wrong with the session is in its `info`. */
  static async start(options: HookClientOptions): Promise<HookClient> {
    const client = new HookClient(options);
    await client.ready();
    return client;
  }

  /** What the server said about the session: whether hooks are enabled, for which events, what is wrong with the rest. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** Whose JSON the model methods are given, unless a call says otherwise. */
  get provider(): Provider {
    return this.#provider;
  }

  /** The server's process id, while there is one. */
  get pid(): number | undefined {
    return this.#supervisor.pid;
  }

  /** Whether an event may have hooks, as far as that is known without asking. */
  hasHooks(event: EventName): boolean {
    return this.#info.events === null || this.#info.events.includes(event) || this.#info.protocolVersion === 0;
  }

  /** Opens the session now rather than at the first event. */
  async ready(): Promise<SessionInfo> {
    try {
      if (await this.#mayHaveHooks()) await this.#supervisor.open();
    } catch (error) {
      this.#diagnose(error);
    }
    return this.#info;
  }

  /** Replaces the session, for example by one in another folder. Calls under way finish with their old hooks. */
  async initialize(session: Session): Promise<SessionInfo> {
    this.#session = sessionOf(session);
    return this.#openAgain();
  }

  /** Reads the settings of the session again. What {@link HookClient.setEnabled} switched stays switched. */
  async reload(): Promise<SessionInfo> {
    if (!this.#supervisor.isOpen) return this.#openAgain();
    const info = await this.#administer("reload", {}, (answer) => this.#greet(answer));
    return info ?? this.#info;
  }

  /** A tool is about to run: ask whether, and with what. */
  beforeTool<Input extends object = JsonObject>(
    toolName: string,
    toolInput: Input,
    { mcpContext, ...options }: ToolCallOptions = {},
  ): Promise<BeforeToolResult<Input>> {
    const params = { toolName, toolInput, mcpContext };
    return this.#ask("beforeTool", "BeforeTool", params, { toolInput }, options);
  }

  /** A tool has run: show its result before the model sees it. */
  afterTool(
    toolName: string,
    toolInput: object,
    toolResponse: Json,
    { mcpContext, ...options }: ToolCallOptions = {},
  ): Promise<HookResult> {
    const params = { toolName, toolInput, toolResponse: toolResponse ?? null, mcpContext };
    return this.#ask("afterTool", "AfterTool", params, {}, options);
  }

  /** A request to the model is complete and not sent yet. */
  beforeModel<Req extends object = JsonObject>(
    request: Req,
    { provider = this.#provider, ...options }: ModelCallOptions = {},
  ): Promise<BeforeModelResult<Req>> {
    const fallback = { modifiedRequest: null, syntheticResponse: null, blockedResponse: null };
    return this.#ask("beforeModel", "BeforeModel", { request, provider }, fallback, options);
  }

  /** The model's answer is complete. `request` is the original one, whatever hooks made of it. */
  afterModel<Res extends object = JsonObject>(
    request: object,
    response: Res,
    { provider = this.#provider, sentRequest, ...options }: AfterModelOptions = {},
  ): Promise<AfterModelResult<Res>> {
    return this.#ask("afterModel", "AfterModel", { request, sentRequest, response, provider }, { response }, options);
  }

  /** The model is about to choose among tools. */
  beforeToolSelection<Req extends object = JsonObject>(
    request: Req,
    { provider = this.#provider, ...options }: ModelCallOptions = {},
  ): Promise<BeforeToolSelectionResult<Req>> {
    const fallback = { toolConfig: null, modifiedRequest: null };
    return this.#ask("beforeToolSelection", "BeforeToolSelection", { request, provider }, fallback, options);
  }

  /** Any other event, such as `SessionStart`, with its fields in the words of the hook protocol. */
  fire(event: EventName, input: object = {}, options: CallOptions = {}): Promise<FireResult> {
    return this.#ask("fire", event, { event, input }, {}, options);
  }

  /** Every hook of the session, those that are disabled included. */
  async list(): Promise<RegisteredHook[]> {
    const hooks = await this.#administer("list", {}, (answer) => answer.hooks as RegisteredHook[]);
    return hooks ?? [];
  }

  /** The hooks of this name, with what became of them in this session. */
  async describe(hook: string): Promise<HookDescription[]> {
    const hooks = await this.#administer("describe", { hook }, (answer) => answer.hooks as HookDescription[]);
    return hooks ?? [];
  }

  /** Enables or disables every hook of this name for the rest of the session. */
  async setEnabled(hook: string, enabled: boolean): Promise<Switched> {
    const switched = await this.#administer("setEnabled", { hook, enabled }, (answer) => {
      const result = answer as unknown as Switched;
      this.#info = { ...this.#info, events: result.events };
      return result;
    });
    return switched ?? { switched: 0, events: this.#info.events };
  }

  async status(): Promise<Status> {
    const read = (answer: JsonObject) => answer as unknown as Status;
    const status = this.#supervisor.isOpen ? await this.#administer("status", {}, read) : undefined;
    return status ?? emptyStatus(this.#session.sessionId);
  }

  /** Lets the calls under way finish and ends the server. No process is left when the promise resolves. */
  async close({ timeoutMs = 5000 }: CloseOptions = {}): Promise<void> {
    this.#closed = true;
    const start = Date.now();
    await settlesWithin(Promise.allSettled(this.#underway), timeoutMs);
    await this.#supervisor.close(Math.max(0, timeoutMs - (Date.now() - start)));
  }

  /** Asks hooks, and gives the safe default for every reason for which they cannot be asked. */
  #ask<Result extends HookResult>(
    method: string,
    event: string,
    params: object,
    fallback: Omit<Result, keyof HookResult>,
    options: CallOptions,
  ): Promise<Result> {
    // Most events of most sessions have no hooks: what the server said at the beginning answers them.
    if (this.#isKnownToPass(event, options)) return Promise.resolve({ ...nothing(), ...fallback } as Result);
    const call = this.#askNow<Result>(method, event, params, fallback, options);
    this.#underway.add(call);
    void call.finally(() => this.#underway.delete(call));
    return call;
  }

  async #askNow<Result extends HookResult>(
    method: string,
    event: string,
    params: object,
    fallback: Omit<Result, keyof HookResult>,
    options: CallOptions,
  ): Promise<Result> {
    try {
      if (this.#closed) throw new Error("this client is closed");
      if (options.signal?.aborted) throw new Error("the call was cancelled");
      if (!(await this.#mayHaveHooks())) return { ...nothing(), ...fallback } as Result;
      await this.#supervisor.open();
      if (!this.#mayConcern(event)) return { ...nothing(), ...fallback } as Result;
      const answer = await this.#supervisor.ask(method, params, options);
      return complete<Omit<Result, keyof HookResult>>(answer) as unknown as Result;
    } catch (error) {
      const diagnostic = this.#diagnose(error);
      const result = this.#options.onUnavailable === "block" ? refusal(diagnostic) : nothing(diagnostic);
      return { ...result, ...fallback } as Result;
    }
  }

  /** Whether no hook has to be asked, as far as is known without waiting for anything. */
  #isKnownToPass(event: string, options: CallOptions): boolean {
    return (
      this.#info.protocolVersion !== 0 && !this.#closed && !options.signal?.aborted && !this.#mayConcern(event)
    );
  }

  /** Names that this client does not know may be other words for an event; those the server has to read. */
  #mayConcern(event: string): boolean {
    const { enabled, events } = this.#info;
    return enabled && (events === null || events.includes(event) || !PROTOCOL_EVENTS.has(event));
  }

  /** A question about the hooks themselves; `undefined` if it cannot be answered. */
  async #administer<T>(method: string, params: object, read: (answer: JsonObject) => T): Promise<T | undefined> {
    try {
      if (this.#closed) throw new Error("this client is closed");
      if (!(await this.#mayHaveHooks())) return undefined;
      await this.#supervisor.open({ evenWithoutHooks: true });
      const answer = await this.#supervisor.ask(method, params, {});
      if (!isObject(answer)) throw new Error("the server's answer has not the form of one");
      return read(answer);
    } catch (error) {
      this.#diagnose(error);
      return undefined;
    }
  }

  async #openAgain(): Promise<SessionInfo> {
    this.#presence = undefined;
    this.#info = emptyInfo();
    try {
      if (this.#closed) throw new Error("this client is closed");
      if (await this.#mayHaveHooks()) await this.#supervisor.open({ again: true });
      else await this.#supervisor.rest();
    } catch (error) {
      this.#diagnose(error);
    }
    return this.#info;
  }

  #mayHaveHooks(): Promise<boolean> {
    this.#presence ??= mayHaveHooks(this.#session);
    return this.#presence;
  }

  /** The first request of a connection, and what its answer says about going on. */
  #opening() {
    const { onHookStarted, onHookFinished, onTelemetry } = this.#options;
    const notifications = Boolean(onHookStarted ?? onHookFinished);
    const params = { ...this.#session, notifications, telemetry: Boolean(onTelemetry) };
    const accept = (answer: unknown) => {
      if (!isObject(answer)) throw new Error("the server's answer has not the form of one");
      const { enabled, events } = this.#greet(answer);
      return enabled && (events === null || events.length > 0);
    };
    return { params, accept };
  }

  #greet(answer: JsonObject): SessionInfo {
    this.#info = { ...emptyInfo(), ...(answer as unknown as SessionInfo) };
    return this.#info;
  }

  #notified(method: string, params: unknown): void {
    if (method === "hookStarted") this.#options.onHookStarted?.(params as HookStarted);
    if (method === "hookFinished") this.#options.onHookFinished?.(params as HookFinished);
    if (method === "telemetry") this.#options.onTelemetry?.(params as Telemetry);
  }

  #diagnose(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    quietly(() => this.#options.onDiagnostic?.(message));
    return message;
  }
}

const PROTOCOL_EVENTS = new Set([
  "BeforeTool",
  "AfterTool",
  "BeforeModel",
  "AfterModel",
  "BeforeToolSelection",
  "BeforeAgent",
  "AfterAgent",
  "SessionStart",
  "SessionEnd",
  "PreCompress",
  "Notification",
]);

/** The options that are the server's. */
function sessionOf(options: HookClientOptions | Session): Session {
  const own = new Set<string>([
    "binary",
    "args",
    "env",
    "provider",
    "timeoutMs",
    "onUnavailable",
    "onLog",
    "onDiagnostic",
    "onHookStarted",
    "onHookFinished",
    "onTelemetry",
  ]);
  return Object.fromEntries(Object.entries(options).filter(([key]) => !own.has(key))) as unknown as Session;
}

/** A callback of the caller must not break a call. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It is theirs to report.
  }
}
