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
