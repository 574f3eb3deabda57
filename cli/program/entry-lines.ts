import { oncePerProject } from "../../domain/once-per-project.ts"
import type { StoreLogger } from "../../store/database/database.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { oneLine } from "../terminal/plain-text.ts"
import type { TextSink } from "../terminal/process-io.ts"
import type { IsNewWarning } from "./shown-warnings.ts"

/** An entry of the log: its level as pino numbers it, its message and its details. */
export type LogEntry = Readonly<Record<string, unknown>>

export interface EntryLines {
  readonly sink: TextSink
  readonly redact: (text: string) => string
  /** Colours of the level; default: none. */
  readonly paint?: Paint
  /** Decides whether a warning about the project is shown; default: always. */
  readonly isNewWarning?: IsNewWarning
}

/** Returns a function that shows entries to people, a line for each. */
export const showEntries =
  ({ sink, redact, isNewWarning, paint = noPaint }: EntryLines) =>
  (entry: LogEntry): void => {
    const text = redact(humanLine(entry))
    if (entry["once"] === oncePerProject.once && isNewWarning?.(text) === false) return
    sink.write(text.replace(/^warning:/, paint.yellow).replace(/^error:/, paint.red))
  }

const warningLevel = 40

/** Returns what shows warnings to people. A command that does nothing else with a log starts without a logger. */
export const warningLines = (lines: EntryLines): StoreLogger => {
  const show = showEntries(lines)
  return { warn: (details, msg) => show({ level: warningLevel, ...details, msg }) }
}

/** Returns a function that warns people. */
export const showWarnings = (lines: EntryLines): ((message: string) => void) => {
  const { warn } = warningLines(lines)
  return (message) => warn({}, message)
}

const levelNames: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  [warningLevel]: "warning",
  50: "error",
  60: "error",
}
/** `engine` has details for log collectors. */
const ownFields = new Set(["level", "time", "msg", "once", "engine"])
/** A shorter detail can be in a message by accident. */
const shortestRepeat = 5

/** Returns an entry as one line: the message, then the details that it does not contain. */
const humanLine = (entry: LogEntry): string => {
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
