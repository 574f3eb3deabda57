import { errorMessage } from "../domain/text/error-message.ts"

/** The part of `Headers` that is used here. */
export interface HeaderReader {
  get(name: string): string | null
}

/** Returns how many milliseconds a provider asked to wait, from `retry-after-ms` or `retry-after` (seconds, or a date compared with `nowMs`). */
export const readRetryAfterMs = (headers: HeaderReader | undefined, nowMs: number): number | undefined => {
  const milliseconds = toNumber(headers?.get("retry-after-ms"))
  if (milliseconds !== undefined) return Math.round(milliseconds)
  const value = headers?.get("retry-after")?.trim()
  if (!value) return undefined
  const seconds = toNumber(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

const toNumber = (value: string | null | undefined): number | undefined => {
  const number = value?.trim() ? Number(value) : Number.NaN
  return Number.isFinite(number) && number >= 0 ? number : undefined
}

/** What is known about an error of any SDK. Unknown fields are undefined or empty. */
export interface ProviderFailure {
  readonly name: string
  readonly message: string
  readonly status: number | undefined
  readonly headers: HeaderReader | undefined
  /** Types and codes of the error body, lower case: `overloaded_error`, `insufficient_quota` … */
  readonly codes: readonly string[]
  /** Codes in the chain of causes: `ECONNREFUSED`, `UND_ERR_SOCKET` … */
  readonly causeCodes: readonly string[]
}

/** Reads an SDK's error by its shape, so that no SDK is loaded to classify it. */
export const readProviderFailure = (error: unknown): ProviderFailure => {
  const causes = chainOf(error)
  const body = field(error, "error")
  const inner = field(body, "error")
  const codes = [error, body, inner, field(inner, "details"), field(body, "details")].flatMap((source) =>
    ["type", "code", "error_code", "errorCode"].flatMap((key) => text(field(source, key))),
  )
  const status = field(error, "status")
  const headers = field(error, "headers")
  return {
    name: nameOf(error),
    message: text(field(inner, "message"))[0] ?? text(field(body, "message"))[0] ?? errorMessage(error),
    status: typeof status === "number" ? status : undefined,
    headers: isHeaderReader(headers) ? headers : undefined,
    codes: [...new Set(codes.map((code) => code.toLowerCase()))],
    causeCodes: causes.flatMap((cause) => text(field(cause, "code"))),
  }
}

/** Returns the error and its causes, at most a few, because a chain can be circular. */
const chainOf = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && next !== null && chain.length < 5; next = field(next, "cause"))
    chain.push(next)
  return chain
}

/** The SDKs leave `name` at "Error"; the name of the class is more specific. */
const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ""
  return error.name === "Error" ? error.constructor.name : error.name
}

const field = (source: unknown, key: string): unknown => {
  if (typeof source !== "object" || source === null) return undefined
  return Reflect.get(source, key)
}

const text = (value: unknown): string[] => (typeof value === "string" && value !== "" ? [value] : [])

const isHeaderReader = (value: unknown): value is HeaderReader =>
  typeof value === "object" && value !== null && "get" in value && typeof value.get === "function"
