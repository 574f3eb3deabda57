import { type Logger, pino } from "pino"
import type { TextSink } from "./cli-context.ts"
import { oneLine } from "../text/plain-text.ts"

export type CliLogger = Logger

export interface LoggerOptions {
  readonly sink: TextSink
  readonly verbose: boolean
  /** `lines` for people, `json` for log collectors. */
  readonly format: "lines" | "json"
  readonly redact: (text: string) => string
}

/** Creates a logger for stderr. Logs only warnings and errors unless `verbose`, and no known secret. */
export const createLogger = ({ sink, verbose, format, redact }: LoggerOptions): CliLogger =>
  pino(
    { level: verbose ? "debug" : "warn", base: null },
    { write: (line: string) => void sink.write(redact(format === "json" ? line : humanLine(line))) },
  )

const levelNames: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  40: "warning",
  50: "error",
  60: "error",
}
const ownFields = new Set(["level", "time", "msg"])

const humanLine = (line: string): string => {
  const entry: Readonly<Record<string, unknown>> = JSON.parse(line)
  const details = Object.entries(entry)
    .filter(([name]) => !ownFields.has(name))
    .map(([name, value]) => `${name}=${oneLine(detailText(value), 300)}`)
  const text = [
    oneLine(detailText(entry["msg"] ?? ""), 2000),
    ...(details.length === 0 ? [] : [`(${details.join(", ")})`]),
  ]
  return `${levelNames[Number(entry["level"])] ?? "log"}: ${text.join(" ")}\n`
}

const detailText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (typeof value === "object" && value !== null && "message" in value) return String(value.message)
  return JSON.stringify(value)
}
