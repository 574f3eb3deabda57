import type { RunSpending } from "../../../domain/limits/run-spending.ts"
import type { Status, StopReason } from "../../../contracts/status.ts"

export interface RunRow {
  readonly runId: string
  readonly sessionId: string
  readonly snapshotHash: string
  readonly status: Status
  readonly stopReason: StopReason | null
  readonly finalMessage: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly stepsTaken: number
  /** Null until its workflow reports it. */
  readonly spending: RunSpending | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** How often it was opened again after it was recorded as lost. */
  readonly reopened: number
  /** Its number in the store: higher than that of every run that was accepted before it. */
  readonly number: number
}

export type NewRun = Pick<RunRow, "runId" | "sessionId" | "snapshotHash">

export type RunPatch = Partial<Omit<RunRow, "runId" | "sessionId" | "createdAt" | "reopened" | "number">>
