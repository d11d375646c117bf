import { type Command, Connection, type Request } from "./connection.js";
import { HookServerError } from "./errors.js";
import type {
  AfterModelResult,
  BeforeModelResult,
  BeforeToolResult,
  BeforeToolSelectionResult,
  EventName,
  FireResult,
  HookResult,
  Json,
  JsonObject,
  Provider,
  Session,
  SessionInfo,
  Status,
} from "./wire.js";

export interface HookClientOptions extends Session {
  /** The program to start; `hookrail` from the search path if absent. */
  binary?: string;
  /** Its arguments; `serve --stdio` if absent. */
  args?: readonly string[];
  /** Set on top of this process's environment, for the server and its hooks. */
  env?: Record<string, string | undefined>;
  /** Whose JSON the model methods are given, unless a call says otherwise; `genai` if absent. */
  provider?: Provider;
  /** Takes what the server says on stderr, and output that is no answer. */
  onLog?: (line: string) => void;
}

export interface CallOptions {
  /** Aborting ends the hooks of this call; its promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface ToolCallOptions extends CallOptions {
  /** Describes the server of an MCP tool. */
  mcpContext?: JsonObject;
}

export interface ModelCallOptions extends CallOptions {
  provider?: Provider;
}

export interface CloseOptions {
  /** How long hooks that run may take to finish before they are cancelled; 5000 if absent. */
  timeoutMs?: number;
}

/** After its hooks were cancelled, a server that does not end within this is killed. */
const LAST_WAIT_MS = 2000;

/** Asked before an operation, so asking again does no harm; what hooks did after one must not be done twice. */
const SAFE_TO_REPEAT = new Set(["beforeTool", "beforeModel", "beforeToolSelection", "initialize", "status"]);

/**
 * A session's hooks, asked through a `hookrail serve` process of its own.
 *
 * If that process dies, it is started once more: calls that ask before an operation are repeated, others that were
 * under way are rejected. If it dies again, every call is rejected with a {@link HookServerError}.
 */
