/** The server refused a request; `code` is JSON-RPC's. */
export class HookRequestError extends Error {
  override readonly name = "HookRequestError";

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** There is no server to ask: it could not be started, it ended, or the client was closed. */
export class HookServerError extends Error {
  override readonly name = "HookServerError";
}
