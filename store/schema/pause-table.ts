import { pauseTypeSchema } from "../../contracts/approval/pause.ts"
import type { PausedCall } from "../../domain/preview/shown-call.ts"
import { argumentPreview } from "../../domain/preview/argument-preview.ts"
import { describeTable, type NewOf, type RowOf } from "../columns/describe-table.ts"
import { json, number, oneOf, orNull, text, time } from "../columns/kinds.ts"

/** A call without a preview is shown with what its arguments say. */
export type NewPausedCall = Omit<PausedCall, "preview"> & Partial<Pick<PausedCall, "preview">>

/** Returns a call with its preview. */
export const withPreview = (call: NewPausedCall): PausedCall => ({
  ...call,
  preview: call.preview ?? argumentPreview(call),
})

const calls = json<readonly NewPausedCall[]>()

export const pauseTable = describeTable({
  num: { ...number, isHidden: true, isGenerated: true },
  checkpointId: { ...text, create: "required" },
  sessionId: { ...text, create: "required", isJoined: true },
  sessionNum: { ...number, isHidden: true },
  runId: { ...text, create: "required", isJoined: true },
  runNum: { ...number, isHidden: true },
  ordinal: { ...number, create: "required" },
  type: { ...oneOf(pauseTypeSchema), create: "required" },
  calls: {
    ...calls,
    read: (stored: string): readonly PausedCall[] => calls.read(stored).map(withPreview),
  },
  message: { ...json<string>(), create: "required" },
  openedAt: time,
  closedAt: orNull(time),
})

export type PauseRow = RowOf<typeof pauseTable>

export type NewPause = NewOf<typeof pauseTable> & { readonly calls: readonly NewPausedCall[] }
