/** The span of a program outside Adjutant, as W3C Trace Context passes it. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether its trace is recorded: if not, nothing is sent for what belongs to it. */
  readonly isSampled: boolean
}

const format = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.{0,400})?$/

/** Reads a `traceparent`; undefined if it is not valid, as if there were none. */
export const parseTraceparent = (text: unknown): TraceContext | undefined => {
  const [, traceId, spanId, flags = "00"] = (typeof text === "string" ? format.exec(text.trim()) : null) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Returns the trace of a request as part of its actor, if what the client sent is valid. */
export const withTrace = (traceparent: unknown): { readonly traceparent?: string } =>
  typeof traceparent === "string" && parseTraceparent(traceparent) !== undefined ? { traceparent } : {}
