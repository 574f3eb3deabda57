import type { RunBlocker } from "../../domain/session/block.ts"
import { statusSchema, stopReasonSchema } from "../../contracts/status.ts"
import { describeTable, type NewOf, type PatchOf, type RowOf } from "../columns/describe-table.ts"
import { json, jsonObject, number, oneOf, orNull, sparseObject, text, time } from "../columns/kinds.ts"

export const sessionTable = describeTable({
  num: { ...number, isHidden: true, isGenerated: true },
  id: { ...text, create: "required" },
  sessionKey: { ...text, create: "required" },
  title: { ...orNull(text), create: "required", isPatched: true, isErased: true },
  agent: { ...text, create: "required" },
  model: { ...text, create: "required", isPatched: true },
  parentId: { ...orNull(text), create: "required" },
  rootId: { ...text, create: "required" },
  depth: { ...number, create: "required" },
  cwd: { ...text, create: "required" },
  label: { ...orNull(text), create: "required", isPatched: true, isErased: true },
  status: { ...oneOf(statusSchema), isPatched: true },
  stopReason: { ...orNull(oneOf(stopReasonSchema)), isPatched: true },
  runId: { ...orNull(text), isPatched: true },
  finalMessage: { ...orNull(json<string>()), isPatched: true, isErased: true },
  error: {
    ...orNull(json<{ readonly code: string; readonly message: string }>()),
    isPatched: true,
    isErased: true,
  },
  stepsTaken: { ...number, isPatched: true, isGenerated: true },
  /** Highest `seq` that belongs to the transcript; rows above it are invisible. */
  headSeq: { ...number, isPatched: true, isGenerated: true },
  /** What the creator of the session gave; Adjutant decides nothing by it. */
  metadata: { ...sparseObject, create: "required", isErased: true },
  /** What Adjutant itself keeps about the session, such as the tool that started it. Requests cannot set it. */
  internal: { ...jsonObject, create: "optional", isPatched: true, isErased: true },
  /** The caller from outside any run that started the session, if it is the root of its tree; null for others. */
  caller: { ...orNull(text), create: "optional", isErased: true },
  /** Where its working directory is; null: not known. */
  machine: { ...orNull(text), isHidden: true },
  /** What distinguishes its working directory from those of other machines; null where the file system does not tell. */
  directory: { ...orNull(text), isHidden: true },
  /** What keeps its run from continuing, other than a pause. */
  blockedBy: { ...orNull(json<RunBlocker>()), isPatched: true, isErased: true },
  /** Its number among the sub-agents of its parent or, without a parent, of its caller; it is never given to another session. */
  number: { ...orNull(number), column: "ordinal" },
  createdAt: time,
  updatedAt: time,
  archivedAt: orNull(time),
  deletedAt: orNull(time),
  /** Id of the oldest event that a reader can still get; above 1 only after an erase. */
  firstEvent: { ...number, isHidden: true, isGenerated: true },
  /** Id that the next event gets. */
  nextEvent: { ...number, isHidden: true, isGenerated: true },
})

export type SessionRow = RowOf<typeof sessionTable>

/** What describes a new session; where its directory is comes besides. */
export type NewSessionFields = NewOf<typeof sessionTable>

/** The fields of a session's row that may change; the store sets the times. */
export type SessionPatch = PatchOf<typeof sessionTable>
