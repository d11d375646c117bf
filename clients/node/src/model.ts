import type { HookClient, ModelCallOptions } from "./client.js";
import { isObject } from "./results.js";
import { annotation } from "./tools.js";
import type { BeforeToolSelectionResult, HookResult, Json, JsonObject, Provider } from "./wire.js";

/** Which tools a model may call in one turn. Providers are told too, but a model may call what it likes. */
export class ToolRestriction {
  private constructor(private readonly names: readonly string[] | undefined) {}

  static readonly none = new ToolRestriction(undefined);

  /** What BeforeToolSelection hooks allow. An empty list of names restricts nothing; the mode `NONE` forbids tools. */
  static of({ hookSpecificOutput }: HookResult): ToolRestriction {
    const config = hookSpecificOutput?.toolConfig;
    if (!isObject(config)) return ToolRestriction.none;
    if (String(config.mode).toUpperCase() === "NONE") return new ToolRestriction([]);
    const allowed: unknown[] = Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames : [];
    const names = allowed.filter((name): name is string => typeof name === "string");
    return names.length === 0 ? ToolRestriction.none : new ToolRestriction(names);
  }

  permits(tool: string): boolean {
    return this.names === undefined || this.names.includes(tool);
  }
}

/** A choice of tools with hooks around it. */
export interface ToolSelection<Req extends object> {
  /** The request to send: the caller's, or the one with the hooks' restriction in it. */
  request: Req;
  restriction: ToolRestriction;
  /** The agent's loop must end, for this reason. */
  stop: string | null;
  suppressOutput: boolean;
  /** What the model is to be told. */
  notes: string[];
}

/** A model call from the first hook to the last. */
export interface ModelCall<Req extends object, Res extends object> {
  /** The response to go on with: the model's, a hook's, or an empty one if a hook let nothing be asked. */
  response: Res;
  /** The request that was sent; the caller's if none was. */
  request: Req;
  restriction: ToolRestriction;
  /** Why a hook did not let the model be asked. */
  blocked: string | null;
  /** Why a hook wants the agent to stop. */
  stop: string | null;
  /** The person is not to be shown the response. */
  suppressOutput: boolean;
  /** Hooks' messages to the model that did not reach it with this call. */
  notes: string[];
}

/** Asks BeforeToolSelection hooks about a request and puts their restriction into it. */
export async function selectToolsWithHooks<Req extends object>(
  hooks: HookClient,
  request: Req,
  options: ModelCallOptions = {},
): Promise<ToolSelection<Req>> {
  const selection = await hooks.beforeToolSelection(request, options);
  return {
    request: selection.modifiedRequest ?? request,
    restriction: ToolRestriction.of(selection),
    stop: stopOf(selection),
    suppressOutput: selection.suppressOutput,
    notes: notesOf(selection),
  };
}

/**
 * Calls a model as hooks want it: not at all, with another request, with fewer tools, with another response. `call` sends
 * the request and resolves when the response is complete; what it throws is the caller's, and no hook is asked about half a
 * response.
 */
export async function callModelWithHooks<Req extends object, Res extends object>(
  hooks: HookClient,
  request: Req,
  call: (request: Req) => Promise<Res>,
  options: ModelCallOptions = {},
): Promise<ModelCall<Req, Res>> {
  const provider = options.provider ?? hooks.provider;
  const before = await hooks.beforeModel(request, { ...options, provider });
  if (before.blocked) {
    const response = (before.blockedResponse ?? {}) as Res;
    const notes = before.systemMessage ? [before.systemMessage] : [];
    return { ...unrestricted(request, response), blocked: before.reason, stop: stopOf(before), notes };
  }
  const changed = before.modifiedRequest ?? request;
  const selection = offersTools(changed)
    ? await selectToolsWithHooks(hooks, changed, { ...options, provider })
    : { request: changed, restriction: ToolRestriction.none, stop: null, suppressOutput: false, notes: [] };
  const messages = [...(before.systemMessage ? [before.systemMessage] : []), ...selection.notes];
  if (selection.stop !== null) {
    return { ...unrestricted(request, emptyResponse(provider) as Res), stop: selection.stop, notes: messages };
  }
  const sent = messages.reduce((sent, message) => withNote(sent, message, provider), selection.request);
  const answered = await call(sent);
  const after = await hooks.afterModel(request, answered, { ...options, provider, sentRequest: sent });
  return {
    response: after.response,
    request: sent,
    restriction: selection.restriction,
    blocked: null,
    stop: stopOf(after),
    suppressOutput: before.suppressOutput || selection.suppressOutput || after.suppressOutput,
    notes: notesOf(after),
  };
}

/** A request with a message of hooks at the end of what the user says. */
export function withNote<Req extends object>(request: Req, message: string, provider: Provider): Req {
  const fields = request as JsonObject;
  const text = annotation(message);
  if (provider === "genai") {
    const contents = listOf(fields.contents);
    const last = contents.at(-1);
    if (isObject(last) && last.role === "user" && Array.isArray(last.parts)) {
      const told = { ...last, parts: [...(last.parts as Json[]), { text }] };
      return { ...fields, contents: [...contents.slice(0, -1), told] } as unknown as Req;
    }
    return { ...fields, contents: [...contents, { role: "user", parts: [{ text }] }] } as unknown as Req;
  }
  const role = provider === "anthropic" ? "user" : "system";
  const list = "input" in fields ? "input" : "messages";
  return { ...fields, [list]: [...listOf(fields[list]), { role, content: text.trimStart() }] } as unknown as Req;
}

/** Whether a request defines tools, wherever its provider keeps them. */
export function offersTools(request: object): boolean {
  const { tools, config } = request as { tools?: unknown; config?: unknown };
  const some = (tools: unknown) => Array.isArray(tools) && tools.length > 0;
  return some(tools) || (isObject(config) && some(config.tools));
}

function emptyResponse(provider: Provider): JsonObject {
  switch (provider) {
    case "genai":
    case "stable":
      return { candidates: [] };
    case "anthropic":
      return { type: "message", role: "assistant", content: [], stop_reason: "end_turn" };
    case "openai":
      return { choices: [] };
  }
}

function unrestricted<Req extends object, Res extends object>(request: Req, response: Res): ModelCall<Req, Res> {
  const restriction = ToolRestriction.none;
  return { response, request, restriction, blocked: null, stop: null, suppressOutput: false, notes: [] };
}

/** What hooks want the model to know. What happened cannot be blocked any more; the model is told why a hook objects. */
function notesOf(result: HookResult | BeforeToolSelectionResult): string[] {
  const objection = result.blocked && !result.stop ? result.reason : null;
  return [result.systemMessage, objection].filter((note): note is string => Boolean(note));
}

function stopOf(result: HookResult): string | null {
  return result.stop ? (result.reason ?? "") : null;
}

/** A list; the SDK of Gemini takes one thing for a list of it. */
function listOf(value: unknown): Json[] {
  if (value === undefined || value === null) return [];
  const items: Json[] = Array.isArray(value) ? value : [value];
  return items.map((item) => (typeof item === "string" ? { role: "user", parts: [{ text: item }] } : item));
}
