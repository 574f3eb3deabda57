import type { Message } from "../../../contracts/message.ts"
import { toIso } from "../../columns/iso-time.ts"
import { fromJson } from "../../columns/json-column.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import type { MessageRow } from "./message-rows.ts"

export type SelectedMessage = Omit<DatabaseSchema["messages"], "session_num" | "run_num"> & { readonly run_id: string }

export const toMessageRow = (row: SelectedMessage): MessageRow => ({
  seq: row.seq,
  runId: row.run_id,
  step: row.step,
  message: fromJson<Message>(row.body),
  fence: row.fence,
  at: toIso(row.at),
})
