import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { HookRequestError, HookServerError } from "./errors.js";
import { LineSplitter } from "./lines.js";

export interface Command {
  binary: string;
  args: readonly string[];
  env: Record<string, string | undefined>;
}

export interface ConnectionEvents {
  /** What the server says on stderr. */
  onLog(line: string): void;
  /** What the server says without having been asked. */
  onNotification(method: string, params: unknown): void;
  /** The process is gone, or said something that no server says. */
  onEnd(error: HookServerError): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown };
}

/** A request under way. */
export interface Sent {
  readonly id: number;
  readonly answer: Promise<unknown>;
}

/** The server refuses longer lines. */
const LINE_BYTES = 64 * 1024 * 1024;

/** One server process: requests go in, answers come out. It is over when the process is, or when it talks nonsense. */
export class Connection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #startError: Error | undefined;
  #isEnding = false;
  #over: HookServerError | undefined;
  /** Settles when the process is gone and everything it wrote has been read. */
  readonly ended: Promise<void>;

  constructor(
    private readonly command: Command,
    private readonly events: ConnectionEvents,
  ) {
    // In a process group of its own, so that Ctrl-C in the agent's terminal does not end the server before its agent.
    const detached = process.platform !== "win32";
    this.#child = spawn(command.binary, command.args, { detached, env: command.env, windowsHide: true });
    const answers = new LineSplitter((line) => this.#receive(line));
    const talk = new LineSplitter((line) => this.events.onLog(line));
    this.#child.stdout.on("data", (chunk: Buffer) => answers.push(chunk));
    this.#child.stderr.on("data", (chunk: Buffer) => talk.push(chunk));
    // A server that is gone is reported once, by its end.
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => {
      this.#startError = error;
    });
    this.ended = new Promise((resolve) => {
      this.#child.on("close", (code, signal) => {
        resolve();
        this.#end(this.#explain(code, signal));
      });
    });
    this.#hold();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a request. Its answer is rejected if the server refuses it or ends. */
  send(method: string, params: object): Sent {
    const id = ++this.#lastId;
    const line = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    if (line.length > LINE_BYTES || Buffer.byteLength(line) > LINE_BYTES) {
      return { id, answer: Promise.reject(new HookRequestError(-32700, `a request may not be longer than ${LINE_BYTES} bytes`)) };
    }
    if (this.#over) return { id, answer: Promise.reject(this.#over) };
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#hold();
    this.#write(line);
    return { id, answer };
  }

  /** Gives a request up: its hooks are ended and its answer is ignored. */
  cancel(id: number): void {
    if (this.#pending.delete(id)) {
      this.#hold();
      this.#write(JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id } }));
    }
  }

  /** From now on Node waits for the server's end. */
  waitForEnd(): void {
    this.#isEnding = true;
    this.#hold();
  }

  /** Ends the server at once; it cancels the hooks that run. */
  endInput(): void {
    this.#child.stdin.end();
  }

  /** Ends the process, whatever it does; nothing is waited for. */
  kill(reason?: string): void {
    this.#child.kill("SIGKILL");
    if (reason) this.#end(new HookServerError(reason));
  }

  #write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  #receive(line: string): void {
    if (this.#over || line.trim() === "") return;
    const message = parse(line);
    if (!message) return this.kill(`\`${this.command.binary}\` wrote something that is no answer: ${excerpt(line)}`);
    if (typeof message.method === "string") return this.events.onNotification(message.method, message.params);
    const pending = this.#pending.get(message.id as number);
    // The answer to a request that was given up, or to a line that could not be read.
    if (!pending) return;
    this.#pending.delete(message.id as number);
    this.#hold();
    if (message.error) pending.reject(new HookRequestError(Number(message.error.code), String(message.error.message)));
    else pending.resolve(message.result);
  }

  #end(error: HookServerError): void {
    if (this.#over) return;
    this.#over = error;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#hold();
    this.events.onEnd(error);
    for (const request of pending) request.reject(error);
  }

  #explain(code: number | null, signal: string | null): HookServerError {
    const { binary } = this.command;
    if (this.#startError) {
      const hint = "install hookrail, or say where it is with the option `binary` or in HOOKRAIL_BIN";
      return new HookServerError(`cannot start \`${binary}\`: ${this.#startError.message}\nhint: ${hint}`);
    }
    return new HookServerError(`\`${binary}\` ended ${signal ? `by ${signal}` : `with exit code ${code}`}`);
  }

  /** Node waits for the server only while an answer is expected: an agent may end without closing its client. */
  #hold(): void {
    const verb = this.#isEnding || this.#pending.size > 0 ? "ref" : "unref";
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin, stdout, stderr]) {
      (handle as Partial<Record<"ref" | "unref", () => void>>)[verb]?.();
    }
  }
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function excerpt(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
