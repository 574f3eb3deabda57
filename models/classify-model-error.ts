import { isAdjutantError } from "../contracts/adjutant-error.ts"
import type { ModelSpec } from "../contracts/run-snapshot.ts"
import { assertNever } from "../domain/assert-never.ts"
import { createRedact } from "../domain/text/redact.ts"
import { apiKeyEnvOf } from "./api-key-env.ts"
import { ModelError, type ModelErrorKind } from "./model-error.ts"
import type { ModelRequest } from "./model-provider.ts"
import { readProviderFailure, type ProviderFailure, readRetryAfterMs } from "./provider-failure.ts"

/** The call that failed. A `retry-after` date is compared with `nowMs`. */
export interface FailedCall extends Pick<ModelRequest, "spec" | "apiKey"> {
  readonly signal?: AbortSignal
  readonly nowMs?: number
}

const maxMessageLength = 600

/** Texts that look like keys: providers repeat parts of a key in their errors. */
const keyPatterns = [
  /\bsk-[A-Za-z0-9_*-]{6,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi,
  /\b(?:api[-_]?key|access[-_]?token|token|key)=[^\s&"']{4,}/gi,
  /(?<=:\/\/)[^\s/@]+@/g,
]

const withoutKeys = (text: string, apiKey: string | undefined): string =>
  keyPatterns.reduce(
    (clean, pattern) => clean.replaceAll(pattern, "[redacted]"),
    createRedact(apiKey === undefined ? [] : [apiKey])(text),
  )

/**
 * Classifies a failed model call. Calls with 408, 409, 429 or 5xx, failed or broken connections, and answers that are not JSON are retried; an
 * exhausted quota and other 4xx are not. The message names the setting to check and contains no key. The result has no cause, since SDK errors
 * contain headers and prompts.
 */
export const classifyModelError = (error: unknown, call: FailedCall): ModelError => {
  const clean = (text: string) => withoutKeys(text, call.apiKey).slice(0, maxMessageLength)
  if (call.signal?.aborted) return new ModelError("aborted", "the model call was aborted")
  if (error instanceof ModelError) {
    const { retryAfterMs, status } = error
    return new ModelError(error.kind, clean(error.message), { retryAfterMs, status })
  }
  if (isAdjutantError(error)) return new ModelError("bad_request", clean(error.message))
  const failure = readProviderFailure(error)
  const kind = kindOf(failure)
  return new ModelError(kind, clean(describe(kind, failure, call.spec)), {
    status: failure.status,
    retryAfterMs: kind === "retry" ? readRetryAfterMs(failure.headers, call.nowMs ?? Date.now()) : undefined,
  })
}

const kindOf = (failure: ProviderFailure): ModelErrorKind => {
  if (failure.name === "AbortError" || failure.name === "APIUserAbortError") return "aborted"
  const status = failure.status ?? statusOfCodes(failure.codes)
  if (isQuota(failure, status)) return "quota"
  if (isContextExceeded(failure, status)) return "context_exceeded"
  if (status === undefined) return isTransport(failure) ? "retry" : "bad_request"
  if (status === 401 || status === 403) return "auth"
  if (status === 404 || failure.codes.includes("model_not_found")) return "not_found"
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500
  return isPassing ? "retry" : "bad_request"
}

/** Status of the types and codes with which errors inside a stream are reported. */
const statusByCode: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  api_error: 500,
  server_error: 500,
  internal_server_error: 500,
  timeout_error: 504,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  conflict_error: 409,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  invalid_request_error: 400,
  invalid_prompt: 400,
}

const statusOfCodes = (codes: readonly string[]): number | undefined =>
  codes.map((code) => statusByCode[code]).find((status) => status !== undefined)

const isQuota = ({ codes, message }: ProviderFailure, status: number | undefined): boolean => {
  if (status === 402) return true
  if (codes.some((code) => /insufficient_quota|billing|spend_limit|insufficient_(credits|balance|funds)/.test(code)))
    return true
  return status !== undefined && status < 500 && /credit balance|insufficient (credits|balance|funds)/i.test(message)
}

const isContextExceeded = ({ codes, message }: ProviderFailure, status: number | undefined): boolean => {
  if (codes.some((code) => /context_length_exceeded|exceed_context_size|context_window_exceeded/.test(code)))
    return true
  if (status === 413) return true
  return (
    status === 400 &&
    /prompt is too long|context (length|window|size|limit)|maximum (context|prompt) length|too many tokens/i.test(
      message,
    )
  )
}

const connectionCodes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR_(?!INVALID)|ERR_STREAM_PREMATURE)/

/** Whether the connection failed or broke, or a body was not JSON: a retry can succeed. */
const isTransport = ({ name, message, codes, causeCodes }: ProviderFailure): boolean => {
  if (name === "SyntaxError" || name === "APIConnectionError" || name === "APIConnectionTimeoutError")
    return !causeCodes.includes("ERR_INVALID_URL")
  if (causeCodes.some((code) => connectionCodes.test(code))) return true
  if (/^(terminated|fetch failed)$/.test(message)) return true
  // An error event of an unknown kind.
  return name === "APIError" && codes.length === 0
}

const describe = (kind: ModelErrorKind, failure: ProviderFailure, spec: ModelSpec): string => {
  const { provider, model } = spec
  const status = failure.status === undefined ? "" : ` (HTTP ${failure.status})`
  const cause = failure.causeCodes[0] === undefined ? "" : ` (${failure.causeCodes[0]})`
  const detail = `${failure.message}${cause}`
  const keyEnv = apiKeyEnvOf(spec)
  switch (kind) {
    case "auth":
      return `${provider} refused the API key${status}; check ${keyEnv ? `the environment variable ${keyEnv}` : `apiKeyEnv under "models"`}: ${detail}`
    case "not_found":
      return `${provider} does not know model ${model}${status}; check model${spec.baseUrl ? " and baseUrl" : ""} under "models" in the configuration: ${detail}`
    case "quota":
      return `the quota or balance at ${provider} is used up${status}; check the account's billing: ${detail}`
    case "context_exceeded":
      return `the conversation is longer than model ${model} accepts${status}; start a new session with a shorter instruction, or use a model with a larger context: ${detail}`
    case "aborted":
      return "the model call was aborted"
    case "retry":
      return `${provider} could not answer${status}${spec.baseUrl ? ` at ${spec.baseUrl}` : ""}: ${detail}`
    case "bad_request":
    case "script_mismatch":
      return `${provider} refused the request for model ${model}${status}: ${detail}`
    default:
      return assertNever(kind)
  }
}
