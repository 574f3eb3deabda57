import type { ToolMessage } from "../../../contracts/message.ts"
import type { TextRow } from "../../transcript/last-text.ts"

/** The tool calls of one run. */
export interface ToolUse {
  /** Calls that ran, by tool, in the order of their first use. */
  readonly toolCounts: Readonly<Record<string, number>>
  /** Text of the last result. */
  readonly lastToolText: string | null
}

/** Returns true if the call of a result was started: it ended, failed, or its outcome is unknown. */
const hasRun = ({ outcome, executed }: ToolMessage): boolean =>
  executed !== false && (outcome === "ok" || outcome === "error" || outcome === "unknown")

export const toolUseOf = (rows: readonly TextRow[], runId: string | null): ToolUse => {
  const toolCounts: Record<string, number> = {}
  let lastToolText: string | null = null
  for (const { message, runId: owner } of rows) {
    if (message.role !== "tool" || owner !== runId) continue
    if (hasRun(message)) toolCounts[message.name] = (toolCounts[message.name] ?? 0) + 1
    lastToolText = message.content
  }
  return { toolCounts, lastToolText }
}
