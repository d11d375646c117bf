import { type Command, Connection, type ConnectionEvents } from "./connection.js";
import { HookServerError } from "./errors.js";

export interface AskOptions {
  /** Aborting ends the hooks of this call, which gets the safe default. */
  signal?: AbortSignal;
  /** How long this call may take. */
  timeoutMs?: number;
}

export interface OpenOptions {
  /** Starts a server also for a session without hooks. */
  evenWithoutHooks?: boolean;
  /** Opens the session anew, on the server that runs if there is one. */
  again?: boolean;
}

/** How a session is opened, and whether its answer leaves anything to ask. */
export interface Opening {
  params: object;
  accept(answer: unknown): boolean;
}

/** Asked before an operation, so asking again does no harm; what hooks did after one must not be done twice. */
const SAFE_TO_REPEAT = new Set(["beforeTool", "beforeModel", "beforeToolSelection", "status", "list", "describe"]);

/** A server is started again at once the first time, then after pauses that double. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** So many calls in a row may time out before the server is taken for hung. */
const MOST_TIMEOUTS = 3;

/** Node takes a longer time for none at all; a call that may take so long may take for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A program takes a moment to start, however little time the calls of an agent may take. */
const OPENING_MS = 30_000;

/** After its hooks were cancelled, a server that does not end within this is killed. */
const LAST_WAIT_MS = 2000;

/** Keeps one server alive for a client: starts it when it is needed, and again when it dies. */
export class Supervisor {
  #connection: Connection | undefined;
  #opening: Promise<void> | undefined;
  /** The session is open, and has nothing to ask: there is no server. */
  #isIdle = false;
  #failures = 0;
  #timeouts = 0;
  #notBefore = 0;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly command: Command,
    private readonly events: Pick<ConnectionEvents, "onLog" | "onNotification">,
    private readonly timeoutMs: number,
    private readonly opening: () => Opening,
  ) {}

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  /** Sees to it that the session is open. Rejected if there is no server to be had now. */
  async open({ evenWithoutHooks = false, again = false }: OpenOptions = {}): Promise<void> {
    if (this.#opening) await this.#opening;
    if (!again && (this.#connection || (this.#isIdle && !evenWithoutHooks))) return;
    this.#opening ??= this.#open(evenWithoutHooks).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #open(evenWithoutHooks: boolean): Promise<void> {
    const { params, accept } = this.opening();
    const connection = this.#connection ?? this.#start();
    let goesOn: boolean;
    try {
      const timeoutMs = this.timeoutMs > 0 ? Math.max(this.timeoutMs, OPENING_MS) : 0;
      goesOn = accept(await this.#exchange(connection, "initialize", params, { timeoutMs }));
    } catch (error) {
      // A session that is refused is refused again: not at every call.
      if (!(error instanceof HookServerError)) this.#pause();
      this.#connection = undefined;
      void end(connection, 0);
      throw error;
    }
    this.#isIdle = !goesOn;
    if (goesOn || evenWithoutHooks) {
      if (this.#connection === undefined && !this.#closed) this.#connection = connection;
    } else {
      this.#connection = undefined;
      void end(connection, 0);
    }
  }

  /** The server's answer. Rejected if it refuses, dies, or does not answer in time. */
  async ask(method: string, params: object, options: AskOptions): Promise<unknown> {
    try {
      return await this.#askOnce(method, params, options);
    } catch (error) {
      const repeats = error instanceof HookServerError && SAFE_TO_REPEAT.has(method) && !options.signal?.aborted;
      if (!repeats || this.#closed) throw error;
      await this.open();
      return this.#askOnce(method, params, options);
    }
  }

  async #askOnce(method: string, params: object, options: AskOptions): Promise<unknown> {
    if (!this.#connection) throw new HookServerError("the server is not running");
    const answer = await this.#exchange(this.#connection, method, params, options);
    this.#failures = 0;
    return answer;
  }

  /** Ends a server that has nothing to do. */
  async rest(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) await end(connection, 0);
  }

  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#close(timeoutMs);
    return this.#closed;
  }

  async #close(timeoutMs: number): Promise<void> {
    await this.#opening?.catch(() => {});
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) await end(connection, timeoutMs);
  }

  #start(): Connection {
    if (this.#closed) throw new HookServerError("this client is closed");
    const pause = this.#notBefore - Date.now();
    if (pause > 0) throw new HookServerError(`\`${this.command.binary}\` keeps failing; it is tried again in ${pause} ms`);
    const connection: Connection = new Connection(this.command, {
      ...this.events,
      onEnd: (error) => this.#ended(connection, error),
    });
    return connection;
  }

  #ended(connection: Connection, error: HookServerError): void {
    if (this.#connection === connection) this.#connection = undefined;
    if (this.#closed || this.#isIdle) return;
    this.#pause();
    this.events.onLog(error.message);
  }

  #pause(): void {
    const pause = this.#failures === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#failures - 1);
    this.#failures += 1;
    this.#notBefore = Date.now() + Math.min(pause, LONGEST_PAUSE_MS);
  }

  /** One request and its answer, unless its signal or its time comes first. */
  async #exchange(connection: Connection, method: string, params: object, options: AskOptions): Promise<unknown> {
    const { signal, timeoutMs = this.timeoutMs } = options;
    const { id, answer } = connection.send(method, params);
    let timer: NodeJS.Timeout | undefined;
    let abort: (() => void) | undefined;
    const interrupted = new Promise<never>((_, reject) => {
      const giveUp = (why: string) => {
        connection.cancel(id);
        reject(new Error(why));
      };
      abort = () => giveUp("the call was cancelled");
      signal?.addEventListener("abort", abort, { once: true });
      if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS) {
        timer = setTimeout(() => {
          giveUp(`no answer to \`${method}\` within ${timeoutMs} ms`);
          this.#timedOut(connection);
        }, timeoutMs);
      }
      if (signal?.aborted) abort();
    });
    try {
      const result = await Promise.race([answer, interrupted]);
      this.#timeouts = 0;
      return result;
    } finally {
      clearTimeout(timer);
      if (abort) signal?.removeEventListener("abort", abort);
    }
  }

  /** A server that answers nothing any more is as good as dead. */
  #timedOut(connection: Connection): void {
    this.#timeouts += 1;
    if (this.#timeouts < MOST_TIMEOUTS) return;
    this.#timeouts = 0;
    connection.kill(`\`${this.command.binary}\` did not answer ${MOST_TIMEOUTS} calls in a row`);
  }
}

/** Ends a server: asks it to, then takes its input away, then kills it. */
async function end(connection: Connection, timeoutMs: number): Promise<void> {
  connection.send("shutdown", {}).answer.catch(() => {});
  connection.waitForEnd();
  if (await settlesWithin(connection.ended, timeoutMs)) return;
  connection.endInput();
  if (await settlesWithin(connection.ended, LAST_WAIT_MS)) return;
  connection.kill();
  await connection.ended;
}

export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS), false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
