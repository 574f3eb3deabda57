import { type Logger, pino } from "pino"
import type { ExportLogLine } from "../../sessions/trace/log-exporter.ts"
import { type EntryLines, showEntries } from "./entry-lines.ts"

export type CliLogger = Logger

export interface LoggerOptions extends EntryLines {
  readonly verbose: boolean
  /** `lines` for people, `json` for log collectors. */
  readonly format: "lines" | "json"
  /** Gets each entry as a line of JSON, too. */
  readonly exportLine?: ExportLogLine
}

/** Creates a logger for stderr. Logs only warnings and errors unless `verbose`, and no known secret. */
export const createLogger = ({ verbose, format, exportLine, ...lines }: LoggerOptions): CliLogger => {
  const { sink, redact } = lines
  const show = showEntries(lines)
  const write = (line: string): void => {
    exportLine?.(redact(line))
    if (format === "json") return void sink.write(redact(line))
    show(JSON.parse(line))
  }
  const { err } = pino.stdSerializers
  return pino({ level: verbose ? "debug" : "warn", base: null, serializers: { err, error: err } }, { write })
}
