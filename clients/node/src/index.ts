export { findBinary, platformPackage } from "./binary.js";
export { HookClient } from "./client.js";
export type {
  AfterModelOptions,
  CallOptions,
  CloseOptions,
  HookClientOptions,
  ModelCallOptions,
  ToolCallOptions,
} from "./client.js";
export { HookRequestError, HookServerError } from "./errors.js";
export { callModelWithHooks, offersTools, selectToolsWithHooks, ToolRestriction, withNote } from "./model.js";
export type { ModelCall, ToolSelection } from "./model.js";
export { annotation, appendText, applyAfterTool, executeToolWithHooks, runToolWithHooks, ToolNotRun } from "./tools.js";
export type { ToolEnding, ToolExecution, ToolResult } from "./tools.js";
export { REFUSED_STOPS, runTurnWithHooks } from "./turn.js";
export type { TurnEnd, TurnPrompt } from "./turn.js";
export type * from "./wire.js";
