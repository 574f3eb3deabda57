import type { Insertable, Selectable, Updateable } from "kysely"
import type { BlockedBy } from "../../../contracts/session.ts"
import type { Schema } from "../../schema.ts"
import { statusSchema, stopReasonSchema } from "../../../contracts/status.ts"
import { toIso, toIsoOrNull } from "../../columns/iso-time.ts"
import { fromJsonOrNull, toJson, toJsonObject, toJsonPatch } from "../../columns/json-column.ts"
import type { NewSession, SessionPatch, SessionRow } from "./session-rows.ts"

export const internalOf = ({ internal }: Pick<Selectable<Schema["sessions"]>, "internal">): SessionRow["internal"] =>
  fromJsonOrNull<Record<string, unknown>>(internal) ?? {}

export const toSessionRow = (row: Selectable<Schema["sessions"]>): SessionRow => ({
  id: row.id,
  sessionKey: row.session_key,
  title: row.title,
  agent: row.agent,
  model: row.model,
  parentId: row.parent_id,
  rootId: row.root_id,
  depth: row.depth,
  cwd: row.cwd,
  label: row.label,
  status: statusSchema.parse(row.status),
  stopReason: stopReasonSchema.nullable().parse(row.stop_reason),
  runId: row.run_id,
  finalMessage: fromJsonOrNull<string>(row.final_message),
  error: fromJsonOrNull<{ code: string; message: string }>(row.error),
  stepsTaken: row.steps_taken,
  headSeq: row.head_seq,
  metadata: fromJsonOrNull<Record<string, unknown>>(row.metadata) ?? {},
  internal: internalOf(row),
  caller: row.caller,
  blockedBy: fromJsonOrNull<BlockedBy>(row.blocked_by),
  number: row.ordinal,
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
  archivedAt: toIsoOrNull(row.archived_at),
  deletedAt: toIsoOrNull(row.deleted_at),
})

export const fromNewSession = (session: NewSession, at: number): Insertable<Schema["sessions"]> => ({
  id: session.id,
  session_key: session.sessionKey,
  title: session.title,
  agent: session.agent,
  model: session.model,
  parent_id: session.parentId,
  root_id: session.rootId,
  depth: session.depth,
  cwd: session.cwd,
  label: session.label,
  status: "pending",
  metadata: toJsonObject(session.metadata),
  internal: toJson(session.internal ?? {}),
  caller: session.caller ?? null,
  machine: session.place?.machine ?? null,
  directory: session.place?.directory ?? null,
  created_at: at,
  updated_at: at,
})

/** Converts a patch to column values. Fields that the patch omits are not in the statement. */
export const fromSessionPatch = (patch: SessionPatch, at: number): Updateable<Schema["sessions"]> => ({
  status: patch.status,
  stop_reason: patch.stopReason,
  run_id: patch.runId,
  final_message: toJsonPatch(patch.finalMessage),
  error: toJsonPatch(patch.error),
  steps_taken: patch.stepsTaken,
  head_seq: patch.headSeq,
  model: patch.model,
  title: patch.title,
  label: patch.label,
  blocked_by: toJsonPatch(patch.blockedBy),
  internal: patch.internal === undefined ? undefined : toJson(patch.internal),
  updated_at: at,
})
