import type { CallOptions, HookClient } from "./client.js";

/** What the agent works on next. */
export interface TurnPrompt {
  /** The user's prompt or, after a hook did not let the agent stop, the hook's reason. */
  prompt: string;
  /** Text that hooks want the model to have beside the prompt. */
  context: string | null;
  /** A hook did not let the agent stop, and this is why it works on. */
  stopHookActive: boolean;
}

/** How a turn ended. */
export type TurnEnd =
  /** A hook did not let the prompt reach the model. */
  | { kind: "refused"; reason: string; stop: boolean }
  /** The agent is done. */
  | { kind: "done"; response: string; clearContext: boolean; systemMessage: string | null };

/** After this many refused stops in a row the agent may stop: hooks that never let go would keep it working for ever. */
export const REFUSED_STOPS = 8;

/**
 * Works on a prompt with the hooks of `BeforeAgent` and `AfterAgent` around it: a refused prompt does not reach `work`, and
 * an agent whose stop is refused works on with the hook's reason. `work` takes the prompt to the model, does what the model
 * asks for, and resolves to its last answer.
 */
export async function runTurnWithHooks(
  hooks: HookClient,
  prompt: string,
  work: (prompt: TurnPrompt) => Promise<string>,
  options: CallOptions = {},
): Promise<TurnEnd> {
  const before = await hooks.fire("BeforeAgent", { prompt }, options);
  if (before.blocked) return { kind: "refused", reason: before.reason ?? "", stop: before.stop };
  let next: TurnPrompt = { prompt, context: before.context, stopHookActive: false };
  for (let refused = 0; ; refused += 1) {
    const response = await work(next);
    const input = { prompt, prompt_response: response, stop_hook_active: next.stopHookActive };
    const after = await hooks.fire("AfterAgent", input, options);
    if (!after.blocked || after.stop || refused >= REFUSED_STOPS || options.signal?.aborted) {
      const { clearContext = false, systemMessage } = after;
      return { kind: "done", response, clearContext, systemMessage };
    }
    next = { prompt: after.reason ?? "", context: after.context, stopHookActive: true };
  }
}
