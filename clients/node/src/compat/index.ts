/**
 * The classes and functions of the hook system's document, on top of {@link HookClient}: an agent that was written against
 * it changes its imports.
 */
export { HookEventHandler, HookRegistry, HookSystem, HookSystemNotInitializedError, sessionOf } from "./system.js";
export type { HookSystemConfig } from "./system.js";
export * from "./translator.js";
export * from "./triggers.js";
export * from "./types.js";
