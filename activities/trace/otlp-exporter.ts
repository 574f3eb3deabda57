import type { AttributeValue, Span } from "../../domain/trace/run-spans.ts"
import type { Environment } from "../../domain/environment.ts"
import { outgoing } from "../../network/outgoing.ts"

/** Sends spans to a receiver. Rejects if it does not take them. */
export type ExportSpans = (spans: readonly Span[]) => Promise<void>

const kinds = { internal: 1, client: 3 } as const
const exportTimeoutMs = 10_000

const valueOf = (value: AttributeValue) => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (attributes: Readonly<Record<string, AttributeValue>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`

const wireSpan = ({ kind, startMs, endMs, attributes, events, error, ...ids }: Span) => ({
  ...ids,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
  attributes: attributesOf(error === undefined ? attributes : { ...attributes, "error.type": error }),
  events: events.map((event) => ({
    name: event.name,
    timeUnixNano: nanoseconds(event.atMs),
    attributes: attributesOf(event.attributes),
  })),
  status: error === undefined ? {} : { code: 2, message: error },
})

/** Reads `name=value,name=value`, as the standard variables have it. */
const pairs = (text = ""): readonly (readonly [string, string])[] =>
  text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const]
  })

const endpointOf = (env: Environment): string | undefined => {
  const own = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
  if (own !== undefined && own !== "") return own
  const common = env["OTEL_EXPORTER_OTLP_ENDPOINT"]
  return common === undefined || common === "" ? undefined : `${common.replace(/\/+$/, "")}/v1/traces`
}

/** Returns what sends spans as the standard variables of OpenTelemetry say, as OTLP over HTTP in JSON; undefined if they name no receiver. */
export const createSpanExporter = (env: Environment): ExportSpans | undefined => {
  const endpoint = endpointOf(env)
  const isOff = env["OTEL_SDK_DISABLED"] === "true" || env["OTEL_TRACES_EXPORTER"] === "none"
  if (endpoint === undefined || isOff) return undefined
  const headers = Object.fromEntries([
    ...pairs(env["OTEL_EXPORTER_OTLP_HEADERS"]),
    ...pairs(env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"]),
  ])
  const resource = {
    "service.name": env["OTEL_SERVICE_NAME"] ?? "adjutant",
    ...Object.fromEntries(pairs(env["OTEL_RESOURCE_ATTRIBUTES"])),
  }
  const timeoutMs = Number(env["OTEL_EXPORTER_OTLP_TIMEOUT"] ?? exportTimeoutMs)
  return async (spans) => {
    const scopeSpans = [{ scope: { name: "adjutant" }, spans: spans.map(wireSpan) }]
    const response = await outgoing(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the receiver of traces answered ${response.status}`)
  }
}
