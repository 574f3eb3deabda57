import { errorMessage } from "../../domain/text/error-message.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import { ReportedFailure } from "./reported-failure.ts"

/** The part of `Headers` that is used here. */
export interface HeaderReader {
  get(name: string): string | null
}

/** What is known about a failure, wherever it arrived. Unknown fields are undefined or empty. */
export interface ProviderFailure {
  readonly name: string
  /** What the provider says, for the owner of the run. */
  readonly message: string
  /** The status of the answer, or the one that the body has. */
  readonly status: number | undefined
  readonly headers: HeaderReader | undefined
  /** Types and codes of the body, in one form: `OverloadedError`, `overloaded_error` and `OVERLOADED` are `overloaded`. */
  readonly codes: readonly string[]
  /** Everything that the body says in words, for the known texts. */
  readonly texts: string
  /** Codes in the chain of causes: `ECONNREFUSED`, `UND_ERR_SOCKET` … */
  readonly causeCodes: readonly string[]
  /** The milliseconds that the body asks to wait. */
  readonly waitMs: number | undefined
  /** Whether a part of the answer had arrived before the failure. */
  readonly hasBegun: boolean
}

const codeFields = ["type", "code", "error_code", "errorCode", "status", "reason", "__type"]
const statusFields = ["status", "code", "status_code", "statusCode", "http_status"]
const textFields = ["message", "detail", "msg", "error_description", "errorMessage", "error"]
/** Fields in which servers and gateways place what another one reported; `raw` is the upstream's body as text, as `message` is at some gateways. */
const innerFields = ["error", "errors", "detail", "details", "metadata", "raw", "message"]
const maxRecords = 20

/** Reads an error by its shape, so that no SDK is loaded to classify it. */
export const readProviderFailure = (error: unknown): ProviderFailure => {
  const body = field(error, "error")
  const records = recordsOf(body)
  const own = text(field(error, "message"))[0] ?? errorMessage(error)
  const said = [...new Set(records.flatMap((record) => textFields.flatMap((key) => sentence(record[key]))))]
  if (typeof body === "string") said.push(...sentence(body))
  const message = said.length === 0 ? shownText(own) : said.slice(0, 2).map(shownText).join(": ")
  const headers = field(error, "headers")
  const status = field(error, "status")
  return {
    name: errorName(error),
    message,
    status: typeof status === "number" ? status : httpStatus(records),
    headers: isHeaderReader(headers) ? headers : undefined,
    codes: codesOf([error, ...records], [own, ...said]),
    texts: said.length === 0 ? own : said.join("\n"),
    causeCodes: chainOf(error).flatMap((cause) => text(field(cause, "code"))),
    waitMs: records
      .map(({ retryDelay, retry_after: seconds }) => secondsOf(retryDelay) ?? secondsOf(seconds))
      .find(Boolean),
    hasBegun: error instanceof ReportedFailure && error.hasBegun,
  }
}

/** Returns the objects of an error's body, the outer ones first. Bodies can be lists, and one can contain another as JSON text. */
const recordsOf = (body: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const found: Readonly<Record<string, unknown>>[] = []
  const open = [body]
  for (let next = open.shift(); next !== undefined && found.length < maxRecords; next = open.shift()) {
    const value = typeof next === "string" ? parsedBody(next) : next
    if (Array.isArray(value)) open.push(...value.slice(0, maxRecords).filter((item) => item !== undefined))
    if (!isRecord(value)) continue
    found.push(value)
    open.push(...innerFields.map((key) => value[key]).filter((inner) => typeof inner === "object" || isJsonText(inner)))
  }
  return found
}

const isJsonText = (value: unknown): value is string => typeof value === "string" && /^\s*[[{]/.test(value)

const parsedBody = (value: string): unknown => {
  try {
    return isJsonText(value) ? parseJson(value) : undefined
  } catch {
    return undefined
  }
}

const sentence = (value: unknown): string[] =>
  isJsonText(value) && isRecordOrList(parsedBody(value)) ? [] : text(value)

const isRecordOrList = (value: unknown): boolean => isRecord(value) || Array.isArray(value)

/** A page of HTML, as proxies and firewalls send it, is reduced to its title. */
const shownText = (value: string): string => {
  const page = /<(!doctype|html|head|body)\b/i.exec(value)
  if (page === null) return value
  const title = /<title[^>]*>([^<]*)</i.exec(value)?.[1]?.trim()
  return `${value.slice(0, page.index).trim()} a page of HTML${title ? ` ("${title}")` : ""}`.trim()
}

const isFailureStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status <= 599

const httpStatus = (records: readonly Readonly<Record<string, unknown>>[]): number | undefined =>
  records
    .flatMap((record) => statusFields.map((key) => record[key]))
    .map((value) => (typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value))
    .find((value): value is number => typeof value === "number" && isFailureStatus(value))

/** Returns a type or code without the case and the ending of its style. */
const plainCode = (code: string): string =>
  code
    .replace(/^.*[.#]/, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/_?(error|exception)$/, "")

/** Texts of some gateways begin with the class of the error: `ThrottlingException: Too many tokens`. */
const leadingClass = (message: string): string[] =>
  /^(?:\d{3} )?([\w.]+(?:Error|Exception))\b/.exec(message)?.slice(1) ?? []

const codesOf = (sources: readonly unknown[], messages: readonly string[]): readonly string[] => {
  const named = sources.flatMap((source) => codeFields.flatMap((key) => text(field(source, key))))
  return [...new Set([...named, ...messages.flatMap(leadingClass)].map(plainCode))].filter((code) => code !== "")
}

const secondsOf = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" ? Number(/^(\d+(?:\.\d+)?)s?$/.exec(value)?.[1]) : value
  return typeof seconds === "number" && seconds >= 0 ? Math.round(seconds * 1000) : undefined
}

/** Returns the error and its causes, at most a few, because a chain can be circular. */
const chainOf = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && next !== null && chain.length < 5; next = field(next, "cause"))
    chain.push(next)
  return chain
}

/** The SDKs leave `name` at "Error"; the name of the class is more specific. */
const errorName = (error: unknown): string => {
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
