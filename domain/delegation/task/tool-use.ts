import type { TextRow } from "../../transcript/last-text.ts"

/** The tool calls of one run. */
export interface ToolUse {
  /** Calls by tool, in the order of their first use. */
  readonly toolCounts: Readonly<Record<string, number>>
  /** Text of the last result. */
  readonly lastToolText: string | null
}

export const toolUseOf = (rows: readonly TextRow[], runId: string | null): ToolUse => {
  const toolCounts: Record<string, number> = {}
  let lastToolText: string | null = null
  for (const { message, runId: owner } of rows) {
    if (message.role !== "tool" || owner !== runId) continue
    toolCounts[message.name] = (toolCounts[message.name] ?? 0) + 1
    lastToolText = message.content
  }
  return { toolCounts, lastToolText }
}
