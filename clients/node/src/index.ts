export { HookClient } from "./client.js";
export type { CallOptions, CloseOptions, HookClientOptions, ModelCallOptions, ToolCallOptions } from "./client.js";
export { HookRequestError, HookServerError } from "./errors.js";
export type * from "./wire.js";
