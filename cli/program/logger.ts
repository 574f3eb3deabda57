import { type Logger, pino } from "pino"
import { oncePerProject } from "../../domain/once-per-project.ts"
import type { ExportLogLine } from "../../sessions/trace/log-exporter.ts"
import type { TextSink } from "../terminal/process-io.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import type { IsNewWarning } from "./shown-warnings.ts"
import { oneLine } from "../terminal/plain-text.ts"

export type CliLogger = Logger

export interface LoggerOptions {
  readonly sink: TextSink
  readonly verbose: boolean
  /** `lines` for people, `json` for log collectors. */
  readonly format: "lines" | "json"
  readonly redact: (text: string) => string
  /** Colours of the level; default: none. */
  readonly paint?: Paint
  /** Decides whether a warning about the project is shown; default: always. */
  readonly isNewWarning?: IsNewWarning
  /** Gets each entry as a line of JSON, too. */
  readonly exportLine?: ExportLogLine
}

/** Creates a logger for stderr. Logs only warnings and errors unless `verbose`, and no known secret. */
export const createLogger = ({
  sink,
  verbose,
  format,
  redact,
  isNewWarning,
  exportLine,
  paint = noPaint,
}: LoggerOptions): CliLogger => {
  const write = (line: string): void => {
    exportLine?.(redact(line))
    if (format === "json") return void sink.write(redact(line))
    const entry: Entry = JSON.parse(line)
    const text = redact(humanLine(entry))
    if (entry["once"] === oncePerProject.once && isNewWarning?.(text) === false) return
    sink.write(text.replace(/^warning:/, paint.yellow).replace(/^error:/, paint.red))
  }
  const { err } = pino.stdSerializers
  return pino({ level: verbose ? "debug" : "warn", base: null, serializers: { err, error: err } }, { write })
}

type Entry = Readonly<Record<string, unknown>>

const levelNames: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  40: "warning",
  50: "error",
  60: "error",
}
/** `engine` has details for log collectors. */
const ownFields = new Set(["level", "time", "msg", "once", "engine"])
/** A shorter detail can be in a message by accident. */
const shortestRepeat = 5

/** Returns an entry as one line: the message, then the details that it does not contain. */
const humanLine = (entry: Entry): string => {
  const message = oneLine(detailText(entry["msg"] ?? ""), 2000)
  const details = Object.entries(entry)
    .filter(([name]) => !ownFields.has(name))
    .map(([name, value]) => [name, oneLine(detailText(value), 300)] as const)
    .filter(([, value]) => value.length < shortestRepeat || !message.includes(value))
    .map(([name, value]) => `${name}=${value}`)
  const text = [message, ...(details.length === 0 ? [] : [`(${details.join(", ")})`])]
  return `${levelNames[Number(entry["level"])] ?? "log"}: ${text.join(" ")}\n`
}

const detailText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (typeof value === "object" && value !== null && "message" in value) return String(value.message)
  return JSON.stringify(value)
}
