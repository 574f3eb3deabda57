import type { AppendItem } from "../../activities/contract/agent-activities.ts"
import type { Warning } from "../../contracts/run/warning.ts"
import type { StopReason } from "../../contracts/status.ts"

/** How a run ended. `cancelled` contains the error that must be thrown again, so that Temporal shows the cancellation, too. */
export interface RunEnd {
  readonly stopReason: StopReason
  readonly error: { readonly code: string; readonly message: string } | null
  readonly finish: { readonly assistantSeq: number; readonly callId: string } | null
  readonly cancelled?: Error
  /** An earlier execution has recorded it: nothing is left to do. */
  readonly isRecorded?: true
  /** What a person should know about it all the same. */
  readonly warnings?: readonly Warning[]
  /** Texts that no model was asked about: they belong to the transcript of this run, and start no other one. */
  readonly append?: readonly AppendItem[]
}
