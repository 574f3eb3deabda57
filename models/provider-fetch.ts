import { outgoing } from "../network/outgoing.ts"

/** Long enough for a local server that loads a model, or a model that reasons without output. TCP keep-alive detects a dead peer. */
export const responseTimeoutMs = 30 * 60_000

/**
 * Returns a `fetch` for provider SDKs, which pass a URL and everything else in `init`. Node's own fails after five minutes without a
 * header or a chunk.
 */
export const createProviderFetch = (timeoutMs: number): typeof globalThis.fetch => {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  return async (input, init = {}) => {
    const { method, headers, body, signal } = init
    if (typeof body !== "string") throw new TypeError("the body of a provider request must be text")
    return outgoing(input instanceof Request ? input.url : input, { method, headers, body, signal }, limits)
  }
}

/** Options of every provider SDK. Its own retries are disabled, because Temporal retries. */
export const clientOptions = {
  maxRetries: 0,
  timeout: responseTimeoutMs,
  // At other levels, the SDKs log what servers send.
  logLevel: "off",
  fetch: createProviderFetch(responseTimeoutMs),
} as const
