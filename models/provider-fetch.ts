import { Agent, fetch } from "undici"

/** Long enough for a local server that loads a model, or a model that reasons in silence; a dead peer is found by TCP keep-alive. */
export const responseTimeoutMs = 30 * 60_000

/**
 * `fetch` for provider SDKs, which pass an address and everything else in `init`. Node's own gives up after five minutes without a
 * header or a chunk, and takes other limits only from an agent.
 */
export const createProviderFetch = (timeoutMs: number): typeof globalThis.fetch => {
  const dispatcher = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return async (input, init = {}) => {
    const { method, headers, body, signal } = init
    if (typeof body !== "string") throw new TypeError("A provider request carries JSON text.")
    const address = input instanceof Request ? input.url : input
    return fetch(address, { method, headers: [...new Headers(headers)], body, signal, dispatcher })
  }
}

/** What every provider SDK is created with. Its own retries are off: the engine retries. */
export const clientOptions = {
  maxRetries: 0,
  timeout: responseTimeoutMs,
  // At other levels the SDKs print what servers send.
  logLevel: "off",
  fetch: createProviderFetch(responseTimeoutMs),
} as const
