/** What `hookrail serve` takes and gives, field by field. Its manual is the page `serve` of hookrail's book. */

export type Json = unknown;
export type JsonObject = Record<string, unknown>;

/** What all hooks decided together; the first of these that one of them said. */
export type Decision = "stop" | "block" | "ask" | "allow" | "none";

/** Whose JSON a request to a model is; `stable` is the form in which hooks see it, and nothing is translated. */
export type Provider = "genai" | "anthropic" | "openai" | "stable";

/** The events of `fire`; agents may have more, such as Claude Code's. */
export type EventName =
  | "BeforeAgent"
  | "AfterAgent"
  | "SessionStart"
  | "SessionEnd"
  | "PreCompress"
  | "PostCompress"
  | "Notification"
  | "ToolFailed"
  | "PermissionRequest"
  | "PromptExpand"
  | "SubagentStart"
  | "SubagentStop"
  | "TaskCreated"
  | "TaskCompleted"
  | "TeammateIdle"
  | (string & {});

export type Scope = "project" | "user" | "system";

/** Settings as agents keep them; only these keys are looked at. */
export interface Settings {
  enableHooks?: boolean;
  hooks?: JsonObject;
  hooksConfig?: { enabled?: boolean; disabled?: string[]; [key: string]: unknown };
  tools?: { enableHooks?: boolean; [key: string]: unknown };
  [key: string]: unknown;
}

/** `llxprt` is `protocol` by another name. `hookrail` is the same with prompt and HTTP hooks. */
export type SettingsFormat = "protocol" | "llxprt" | "gemini" | "claude" | "hookrail";

export interface ScopedSettings {
  scope?: Scope;
  format?: SettingsFormat;
  settings: Settings;
}

export interface SettingsFile {
  /** Relative to `cwd`. */
  path: string;
  scope?: Scope;
  /** `claude` for Claude Code's settings and plugin files, with their event names and seconds. */
  format?: SettingsFormat;
}

export interface Extension {
  name: string;
  active?: boolean;
  hooks?: JsonObject;
}

/** What a tool does, and the fields of its input that say with what. A field is called as its key here if not given. */
export interface ToolDescription {
  kind: "shell" | "write" | "edit" | "read" | "web" | "subagent" | "skill" | "ask";
  command?: string;
  cwd?: string;
  path?: string;
  content?: string;
  url?: string;
  agent?: string;
  prompt?: string;
  name?: string;
  question?: string;
}

export interface Session {
  sessionId: string;
  /** The project, as an absolute path. */
  cwd: string;
  settings?: Settings | ScopedSettings[];
  settingsFiles?: (string | SettingsFile)[];
  extensions?: Extension[];
  /** Overrides what the settings say. */
  enableHooks?: boolean;
  /** False keeps the project's hooks from being loaded. */
  trustedFolder?: boolean;
  /** How the agent's tools are read: as those of an agent that hookrail knows, or as described here by name. */
  tools?: string | Record<string, ToolDescription>;
  /** Packs of native hooks to run. */
  packs?: string[];
  /** Whether the `hookrail.toml` files of machine, user and project count. */
  hookrailToml?: boolean;
  /** Whether events are recorded; by default if `packs` or `hookrailToml` are there. */
  journal?: boolean;
  /** The file in which the agent writes down the conversation. */
  transcriptPath?: string;
  /** The model that prompt hooks ask; without one they abstain. */
  promptEndpoint?: PromptEndpoint;
  /** What HTTP hooks may reach beyond the public internet. */
  httpPolicy?: { allowPrivate?: boolean; allowHosts?: string[] };
  /** How much longer than what it was sent a hook's answer may be; 64 MiB if absent. A longer one is a failure. */
  answerLimitBytes?: number;
}

export interface PromptEndpoint {
  provider: "anthropic" | "openai" | "gemini";
  model: string;
  baseUrl?: string;
  apiKey?: string;
  /** For a server that asks for no key. */
  keyless?: boolean;
}

/** Something wrong in a hook configuration, for the person who wrote it. */
export interface Diagnostic {
  /** `file:line:column` where that is known. */
  origin: string;
  message: string;
  hint: string | null;
}

export interface SessionInfo {
  protocolVersion: number;
  server: { name: string; version: string };
  enabled: boolean;
  totalHooks: number;
  /** The events that have hooks, whatever their matchers say. Null: every event may have. */
  events: string[] | null;
  diagnostics: Diagnostic[];
}

export interface Status {
  protocolVersion: number;
  initialized: boolean;
  sessionId: string | null;
  enabled: boolean;
  totalHooks: number;
  /** Requests whose hooks are at work. */
  running: number;
}

export type Outcome = "succeeded" | "blocked" | "warned" | "skipped" | "failed" | "timedOut" | "cancelled";

