import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { createRedact } from "../../domain/text/redact.ts"
import { apiKeyEnvOf } from "../api-key-env.ts"
import { ModelError, type ModelErrorKind } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { isAboutKey, isContextExceeded, isQuota, isThrottled, statusOfCodes } from "./known-failures.ts"
import { readProviderFailure, type ProviderFailure } from "./provider-failure.ts"
import { readRetryAfterMs } from "./retry-after.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

/** The call that failed. A `retry-after` date is compared with `nowMs`. */
export interface FailedCall extends Pick<ModelRequest, "spec" | "apiKey"> {
  readonly signal?: AbortSignal
  readonly nowMs?: number
  /** The tools of the request, whose numbers some providers name. */
  readonly tools?: ModelRequest["tools"]
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
 * Classifies a failed model call, wherever the failure arrived: as a status, in the body of a 200, as an event of a stream, or as a broken connection.
 * The status decides first (the body can have one, too), then types and codes, then known texts. What can pass is retried: 408, 409, 429, 5xx, failed or
 * broken connections, and unknown failures after the answer had begun; an exhausted quota and other 4xx are not. The message names the setting to check and contains no key. The result has no cause, since SDK errors
 * contain headers and prompts.
 */
export const classifyModelError = (error: unknown, call: FailedCall): ModelError => {
  const clean = (text: string) => startOf(withoutKeys(text, call.apiKey), maxMessageLength)
  if (call.signal?.aborted) return new ModelError("aborted", "the model call was aborted")
  if (error instanceof ModelError) {
    const { retryAfterMs, status, missingKey } = error
    return new ModelError(error.kind, clean(error.message), { retryAfterMs, status, missingKey })
  }
  if (isAdjutantError(error)) return new ModelError("bad_request", clean(error.message))
  const failure = readProviderFailure(error)
  const kind = errorKind(failure)
  return new ModelError(kind, clean(withToolNames(errorText(kind, failure, call.spec), call.tools)), {
    status: failure.status,
    retryAfterMs: kind === "retry" ? readRetryAfterMs(failure, call.nowMs ?? Date.now()) : undefined,
  })
}

const errorKind = (failure: ProviderFailure): ModelErrorKind => {
  const { name, codes, hasBegun } = failure
  if (name === "AbortError" || name === "APIUserAbortError") return "aborted"
  const status = failure.status ?? statusOfCodes(codes)
  if (isQuota(failure, status)) return "quota"
  if (isThrottled(failure, status)) return "retry"
  if (isContextExceeded(failure, status)) return "context_exceeded"
  // A failure about which nothing is known can only pass if the provider had begun to answer.
  if (status === undefined) return isTransport(failure) || hasBegun ? "retry" : "bad_request"
  if (status === 401 || (status === 403 && isAboutKey(failure))) return "auth"
  if (status === 404 || codes.includes("model_not_found")) return "not_found"
  const isPassing = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
  return isPassing ? "retry" : "bad_request"
}

const connectionCodes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR_(?!INVALID)|ERR_STREAM_PREMATURE)/

/** Whether the connection failed or broke, or a body was not JSON: a retry can succeed. */
const isTransport = ({ name, message, causeCodes }: ProviderFailure): boolean => {
  if (name === "SyntaxError" || name === "APIConnectionError" || name === "APIConnectionTimeoutError")
    return !causeCodes.includes("ERR_INVALID_URL")
  if (causeCodes.some((code) => connectionCodes.test(code))) return true
  return /^(terminated|fetch failed)$/.test(message)
}

/** Adds the name of a tool to its place in the request: `tools.17.custom.input_schema`, `tools[17].function`. */
const withToolNames = (text: string, tools: FailedCall["tools"] = []): string =>
  text.replaceAll(/\btools(?:\.(\d+)|\[(\d+)\])/g, (place: string, first?: string, second?: string) => {
    const tool = tools[Number(first ?? second)]
    return tool === undefined ? place : `${place} (${tool.name})`
  })

const errorText = (kind: ModelErrorKind, failure: ProviderFailure, spec: ModelSpec): string => {
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
