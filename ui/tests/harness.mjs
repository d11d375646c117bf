// A machine of its own for every test: home, state, projects, a running `hookrail ui`, a browser.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

const ROOT = new URL("../..", import.meta.url).pathname;
const BUILT = build();
export const HOOKRAIL = process.env.HOOKRAIL ?? BUILT("hookrail");
const FILL = BUILT("fill_journal");

/** Builds the workspace's programs; cargo says where it put them. */
function build() {
  const args = ["build", "--quiet", "--workspace", "--bins", "--examples", "--message-format", "json-render-diagnostics"];
  const made = spawnSync("cargo", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  if (made.status !== 0) throw new Error(`cargo ${args.join(" ")}: ${made.error ?? made.status}`);
  const messages = made.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return (name) => messages.find((message) => message.executable && message.target.name === name).executable;
}

/** Debian's Chromium; installed if it is not there and that is possible. */
export function findChromium() {
  const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
  if (found) return found;
  const install = "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium";
  spawnSync("sh", ["-c", install], { stdio: "ignore" });
  if (existsSync("/usr/bin/chromium")) return "/usr/bin/chromium";
  throw new Error("there is no Chromium\nhint: apt-get install chromium, or CHROMIUM=/path/to/it");
}

const machines = new Set();
// No server outlives the tests, whatever ends them.
process.on("exit", () => machines.forEach((machine) => machine.close()));

export class Machine {
  constructor(variables = {}) {
    this.variables = variables;
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "hookrail-ui-")));
    this.home = this.folder("home");
    this.state = join(this.root, "state");
    this.running = [];
    machines.add(this);
  }

  folder(name) {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  write(path, text) {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path) {
    return readFileSync(join(this.root, path), "utf8");
  }

  environment(more = {}) {
    const PATH = process.env.PATH;
    return { PATH, HOME: this.home, HOOKRAIL_STATE_DIR: this.state, NO_COLOR: "1", TZ: "UTC", ...this.variables, ...more };
  }

  run(args, { input = "", folder = this.home } = {}) {
    return spawnSync(HOOKRAIL, args, { input, cwd: folder, env: this.environment(), encoding: "utf8" });
  }

  /** An agent's tool call, through a real `hookrail hook`. */
  hook(project, command, more = {}) {
    const event = {
      session_id: "s-1",
      cwd: project,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command },
      tool_use_id: `t-${Math.random()}`,
      ...more,
    };
    return this.run(["hook", "--agent", "claude"], { input: JSON.stringify(event), folder: project });
  }

  /** Records of sessions that never happened. */
  fill(records, { now = Date.now(), days = 14 } = {}) {
    const filled = spawnSync(FILL, [this.state, String(records), String(now), String(days), join(this.root, "work")], { encoding: "utf8" });
    if (filled.status !== 0) throw new Error(`${FILL}: ${filled.error ?? filled.stderr}`);
    for (const name of ["shop", "billing-api", "website"]) this.folder(`work/${name}`);
  }

  /** Starts the server as a person does, at a terminal, or as a program does; its address. */
  async ui({ person = true, folder = this.home, env = {}, args = [] } = {}) {
    const words = [HOOKRAIL, "ui", "--no-open", ...args];
    const command = `exec ${words.map((word) => `'${word}'`).join(" ")}`;
    const [program, rest] = person ? ["script", ["-qfec", command, "/dev/null"]] : [HOOKRAIL, words.slice(1)];
    const child = spawn(program, rest, { cwd: folder, env: this.environment(env), stdio: ["pipe", "pipe", "pipe"] });
    this.running.push(child);
    let said = "";
    child.stderr.on("data", (part) => (said += part));
    const address = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no address: ${said}`)), 20_000);
      child.stdout.on("data", (part) => {
        said += part;
        const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]+/.exec(said);
        if (found) {
          clearTimeout(timer);
          resolve(found[0]);
        }
      });
      child.on("exit", (code) => reject(new Error(`ended with ${code}: ${said}`)));
    });
    return { address, origin: new URL(address).origin, child, said: () => said };
  }

  close() {
    machines.delete(this);
    for (const child of this.running.splice(0)) {
      child.removeAllListeners();
      child.stdout.destroy();
      child.stderr.destroy();
      child.kill("SIGTERM");
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}

let browser;
export async function openBrowser() {
  browser ??= await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

/** A page that remembers what must not happen: errors in the console, requests to elsewhere. */
export async function openPage(options = {}) {
  const context = await (await openBrowser()).newContext({ viewport: { width: 1360, height: 860 }, timezoneId: "UTC", locale: "en-GB", ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && hostname !== "127.0.0.1") faults.push(`request: ${request.url()}`);
  });
  return { context, page, faults };
}
