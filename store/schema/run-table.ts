import type { RunSpending } from "../../domain/limits/run-spending.ts"
import { statusSchema, stopReasonSchema } from "../../contracts/status.ts"
import { describeTable, type NewOf, type PatchOf, type RowOf } from "../columns/describe-table.ts"
import { json, number, oneOf, orNull, text, time } from "../columns/kinds.ts"

export const runTable = describeTable({
  runId: { ...text, create: "required", isJoined: true },
  sessionId: { ...text, create: "required", isJoined: true },
  sessionNum: { ...number, isHidden: true },
  snapshotHash: { ...text, create: "required", isPatched: true },
  status: { ...oneOf(statusSchema), isPatched: true },
  stopReason: { ...orNull(oneOf(stopReasonSchema)), isPatched: true },
  finalMessage: { ...orNull(json<string>()), isPatched: true, isErased: true },
  error: {
    ...orNull(json<{ readonly code: string; readonly message: string }>()),
    isPatched: true,
    isErased: true,
  },
  stepsTaken: { ...number, isPatched: true, isGenerated: true },
  /** Null until its workflow reports it. */
  spending: { ...orNull(json<RunSpending>()), isPatched: true },
  createdAt: time,
  startedAt: { ...orNull(time), isPatched: true },
  finishedAt: { ...orNull(time), isPatched: true },
  /** How often it was opened again after it was recorded as lost. */
  reopened: { ...number, isGenerated: true },
  /** Its number in the store: higher than that of every run that was accepted before it. */
  number: { ...number, column: "run_num" },
})

export type RunRow = RowOf<typeof runTable>
export type NewRun = NewOf<typeof runTable>
export type RunPatch = PatchOf<typeof runTable>
