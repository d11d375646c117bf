/** What `hookrail serve` takes and gives, field by field. Its manual is the page `serve` of hookrail's book. */

export type Json = unknown;
export type JsonObject = Record<string, unknown>;

/** What all hooks decided together; the first of these that one of them said. */
export type Decision = "stop" | "block" | "ask" | "allow" | "none";

/** Whose JSON a request to a model is. */
export type Provider = "genai" | "anthropic" | "openai";

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
  hooksConfig?: { disabled?: string[]; [key: string]: unknown };
  [key: string]: unknown;
}

export interface ScopedSettings {
  scope?: Scope;
  settings: Settings;
}

export interface SettingsFile {
  /** Relative to `cwd`. */
  path: string;
  scope?: Scope;
  /** `claude` for Claude Code's settings and plugin files, with their event names and seconds. */
  format?: "protocol" | "claude";
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

export interface HookRun {
  hook: string;
  outcome: "succeeded" | "blocked" | "warned" | "skipped" | "failed" | "timedOut" | "cancelled";
  milliseconds: number;
  error: string | null;
}

/** What every answer of hooks has. */
export interface HookResult {
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
  /** Every hook that was asked, in order. */
  runs: HookRun[];
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
}

export interface AfterModelResult<Response extends object = JsonObject> extends HookResult {
  /** The response to go on with: the model's, or what hooks made of it. */
  response: Response;
}

export interface BeforeToolSelectionResult extends HookResult {
  /** The tools the model may use, in the provider's words, if hooks restrict them. */
  toolConfig: Json;
}

export interface FireResult extends HookResult {
  /** Only on `AfterAgent`: the conversation so far is to be forgotten. */
  clearContext?: boolean;
}
