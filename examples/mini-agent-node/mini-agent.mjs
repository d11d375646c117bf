#!/usr/bin/env node
// A small real agent: a model of the Gemini API, three tools, and the user's hooks around all of it.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { parseArgs } from "node:util";
// In a project of your own: from "@hookrail/client".
import { callModelWithHooks, HookClient, runToolWithHooks, runTurnWithHooks } from "../../clients/node/dist/index.js";

const MAX_TURNS = 50;

/** A path of the project; a model has no business elsewhere. */
function inside(path) {
  const full = resolve(path);
  if (full !== process.cwd() && !full.startsWith(process.cwd() + sep)) throw new Error(`\`${path}\` is outside of the project`);
  return full;
}

const text = (llmContent) => ({ llmContent, returnDisplay: llmContent });

const TOOLS = {
  run_shell_command: {
    description: "Runs a command and returns what it prints.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    run: ({ command }) =>
      new Promise((done) => {
        execFile("/bin/sh", ["-c", command], { timeout: 60_000 }, (error, stdout, stderr) => {
          done(text(`${stdout}${stderr}${error ? `exit code ${error.code ?? error.signal}` : ""}`));
        });
      }),
  },
  read_file: {
    description: "Returns the text of a file.",
    parameters: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
    run: async ({ file_path }) => text(await readFile(inside(file_path), "utf8")),
  },
  write_file: {
    description: "Writes text to a file.",
    parameters: {
      type: "object",
      properties: { file_path: { type: "string" }, content: { type: "string" } },
      required: ["file_path", "content"],
    },
    run: async ({ file_path, content }) => {
      await writeFile(inside(file_path), content);
      return text(`wrote ${file_path}`);
    },
  },
};

class Agent {
  contents = [];
  /** What hooks want the model to know next time. */
  notes = [];

  constructor(hooks, { baseUrl, model }) {
    this.hooks = hooks;
    this.baseUrl = baseUrl;
    this.model = model;
  }

  /** Works on a prompt until the model is done, and returns its last answer. */
  async work({ prompt, context }) {
    this.tell([{ text: prompt }, ...(context ? [{ text: context }] : [])]);
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const call = await callModelWithHooks(this.hooks, this.request(), (request) => this.send(request));
      this.notes.push(...call.notes);
      const content = call.response.candidates?.[0]?.content;
      const said = (content?.parts ?? []).map((part) => part.text ?? "").join("");
      if (content) this.contents.push(content);
      if (call.stop !== null) throw new Stopped(call.stop);
      if (call.blocked !== null && !content) throw new Stopped(call.blocked);
      if (said && !call.suppressOutput) console.log(said);
      const calls = (content?.parts ?? []).flatMap((part) => (part.functionCall ? [part.functionCall] : []));
      if (calls.length === 0) return said;
      this.tell(await Promise.all(calls.map((one) => this.useTool(one, call.restriction))));
    }
    throw new Error(`the model did not come to an end in ${MAX_TURNS} turns`);
  }

  /** Runs a tool that the model called, as hooks want it. */
  async useTool({ id, name, args = {} }, restriction) {
    const respond = (response) => ({ functionResponse: { ...(id && { id }), name, response } });
    const tool = TOOLS[name];
    if (!tool) return respond({ error: `there is no tool \`${name}\`` });
    if (!restriction.permits(name)) return respond({ error: `the tool \`${name}\` is not available in this turn` });
    const execute = (input) => tool.run(input).catch((error) => ({ ...text(error.message), error: { message: error.message } }));
    const { result, ending, stop, warnings } = await runToolWithHooks(this.hooks, name, args, execute);
    if (stop !== null) throw new Stopped(stop);
    this.notes.push(...warnings);
    if (!result.suppressDisplay) console.error(`[${name}: ${ending}]`);
    return respond(ending === "ran" && !result.error ? { output: result.llmContent } : { error: result.llmContent });
  }

  /** Adds to what the user said last, so that user and model take turns. */
  tell(parts) {
    const notes = this.notes.splice(0).map((note) => ({ text: `\n\n[System] ${note}` }));
    const last = this.contents.at(-1);
    if (last?.role === "user") last.parts.push(...parts, ...notes);
    else this.contents.push({ role: "user", parts: [...parts, ...notes] });
  }

  request() {
    const functionDeclarations = Object.entries(TOOLS).map(([name, { run, ...tool }]) => ({ name, ...tool }));
    return { model: this.model, contents: this.contents, config: { tools: [{ functionDeclarations }] } };
  }

  async send({ model, contents, config: { tools, toolConfig, ...generationConfig } }) {
    const url = `${this.baseUrl}/v1beta/models/${encodeURIComponent(model)}:generateContent`;
    const headers = { "content-type": "application/json", "x-goog-api-key": process.env.GEMINI_API_KEY ?? "" };
    const body = JSON.stringify({ contents, tools, toolConfig, generationConfig });
    const response = await fetch(url, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

class Stopped extends Error {}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "base-url": { type: "string", default: "https://generativelanguage.googleapis.com" },
      model: { type: "string", default: "gemini-2.5-flash" },
      settings: { type: "string", default: ".llxprt/settings.json" },
    },
  });
  const hooks = new HookClient({
    sessionId: `mini-${process.pid}`,
    cwd: process.cwd(),
    settingsFiles: [values.settings],
    tools: "gemini",
    onDiagnostic: (message) => console.error(`hooks: ${message}`),
  });
  const agent = new Agent(hooks, { baseUrl: values["base-url"], model: values.model });
  try {
    await hooks.fire("SessionStart", { source: "startup" });
    const end = await runTurnWithHooks(hooks, positionals.join(" "), (prompt) => agent.work(prompt));
    if (end.kind === "refused") throw new Stopped(end.reason);
  } catch (error) {
    console.error(error instanceof Stopped ? `a hook stopped the agent: ${error.message}` : `error: ${error.message}`);
    process.exitCode = error instanceof Stopped ? 2 : 1;
  } finally {
    await hooks.fire("SessionEnd", { reason: "exit" });
    await hooks.close();
  }
}

await main();
