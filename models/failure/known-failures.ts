import type { ProviderFailure } from "./provider-failure.ts"

/** The status of a type or code, without the ending of its style: `rate_limit` is also `RateLimitError` and `rate_limit_error`. */
const statusByCode: Readonly<Record<string, number>> = {
  overloaded: 529,
  server_is_overloaded: 503,
  engine_overloaded: 503,
  slow_down: 503,
  service_unavailable: 503,
  unavailable: 503,
  model_not_ready: 503,
  api: 500,
  server: 500,
  internal: 500,
  internal_server: 500,
  internal_server_error: 500,
  model_stream: 500,
  api_connection: 502,
  bad_gateway: 502,
  timeout: 504,
  api_timeout: 504,
  model_timeout: 504,
  deadline_exceeded: 504,
  vector_store_timeout: 504,
  rate_limit: 429,
  rate_limit_exceeded: 429,
  too_many_requests: 429,
  throttling: 429,
  resource_exhausted: 429,
  conflict: 409,
  authentication: 401,
  unauthenticated: 401,
  unauthorized: 401,
  invalid_api_key: 401,
  permission: 403,
  permission_denied: 403,
  access_denied: 403,
  not_found: 404,
  model_not_found: 404,
  resource_not_found: 404,
  unprocessable_entity: 422,
  invalid_request: 400,
  invalid_prompt: 400,
  invalid_argument: 400,
  failed_precondition: 400,
  bad_request: 400,
  validation: 400,
}

export const statusOfCodes = (codes: readonly string[]): number | undefined =>
  codes.map((code) => statusByCode[code]).find((status) => status !== undefined)

const hasCode = ({ codes }: ProviderFailure, pattern: RegExp): boolean => codes.some((code) => pattern.test(code))

/** Texts that ask to try again later: what they say about tokens or quotas is a rate. */
const asksToWait =
  /rate.?limit|too many requests|throttl|service unavailable|per (second|minute|hour|day)|\b[rt]p[md]\b|(try again|retry) (in|after|later)|retrying|please wait|wait (before|for|a )/i

const quotaTexts =
  /credit balance|insufficient[ _](credits?|balance|funds|quota)|(no|not|n't) have (any|enough) (available )?credits?|(out of|used all( of)?( your| its| available)*) credits|monthly spending limit|in arrears|arrearage|exceeded your current quota|payment required/i

/** Returns whether a quota or balance is used up: waiting does not help. */
export const isQuota = (failure: ProviderFailure, status: number | undefined): boolean => {
  if (status === 402) return true
  const codes =
    /insufficient_(user_)?quota|billing|spend_limit|insufficient_(credits|balance|funds)|credits_exhausted|budget_exceeded|arrear|exceeded_current_quota/
  if (hasCode(failure, codes)) return true
  return (status === undefined || status < 500) && quotaTexts.test(failure.texts) && !asksToWait.test(failure.texts)
}

/** Returns whether a request with a status that says otherwise was only too early: Bedrock answers 400 to it. */
export const isThrottled = (failure: ProviderFailure, status: number | undefined): boolean =>
  (status === undefined || status === 400) &&
  (hasCode(failure, /throttling|rate_limit|too_many_requests/) ||
    (/too many (tokens|requests)/i.test(failure.texts) && asksToWait.test(failure.texts)))

/** What providers and servers say about a prompt that is too long, where the words alone are clear. */
const fullContextTexts = new RegExp(
  [
    "prompt is too long", // Anthropic
    "prompt too long", // Ollama
    "input is too long", // Bedrock
    "context (length|window|size|limit)", // OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio, MiniMax
    "maximum (context|prompt|input) length", // xAI, Mistral, Poolside
    "maximum allowed input length", // OpenRouter
    "reduce the length of the (messages|prompt|input)", // Groq
    "input token count.*exceeds", // Gemini
    "token count of \\d+ exceeds the limit", // GitHub Copilot
    "exceeded model token limit", // Kimi
    "context_length_exceeded",
    "model_context_window_exceeded", // z.ai
    "request_too_large", // Anthropic
    "token limit exceeded",
    "too many tokens",
    "requested \\d+ output tokens", // vLLM
  ].join("|"),
  "i",
)

const aboutPrompt = /\b(prompts?|inputs?|messages?|conversation|tokens?|context)\b/i
const aboutSize =
  /exceed|too (long|large|many)|longer|maximum|reduc|greater than|must be (<|less|at most)|over the limit/i
/** Texts in which one of those words can mean something else. */
const aboutOther =
  /\b(image|picture|pdf|file|document|media|audio|video|tool|function|schema|enum|name|property|description|metadata|temperature|top_p|seed|string|cache_control|thinking)s?\b/i
const aboutOutput = /max_(completion_|output_|new_)?tokens|max(Output)?Tokens|(completion|output) tokens/i
const aboutInput = /prompt|input|messages|context|conversation/i

/** A status without any text, which is all that Cerebras sends. */
const noBody = /^(400|413) status code \(no body\)$/

/** Returns whether the prompt is longer than the model takes, by code, status or text. */
export const isContextExceeded = (failure: ProviderFailure, status: number | undefined): boolean => {
  if (hasCode(failure, /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large/))
    return true
  if (status === 413) return true
  if (status !== undefined && status !== 400 && status !== 422 && status !== 500) return false
  const { texts } = failure
  if (noBody.test(texts)) return true
  if (asksToWait.test(texts)) return false
  if (aboutOutput.test(texts) && !aboutInput.test(texts)) return false
  if (fullContextTexts.test(texts)) return true
  return aboutPrompt.test(texts) && aboutSize.test(texts) && !aboutOther.test(texts)
}

const keyTexts =
  /api[ _-]?key|access[ _-]?token|\bbearer\b|credential|authenticat|authori[sz]|\bpermissions?\b|access denied|do(es)? not have access|subscription/i

/** Returns whether a 403 is about the key: firewalls and moderation answer 403, too. */
export const isAboutKey = (failure: ProviderFailure): boolean =>
  hasCode(failure, /permission|access_denied|authenticat|unauth|api_key|forbidden_key/) ||
  (!/<(!doctype|html)\b/i.test(failure.texts) && keyTexts.test(failure.texts))
