import type { Selectable } from "kysely"
import type { Reader } from "../../database.ts"
import type { Schema } from "../../schema.ts"

export type SelectedPause = Selectable<Schema["pauses"]> & { readonly run_id: string; readonly session_id: string }

export const selectPauses = (db: Reader) =>
  db
    .selectFrom("pauses")
    .innerJoin("sessions", "sessions.num", "pauses.session_num")
    .innerJoin("run_ids", "run_ids.num", "pauses.run_num")
    .selectAll("pauses")
    .select(["run_ids.run_id", "sessions.id as session_id"])
