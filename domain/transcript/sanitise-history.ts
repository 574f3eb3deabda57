import type { MessageSource } from "../../contracts/message.ts"
import { sanitiseText } from "../text/foreign/sanitise-text.ts"

/** A transcript row as plain text. Tool rows are results of calls; `calls` lists the calls of an assistant row. */
export interface HistoryRow {
  readonly seq: number
  readonly role: "user" | "assistant" | "tool"
  readonly source?: MessageSource
  readonly tool?: string
  readonly text: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
}

export interface HistoryOptions {
  /** Maximum number of rows; the newest are kept. */
  readonly limit?: number
  readonly includeTools?: boolean
  readonly maxRowChars?: number
  readonly maxBlockChars?: number
  readonly maxTotalChars?: number
}

export interface SanitisedHistory {
  readonly rows: readonly HistoryRow[]
  /** Number of older rows that were omitted because of their number or size. */
  readonly omitted: number
}

export const omittedRowText = "[sessions_history omitted: message too large]"

const maxArgumentChars = 500

const sizeOf = (row: HistoryRow): number =>
  (row.calls ?? []).reduce((sum, call) => sum + call.name.length + call.arguments.length, row.text.length)

const sanitiseRow = (
  row: HistoryRow,
  options: Required<Omit<HistoryOptions, "limit" | "maxTotalChars">>,
): HistoryRow => {
  const { calls, ...rest } = row
  if (sizeOf(row) > options.maxRowChars) return { ...rest, text: omittedRowText }
  const shownCalls = options.includeTools ? (calls ?? []) : []
  return {
    ...rest,
    text: sanitiseText(row.text, options.maxBlockChars),
    ...(shownCalls.length === 0
      ? {}
      : { calls: shownCalls.map((call) => ({ ...call, arguments: sanitiseText(call.arguments, maxArgumentChars) })) }),
  }
}

/** Returns the newest rows that fit, in order, sanitised for another session. */
export const sanitiseHistory = (rows: readonly HistoryRow[], options: HistoryOptions = {}): SanitisedHistory => {
  const { limit = 50, includeTools = false, maxTotalChars = 80_000 } = options
  const { maxRowChars = 200_000, maxBlockChars = 4_000 } = options
  const wanted = includeTools ? rows : rows.filter((row) => row.role !== "tool")
  const kept: HistoryRow[] = []
  let total = 0
  for (const row of wanted.slice(-limit).toReversed()) {
    const clean = sanitiseRow(row, { includeTools, maxRowChars, maxBlockChars })
    if (clean.text === "" && clean.calls === undefined) continue
    total += sizeOf(clean)
    if (total > maxTotalChars && kept.length > 0) break
    kept.push(clean)
  }
  return { rows: kept.toReversed(), omitted: wanted.length - kept.length }
}
