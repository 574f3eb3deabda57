import type { Environment } from "../../domain/environment.ts"
import type { Span } from "../../domain/trace/span.ts"
import { createOtlpSender, otlpAttributes, otlpTime } from "./otlp-sender.ts"

/** Sends spans to a receiver. Rejects if it does not take them. */
export type ExportSpans = (spans: readonly Span[]) => Promise<void>

const kinds = { internal: 1, client: 3 } as const

const wireSpan = ({ kind, startMs, endMs, attributes, events, error, ...ids }: Span) => ({
  ...ids,
  kind: kinds[kind],
  startTimeUnixNano: otlpTime(startMs),
  endTimeUnixNano: otlpTime(Math.max(startMs, endMs)),
  attributes: otlpAttributes(error === undefined ? attributes : { ...attributes, "error.type": error }),
  events: events.map((event) => ({
    name: event.name,
    timeUnixNano: otlpTime(event.atMs),
    attributes: otlpAttributes(event.attributes),
  })),
  status: error === undefined ? {} : { code: 2, message: error },
})

/** Returns what sends spans as the standard variables of OpenTelemetry say; undefined if they name no receiver of traces. */
export const createSpanExporter = (env: Environment): ExportSpans | undefined => {
  const send = createOtlpSender(env, "traces")
  return send === undefined ? undefined : (spans) => send(spans.map(wireSpan))
}
