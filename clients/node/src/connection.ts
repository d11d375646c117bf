import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { HookRequestError, HookServerError } from "./errors.js";
import { LineSplitter } from "./lines.js";

export interface Command {
  binary: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
}

/** A request on its way. */
export interface Request {
  readonly method: string;
  readonly params: object;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Response {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** One server process: requests go in, answers come out, and in the end it is told why and what was not answered. */
export class Connection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #requests = new Map<number, Request>();
  #lastId = 0;
  #startError: Error | undefined;
  #isEnding = false;
  /** Settles when the process is gone and everything it wrote has been read. */
  readonly ended: Promise<void>;

  constructor(
    private readonly command: Command,
    private readonly onLog: (line: string) => void,
    private readonly onEnd: (error: HookServerError, unanswered: Request[]) => void,
  ) {
    // In a process group of its own, so that Ctrl-C in the agent's terminal does not end the server before its agent.
    const detached = process.platform !== "win32";
    const env = { ...process.env, ...command.env };
    this.#child = spawn(command.binary, command.args, { detached, env, windowsHide: true });
    const answers = new LineSplitter((line) => this.#receive(line));
    const talk = new LineSplitter((line) => this.onLog(line));
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
        this.#end(code, signal);
      });
    });
    this.#hold();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a request and returns the id with which it can be cancelled. */
  send(request: Request): number {
    const id = ++this.#lastId;
    this.#requests.set(id, request);
    this.#hold();
    this.#write({ jsonrpc: "2.0", id, method: request.method, params: request.params });
    return id;
  }

  /** Gives a request up: its hooks are ended and its answer is ignored. */
  cancel(id: number): void {
    if (this.#requests.delete(id)) {
      this.#hold();
      this.#write({ jsonrpc: "2.0", method: "cancel", params: { id } });
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

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    const response = parse(line);
    const request = response && this.#requests.get(response.id as number);
    if (!response || !request) {
      // Not for us: the answer to a request that was given up, or not an answer at all.
      if (!response || response.id === undefined || response.id === null) this.onLog(`unexpected output: ${line}`);
      return;
    }
    this.#requests.delete(response.id as number);
    this.#hold();
    if (response.error) request.reject(new HookRequestError(response.error.code, response.error.message));
    else request.resolve(response.result);
  }

  #end(code: number | null, signal: string | null): void {
    const unanswered = [...this.#requests.values()];
    this.#requests.clear();
    this.onEnd(this.#explain(code, signal), unanswered);
  }

  #explain(code: number | null, signal: string | null): HookServerError {
    const { binary } = this.command;
    if (this.#startError) {
      const hint = "install hookrail, or say where it is with the option `binary`";
      return new HookServerError(`cannot start \`${binary}\`: ${this.#startError.message}\nhint: ${hint}`);
    }
    return new HookServerError(`\`${binary}\` ended ${signal ? `by ${signal}` : `with exit code ${code}`}`);
  }

  /** Node waits for the server only while an answer is expected: an agent may end without closing its client. */
  #hold(): void {
    const verb = this.#isEnding || this.#requests.size > 0 ? "ref" : "unref";
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin, stdout, stderr]) {
      (handle as Partial<Record<"ref" | "unref", () => void>>)[verb]?.();
    }
  }
}

function parse(line: string): Response | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
