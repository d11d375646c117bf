/** What the tests have in common: the real binary, a project, hooks, and questions about processes. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { HookClient, type HookClientOptions, type JsonObject } from "../src/index.js";

export const BINARY = process.env["HOOKRAIL_BIN"] ?? build();

/** Builds hookrail; cargo says where it put it. */
function build(): string {
  const args = ["build", "--quiet", "--package", "hookrail-cli", "--message-format", "json-render-diagnostics"];
  const cwd = fileURLToPath(new URL("../../../..", import.meta.url));
  const made = spawnSync("cargo", args, { cwd, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  const messages = (made.stdout ?? "").split("\n").filter(Boolean).map((line) => JSON.parse(line) as JsonObject);
  const binary = messages.find(({ target, executable }) => executable && (target as JsonObject)["name"] === "hookrail");
  if (made.status !== 0 || !binary) throw new Error("hookrail could not be built\nhint: run `cargo build`, or set HOOKRAIL_BIN");
  return String(binary["executable"]);
}

/** Longer than anything here takes, even on a busy machine. */
const HANG_MS = 60_000;

/** A directory that exists for one test. */
export class Project {
  readonly path: string;

  constructor(test: TestContext) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "hookrail-")));
    test.after(() => rmSync(this.path, { recursive: true, force: true }));
  }

  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.at(name), text);
    return this.at(name);
  }

  /** The process id that a hook writes to a file, once it is there. */
  async pid(name: string): Promise<number> {
    await until(() => existsSync(this.at(name)) && readFileSync(this.at(name), "utf8").endsWith("\n"));
    return Number(readFileSync(this.at(name), "utf8"));
  }
}

/** A client with one hook, named `hook`, per event; it is closed with the test. */
export async function start(
  test: TestContext,
  commands: Record<string, string>,
  options: Partial<HookClientOptions> = {},
): Promise<HookClient> {
  const hooks: JsonObject = {};
  for (const [event, command] of Object.entries(commands)) {
    hooks[event] = [{ hooks: [{ type: "command", name: "hook", command }] }];
  }
  const settings = { enableHooks: true, hooks };
  const cwd = options.cwd ?? new Project(test).path;
  const client = await HookClient.start({ binary: BINARY, sessionId: "s-1", cwd, settings, ...options });
  test.after(() => client.close({ timeoutMs: 0 }));
  return client;
}

/** A command that prints this JSON. */
export function printing(output: object): string {
  return `cat >/dev/null; echo '${JSON.stringify(output)}'`;
}

export function alive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean): Promise<void> {
  const start = Date.now();
  while (!condition()) {
    if (Date.now() - start > HANG_MS) throw new Error(`waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
