import type { AttributeValue } from "../../domain/trace/span.ts"
import type { Environment } from "../../domain/environment.ts"
import { outgoing } from "../../network/outgoing.ts"
import { otlpProblem, otlpReceiver, type OtlpSignal } from "../../domain/trace/otlp-receiver.ts"

const valueOf = (value: AttributeValue): object => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value !== "number") return { arrayValue: { values: value.map(valueOf) } }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

export const otlpValue = (text: string): object => valueOf(text)

export const otlpAttributes = (attributes: Readonly<Record<string, AttributeValue>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

/** Returns milliseconds since the epoch as OTLP has them. */
export const otlpTime = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`

/** Sends what one scope has to say. Rejects if the receiver does not take it. */
export type SendOtlp = (records: readonly object[]) => Promise<void>

const otlpBody = (signal: OtlpSignal, resource: object, records: readonly object[]): object => {
  const scope = { name: "adjutant" }
  return signal === "logs"
    ? { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: records }] }] }
    : { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: records }] }] }
}

/**
 * Returns what sends spans or logs as the standard variables of OpenTelemetry say, as OTLP over HTTP; undefined if they name no receiver, or one
 * that cannot be used.
 */
export const createOtlpSender = (env: Environment, signal: Exclude<OtlpSignal, "metrics">): SendOtlp | undefined => {
  const receiver = otlpReceiver(env, signal)
  if (receiver === undefined || otlpProblem(env, signal) !== undefined) return undefined
  const { url, headers, timeoutMs, protocol } = receiver
  const resource = { attributes: otlpAttributes(receiver.resource) }
  return async (records) => {
    const body = otlpBody(signal, resource, records)
    const isJson = protocol === "http/json"
    const encoded = isJson ? JSON.stringify(body) : (await import("./otlp-schema.ts")).encodeOtlp(signal, body)
    const response = await outgoing(url, {
      method: "POST",
      headers: { ...headers, "content-type": isJson ? "application/json" : "application/x-protobuf" },
      body: encoded,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the receiver of ${signal} answered ${response.status}`)
  }
}
