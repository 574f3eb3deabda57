import type { Selectable } from "kysely"
import { pauseTypeSchema } from "../../../contracts/approval/pause.ts"
import { argumentPreview } from "../../../domain/preview/argument-preview.ts"
import type { Reader } from "../../database.ts"
import { toIso, toIsoOrNull } from "../../columns/iso-time.ts"
import { fromJson } from "../../columns/json-column.ts"
import type { Schema } from "../../schema.ts"
import type { NewPausedCall, PausedCall, PauseRow } from "./pause-rows.ts"

export type SelectedPause = Selectable<Schema["pauses"]> & { readonly run_id: string; readonly session_id: string }

export const selectPauses = (db: Reader) =>
  db
    .selectFrom("pauses")
    .innerJoin("sessions", "sessions.num", "pauses.session_num")
    .innerJoin("run_ids", "run_ids.num", "pauses.run_num")
    .selectAll("pauses")
    .select(["run_ids.run_id", "sessions.id as session_id"])

/** Returns a call with its preview. One without a preview is shown with what its arguments say. */
export const withPreview = (call: NewPausedCall): PausedCall => ({
  ...call,
  preview: call.preview ?? argumentPreview(call),
})

export const toPauseRow = (row: SelectedPause): PauseRow => ({
  checkpointId: row.checkpoint_id,
  sessionId: row.session_id,
  runId: row.run_id,
  ordinal: row.ordinal,
  type: pauseTypeSchema.parse(row.type),
  calls: fromJson<readonly NewPausedCall[]>(row.calls).map(withPreview),
  message: fromJson<string>(row.message),
  openedAt: toIso(row.opened_at),
  closedAt: toIsoOrNull(row.closed_at),
})