/** One hook that was asked. */
export interface HookRun {
  hook: string;
  kind: "command" | "native" | "prompt" | "http" | "plugin";
  /** Whose configuration it is from: `project`, `user`, `system`, `extensions` or `runtime`. */
  source: string;
  /** Where it is configured: `file:line:column` where that is known. */
  origin: string;
  outcome: Outcome;
  /** It did its work; an exit code 2 is not a success by the protocol. */
  success: boolean;
  milliseconds: number;
  /** Null if a signal ended it, or if it is not a process. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** It printed more than is told here. */
  truncated: boolean;
  error: string | null;
  /** What it said, in the words of the hook protocol. */
  output: JsonObject | null;
}

/** What several hooks rewrote at the same time; the last one's value counts. */
export interface Conflict {
  field: string;
  hooks: string[];
}

/** What every answer of hooks has, as the server sends it. */
export interface HookResultWire {
  decision: Decision;
  /** The operation must not happen; true for a stop as well. */
  blocked: boolean;
  /** Always there when `blocked`. */
  reason: string | null;
  /** The agent's loop must end. */
  stop: boolean;
  /** Text that hooks want said. */
  systemMessage: string | null;
  /** Text that hooks want the model to have. */
  context: string | null;
  /** The person is not to be shown the output of the operation. */
  suppressOutput: boolean;
  /** Every hook ran without failing. Says nothing about what they decided. */
  success: boolean;
  errors: string[];
  /** Of all hooks together, in milliseconds. */
  totalDuration: number;
  /** What hooks that failed left to say. It is no part of `systemMessage`. */
  warnings: string[];
  /** What hookrail has to say about its own work. */
  notices: string[];
  conflicts: Conflict[];
  /** The merged output in the words of the hook protocol. */
  output: JsonObject | null;
  /** Every hook that was asked, in order. */
  runs: HookRun[];
}

/** What every answer of a {@link HookClient} has. */
export interface HookResult extends HookResultWire {
  /** The `hookSpecificOutput` of the merged output. */
  hookSpecificOutput: JsonObject | null;
  /** Why hooks could not be asked, so that this is the safe default; null if they were, or if there are none. */
  diagnostic: string | null;
}

/** A hook of the session at one event. */
export interface RegisteredHook {
  hook: string;
  kind: HookRun["kind"];
  event: string;
  matcher: string | null;
  action: string;
  source: string;
  origin: string;
  enabled: boolean;
  sequential: boolean;
  /** Milliseconds. */
  timeout: number;
  onError: "allow" | "ask" | "deny";
  mode: "enforce" | "warn" | "off";
  statusMessage: string | null;
  /** Whether `setEnabled` can switch it. */
  switchable: boolean;
}

/** A hook and what became of it in this session. */
export interface HookDescription extends RegisteredHook {
  runs: number;
  blocked: number;
  failed: number;
  lastOutcome: Outcome | null;
  lastMilliseconds: number | null;
  lastError: string | null;
}

export interface Switched {
  /** How many hooks have the name and can be switched. */
  switched: number;
  events: string[] | null;
}

/** A hook is about to run. */
export interface HookStarted {
  event: string;
  hook: string;
  kind: HookRun["kind"];
  source: string;
  origin: string;
  statusMessage: string | null;
}

/** A hook is done. */
export interface HookFinished {
  event: string;
  run: HookRun;
}

/** How an event went, in a few numbers. */
export interface Telemetry {
  event: string;
  hooks: number;
  totalDuration: number;
  success: boolean;
  decision: Decision;
}

export interface BeforeToolResult<Input extends object = JsonObject> extends HookResult {
  /** The arguments to run the tool with: the caller's, and what hooks changed in them. */
  toolInput: Input;
}

export interface BeforeModelResult<Request extends object = JsonObject> extends HookResult {
  /** The request to send instead, if hooks changed it. */
  modifiedRequest: Request | null;
  /** When `blocked`: the answer to use instead of the model's, if a hook gave one. */
  syntheticResponse: JsonObject | null;
  /** When `blocked`: what takes the model's place, the hook's answer or an empty one in the provider's form. */
  blockedResponse: JsonObject | null;
}

export interface AfterModelResult<Response extends object = JsonObject> extends HookResult {
  /** The response to go on with: the model's, or what hooks made of it. */
  response: Response;
}

export interface BeforeToolSelectionResult<Request extends object = JsonObject> extends HookResult {
  /** The tools the model may use, in the provider's words, if hooks restrict them. */
  toolConfig: Json;
  /** The request with that restriction in it. */
  modifiedRequest: Request | null;
}

export interface FireResult extends HookResult {
  /** Only on `AfterAgent`: the conversation so far is to be forgotten. */
  clearContext?: boolean;
}
