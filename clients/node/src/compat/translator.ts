/** Between Gemini's JSON and the stable form that hooks see, for outputs that are applied on this side. */

import type { JsonObject } from "../wire.js";

export interface LLMRequest {
  model: string;
  messages: { role: "user" | "model" | "system"; content: string | unknown[] }[];
  config?: JsonObject;
  toolConfig?: HookToolConfig;
}

export interface LLMResponse {
  text?: string;
  candidates: { content: { role: "model"; parts: string[] }; finishReason?: string; index?: number }[];
  usageMetadata?: JsonObject;
}

export interface HookToolConfig {
  mode?: "AUTO" | "ANY" | "NONE";
  allowedFunctionNames?: string[];
}

/**
 * The translations that {@link DefaultHookOutput} and its kin need without a server. `hookrail serve` translates requests
 * and responses itself, in both directions and for every provider; results of the client are translated already.
 */
export class HookTranslatorGenAIv1 {
  toHookLLMRequest(request: JsonObject): LLMRequest {
    const { temperature, maxOutputTokens, topP, topK } = (isObject(request.config) ? request.config : {}) as JsonObject;
    const contents: unknown[] = Array.isArray(request.contents) ? request.contents : [request.contents];
    return {
      model: String(request.model ?? ""),
      messages: contents.flatMap(message),
      config: { temperature, maxOutputTokens, topP, topK },
    };
  }

  toHookLLMResponse(response: JsonObject): LLMResponse {
    const candidates = (Array.isArray(response.candidates) ? response.candidates : []).filter(isObject);
    const shown = candidates.map(({ content, finishReason, index, safetyRatings }) => ({
      content: { role: "model" as const, parts: texts(content) },
      finishReason: finishReason as string,
      index: index as number,
      safetyRatings: Array.isArray(safetyRatings) ? safetyRatings.filter(isObject).map(rating) : undefined,
    }));
    const text = typeof response.text === "string" ? response.text : shown[0]?.content.parts.join("");
    return { text, candidates: shown, usageMetadata: response.usageMetadata } as LLMResponse;
  }

  toHookToolConfig(config: JsonObject | undefined): HookToolConfig {
    const calling = isObject(config?.functionCallingConfig) ? config.functionCallingConfig : {};
    return { mode: calling.mode, allowedFunctionNames: calling.allowedFunctionNames } as HookToolConfig;
  }

  fromHookLLMRequest(request: JsonObject, base: JsonObject = {}): JsonObject {
    const changed: JsonObject = { ...base };
    if (typeof request.model === "string") changed.model = request.model;
    if (Array.isArray(request.messages)) changed.contents = request.messages.map(turn);
    if (isObject(request.config)) changed.config = { ...(isObject(base.config) ? base.config : {}), ...request.config };
    return changed;
  }

  fromHookLLMResponse(response: JsonObject): JsonObject {
    const candidates = (Array.isArray(response.candidates) ? response.candidates : []).filter(isObject);
    const translated: JsonObject = { candidates: candidates.map(candidate) };
    const text = response.text ?? candidates.flatMap(({ content }) => texts(content)).join("");
    // As in the SDK, where it is computed: it is read, and not sent.
    Object.defineProperty(translated, "text", { value: text, enumerable: false });
    if (response.usageMetadata !== undefined) translated.usageMetadata = response.usageMetadata;
    return translated;
  }

  fromHookToolConfig(config: JsonObject): JsonObject {
    const { mode, allowedFunctionNames } = config;
    if (mode === undefined && allowedFunctionNames === undefined) return {};
    const calling: JsonObject = {};
    if (mode !== undefined) calling.mode = mode;
    if (allowedFunctionNames !== undefined) calling.allowedFunctionNames = allowedFunctionNames;
    return { functionCallingConfig: calling };
  }
}

export const defaultHookTranslator = new HookTranslatorGenAIv1();

function message(content: unknown): LLMRequest["messages"] {
  if (typeof content === "string") return content ? [{ role: "user", content }] : [];
  const role = isObject(content) && (content.role === "model" || content.role === "system") ? content.role : "user";
  const text = texts(content).join("");
  return text ? [{ role, content: text }] : [];
}

function texts(content: unknown): string[] {
  const parts: unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
  return parts.flatMap((part) => {
    const text = isObject(part) ? part.text : part;
    return typeof text === "string" ? [text] : [];
  });
}

function rating({ category, probability }: JsonObject): JsonObject {
  return { category: String(category ?? ""), probability: String(probability ?? "") };
}

function turn(message: unknown): JsonObject {
  const { role, content } = isObject(message) ? message : {};
  const text = typeof content === "string" ? content : String(content);
  return { role: typeof role === "string" ? role : "user", parts: [{ text }] };
}

function candidate(fields: JsonObject): JsonObject {
  const parts = isObject(fields.content) && Array.isArray(fields.content.parts) ? fields.content.parts : [];
  const content = { role: "model", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) };
  return { ...fields, content };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
