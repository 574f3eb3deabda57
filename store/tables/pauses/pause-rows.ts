import type { CallPreview } from "../../../contracts/approval/call-preview.ts"
import type { PauseType } from "../../../contracts/approval/pause.ts"

export interface PausedCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly preview: CallPreview
  /** It changes a protected path, or asks to leave the sandbox: a decision for all calls does not approve it. */
  readonly isProtected?: boolean
}

/** A call without a preview is shown with what its arguments say. */
export type NewPausedCall = Omit<PausedCall, "preview"> & Partial<Pick<PausedCall, "preview">>

export interface PauseRow {
  readonly checkpointId: string
  readonly sessionId: string
  readonly runId: string
  readonly ordinal: number
  readonly type: PauseType
  readonly calls: readonly PausedCall[]
  readonly message: string
  readonly openedAt: string
  readonly closedAt: string | null
}

export type NewPause = Omit<PauseRow, "calls" | "openedAt" | "closedAt"> & { readonly calls: readonly NewPausedCall[] }

export interface Pauses {
  /** Opens the pause `(run, ordinal)`, or returns the existing one: a retry gets the same checkpoint. */
  open(pause: NewPause): Promise<PauseRow>
  close(sessionId: string, checkpointId: string): Promise<void>
  /** Sets the calls that are still pending. */
  setCalls(sessionId: string, checkpointId: string, callIds: readonly string[]): Promise<void>
  byCheckpoint(checkpointId: string): Promise<PauseRow | undefined>
  current(sessionId: string): Promise<PauseRow | undefined>
  latest(sessionId: string): Promise<PauseRow | undefined>
  /** The pause that was closed last. */
  latestClosed(sessionId: string): Promise<PauseRow | undefined>
  /** Open pauses of all sessions that are not deleted, oldest first. */
  listOpen(filter?: { rootId?: string }): Promise<readonly PauseRow[]>
}