export class HookClient {
  #connection: Connection;
  #session: Session;
  #info!: SessionInfo;
  #restarts = 1;
  /** Why there is no server any more. */
  #over: HookServerError | undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    private readonly command: Command,
    session: Session,
    private readonly provider: Provider,
    private readonly onLog: (line: string) => void,
  ) {
    this.#session = session;
    this.#connection = this.#connect();
  }

  /** Starts a server and opens the session. Rejected if there is no such program or the session is refused. */
  static async start(options: HookClientOptions): Promise<HookClient> {
    const { binary = "hookrail", args = ["serve", "--stdio"], env, provider = "genai", onLog, ...session } = options;
    const command = { binary, args, ...(env && { env }) };
    const client = new HookClient(command, session, provider, onLog ?? (() => {}));
    try {
      await client.initialize(session);
    } catch (error) {
      await client.close({ timeoutMs: 0 });
      throw error;
    }
    return client;
  }

  /** What the server said about the session: whether hooks are on, how many there are, what is wrong with the rest. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** The server's process id, while there is one. */
  get pid(): number | undefined {
    return this.#over ? undefined : this.#connection.pid;
  }

  /** Replaces the session, for example after its settings changed. Calls under way finish with their old hooks. */
  async initialize(session: Session): Promise<SessionInfo> {
    const info = await this.#call<SessionInfo>("initialize", session);
    this.#session = session;
    this.#info = info;
    return info;
  }

  /** A tool is about to run: ask whether, and with what. */
  beforeTool<Input extends object = JsonObject>(
    toolName: string,
    toolInput: Input,
    { signal, ...options }: ToolCallOptions = {},
  ): Promise<BeforeToolResult<Input>> {
    return this.#call("beforeTool", { toolName, toolInput, ...options }, signal);
  }

  /** A tool has run: show its result before the model sees it. */
  afterTool(toolName: string, toolInput: object, toolResponse: Json, { signal }: CallOptions = {}): Promise<HookResult> {
    return this.#call("afterTool", { toolName, toolInput, toolResponse }, signal);
  }

  /** A request to the model is complete and not sent yet. */
  beforeModel<Req extends object = JsonObject>(
    request: Req,
    { signal, provider = this.provider }: ModelCallOptions = {},
  ): Promise<BeforeModelResult<Req>> {
    return this.#call("beforeModel", { request, provider }, signal);
  }

  /** The model's answer is complete. */
  afterModel<Res extends object = JsonObject>(
    request: object,
    response: Res,
    { signal, provider = this.provider }: ModelCallOptions = {},
  ): Promise<AfterModelResult<Res>> {
    return this.#call("afterModel", { request, response, provider }, signal);
  }

  /** The model is about to choose among tools. */
  beforeToolSelection(
    request: object,
    { signal, provider = this.provider }: ModelCallOptions = {},
  ): Promise<BeforeToolSelectionResult> {
    return this.#call("beforeToolSelection", { request, provider }, signal);
  }

  /** Any other event, such as `SessionStart`, with its fields in the words of the hook protocol. */
  fire(event: EventName, input: object = {}, { signal }: CallOptions = {}): Promise<FireResult> {
    return this.#call("fire", { event, input }, signal);
  }

  status(): Promise<Status> {
    return this.#call("status", {});
  }

  /** Lets the calls under way finish and ends the server. No process is left when the promise resolves. */
  close({ timeoutMs = 5000 }: CloseOptions = {}): Promise<void> {
    this.#closed ??= this.#close(timeoutMs);
    return this.#closed;
  }

  async #close(timeoutMs: number): Promise<void> {
    const connection = this.#connection;
    this.#restarts = 0;
    if (!this.#over) {
      connection.send({ method: "shutdown", params: {}, resolve: () => {}, reject: () => {} });
      this.#over = new HookServerError("this client is closed");
    }
    connection.waitForEnd();
    if (await settlesWithin(connection.ended, timeoutMs)) return;
    connection.endInput();
    if (await settlesWithin(connection.ended, LAST_WAIT_MS)) return;
    connection.kill();
    await connection.ended;
  }

  #call<Result>(method: string, params: object, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#over) return reject(this.#over);
      const pending = new PendingCall(method, params, resolve as (result: unknown) => void, reject, signal);
      pending.sendTo(this.#connection);
    });
  }

  #connect(): Connection {
    return new Connection(this.command, this.onLog, (error, unanswered) => this.#recover(error, unanswered));
  }

  /** The server is gone. */
  #recover(error: HookServerError, unanswered: Request[]): void {
    const repeats = this.#restarts > 0 && this.#info !== undefined;
    this.#restarts -= 1;
    if (!repeats) {
      this.#over ??= error;
      for (const request of unanswered) request.reject(error);
      return;
    }
    this.onLog(`${error.message}; starting it again`);
    this.#connection = this.#connect();
    // The server reads in order: whatever is sent after this finds the session open.
    this.#connection.send({
      method: "initialize",
      params: this.#session,
      resolve: (info) => {
        this.#info = info as SessionInfo;
      },
      reject: (refusal) => this.onLog(`the session could not be opened again: ${refusal.message}`),
    });
    for (const request of unanswered) {
      if (request instanceof PendingCall && SAFE_TO_REPEAT.has(request.method)) request.sendTo(this.#connection);
      else request.reject(error);
    }
  }
}

/** A call that somebody waits for, on whichever server. */
class PendingCall implements Request {
  #id = 0;
  #connection: Connection | undefined;
  readonly #abort = () => {
    this.#connection?.cancel(this.#id);
    this.reject(this.signal?.reason);
  };

  constructor(
    readonly method: string,
    readonly params: object,
    private readonly onResult: (result: unknown) => void,
    private readonly onError: (error: Error) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  sendTo(connection: Connection): void {
    this.#connection = connection;
    this.#id = connection.send(this);
  }

  resolve(result: unknown): void {
    this.signal?.removeEventListener("abort", this.#abort);
    this.onResult(result);
  }

  reject(error: Error): void {
    this.signal?.removeEventListener("abort", this.#abort);
    this.onError(error);
  }
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
