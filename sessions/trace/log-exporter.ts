import type { Environment } from "../../domain/environment.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { Attributes, AttributeValue } from "../../domain/trace/span.ts"
import { createOtlpSender, otlpAttributes, otlpTime, otlpValue } from "./otlp-sender.ts"

/** Takes a line of the log as JSON, without secrets. */
export type ExportLogLine = (line: string) => void

const flushEveryMs = 1_000
/** More lines than these wait for no receiver: the oldest are dropped. */
const mostWaiting = 2_000

/** The levels of pino, and their numbers and names in OpenTelemetry. */
const severities: Readonly<Record<number, readonly [number: number, text: string]>> = {
  10: [1, "TRACE"],
  20: [5, "DEBUG"],
  30: [9, "INFO"],
  40: [13, "WARN"],
  50: [17, "ERROR"],
  60: [21, "FATAL"],
}

const attributeOf = (value: unknown): AttributeValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : JSON.stringify(value)

const recordOf = (line: string): readonly object[] => {
  const entry: unknown = JSON.parse(line)
  if (!isRecord(entry)) return []
  const { level, time, msg, err, ...rest } = entry
  const [severityNumber, severityText] = severities[Number(level)] ?? [9, "INFO"]
  const error: Attributes = isRecord(err)
    ? {
        "exception.type": String(err["type"]),
        "exception.message": String(err["message"]),
        "exception.stacktrace": String(err["stack"]),
      }
    : {}
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)
  const attributes = { ...Object.fromEntries(fields.map(([name, value]) => [name, attributeOf(value)])), ...error }
  return [
    {
      ...{ timeUnixNano: otlpTime(Number(time)), severityNumber, severityText },
      ...{ body: otlpValue(typeof msg === "string" ? msg : ""), attributes: otlpAttributes(attributes) },
    },
  ]
}

/**
 * Returns what sends the lines of a log as the standard variables of OpenTelemetry say, once a second; undefined if they name no receiver of logs.
 * Lines that the receiver does not take are lost: a line about that would be one more of them.
 */
export const createLogExporter = (env: Environment): ExportLogLine | undefined => {
  const send = createOtlpSender(env, "logs")
  if (send === undefined) return undefined
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    const lines = waiting
    waiting = []
    send(lines.flatMap(recordOf)).catch(() => undefined)
  }
  return (line) => {
    waiting = [...waiting.slice(1 - mostWaiting), line]
    timer ??= setTimeout(flush, flushEveryMs)
  }
}
