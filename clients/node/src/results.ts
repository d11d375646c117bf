import type { HookResult, HookResultWire, JsonObject, SessionInfo, Status } from "./wire.js";

/** What an event comes to that no hook looked at: nothing stands in its way. */
export function nothing(diagnostic: string | null = null): HookResult {
  return {
    decision: "none",
    blocked: false,
    reason: null,
    stop: false,
    systemMessage: null,
    context: null,
    suppressOutput: false,
    success: true,
    errors: [],
    totalDuration: 0,
    warnings: [],
    notices: [],
    conflicts: [],
    output: null,
    hookSpecificOutput: null,
    runs: [],
    diagnostic,
  };
}

/** The same for an agent that must not go on without its hooks. */
export function refusal(diagnostic: string): HookResult {
  const reason = `hooks cannot be asked: ${diagnostic}`;
  return { ...nothing(diagnostic), decision: "block", blocked: true, reason };
}

/** The server's answer as callers get it; an error if it is no answer of hooks. */
export function complete<Particulars>(answer: unknown): HookResult & Particulars {
  if (!isObject(answer) || typeof answer.blocked !== "boolean" || !Array.isArray(answer.runs)) {
    throw new Error("the server's answer has not the form of one");
  }
  const wire = answer as unknown as HookResultWire & Particulars;
  const specific = wire.output?.hookSpecificOutput;
  return { ...wire, hookSpecificOutput: isObject(specific) ? specific : null, diagnostic: null };
}

export function emptyInfo(): SessionInfo {
  const server = { name: "hookrail", version: "" };
  return { protocolVersion: 0, server, enabled: false, totalHooks: 0, events: [], diagnostics: [] };
}

export function emptyStatus(sessionId: string): Status {
  return { protocolVersion: 0, initialized: false, sessionId, enabled: false, totalHooks: 0, running: 0 };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
