import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Client } from "@temporalio/client"

/** Returns the bytes of the used pages of a SQLite file, including those that are still in its write-ahead log. */
export const usedBytes = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const pragma = (name: string): number => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
  } finally {
    database.close()
  }
}

export interface HistorySize {
  readonly bytes: number
  readonly events: number
  readonly executions: number
}

/** Adds up the histories of all executions of a workflow id, from the newest back along the continue-as-new chain. */
export const historySize = async (temporal: Client, workflowId: string): Promise<HistorySize> => {
  let size = { bytes: 0, events: 0, executions: 0 }
  let runId: string | undefined
  do {
    const handle = temporal.workflow.getHandle(workflowId, runId)
    const { historySize: bytes = 0, historyLength } = await handle.describe()
    size = { bytes: size.bytes + bytes, events: size.events + historyLength, executions: size.executions + 1 }
    const { events } = await handle.fetchHistory()
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined
  } while (runId !== undefined)
  return size
}

/** Returns the resident memory of a process, in bytes (Linux). */
export const residentBytes = (pid: number | "self"): number => {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  if (line?.[1] === undefined) throw new Error(`/proc/${pid}/status has no resident memory`)
  return Number(line[1]) * 1024
}
