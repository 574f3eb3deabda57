export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue>>

/** Something that happened during a span. */
export interface SpanEvent {
  readonly name: string
  readonly atMs: number
  readonly attributes: Attributes
}

/** A span of OpenTelemetry. Its ids are hexadecimal; times are milliseconds since the epoch. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: "internal" | "client"
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** What failed; absent if nothing did. */
  readonly error?: string
}

/** Where spans belong: their trace, and the span above them. */
export type SpanBase = Pick<Span, "traceId" | "parentSpanId">

/** Returns the beginning of a hash in hexadecimal digits: the same text has the same id in every process and attempt. */
export type IdOf = (text: string, digits: number) => string

const traceDigits = 32
const spanDigits = 16

export const spanIdOf = (text: string, idOf: IdOf): string => idOf(text, spanDigits)

/** Returns the id of the trace that begins with a run. */
export const ownTraceId = (rootRunId: string, idOf: IdOf): string => idOf(`trace ${rootRunId}`, traceDigits)

/** Returns the id of the span of a whole run. */
export const runSpanId = (runId: string, idOf: IdOf): string => spanIdOf(`run ${runId}`, idOf)
