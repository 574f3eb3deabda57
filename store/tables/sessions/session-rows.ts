import type { SessionPlace } from "../machines.ts"
import type { BlockedBy } from "../../../contracts/session.ts"
import type { Status, StopReason } from "../../../contracts/status.ts"

export interface SessionRow {
  readonly id: string
  readonly sessionKey: string
  readonly title: string | null
  readonly agent: string
  readonly model: string
  readonly parentId: string | null
  readonly rootId: string
  readonly depth: number
  readonly cwd: string
  readonly label: string | null
  readonly status: Status
  readonly stopReason: StopReason | null
  readonly runId: string | null
  readonly finalMessage: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly stepsTaken: number
  /** Highest `seq` that belongs to the transcript; rows above it are invisible. */
  readonly headSeq: number
  /** What the creator of the session gave; Adjutant decides nothing by it. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** What Adjutant itself keeps about the session, such as the tool that started it. Requests cannot set it. */
  readonly internal: Readonly<Record<string, unknown>>
  /** The caller from outside any run that started the session, if it is the root of its tree; null for others. */
  readonly caller: string | null
  /** What keeps its run from continuing, other than a pause. */
  readonly blockedBy: BlockedBy | null
  /** Its number among the sub-agents of its parent or, without a parent, of its caller; it is never given to another session. */
  readonly number: number | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly archivedAt: string | null
  readonly deletedAt: string | null
}

export type NewSession = Pick<
  SessionRow,
  "id" | "sessionKey" | "title" | "agent" | "model" | "parentId" | "rootId" | "depth" | "cwd" | "label" | "metadata"
> &
  Partial<Pick<SessionRow, "internal" | "caller">> & {
    /** Where its working directory is; null: not known. */
    readonly place?: SessionPlace | null
  }

/** The fields of a session's row that may change; the store sets the times. */
export type SessionPatch = Partial<
  Pick<
    SessionRow,
    | "status"
    | "stopReason"
    | "runId"
    | "finalMessage"
    | "error"
    | "stepsTaken"
    | "headSeq"
    | "model"
    | "title"
    | "label"
    | "blockedBy"
    | "internal"
  >
>

export interface SessionFilter {
  readonly parentId?: string
  readonly rootId?: string
  readonly status?: Status
  readonly agent?: string
  /** Only the trees that this caller started. */
  readonly caller?: string
  readonly includeArchived?: boolean
  /** Only archived sessions, or only those that are not. */
  readonly archived?: boolean
  /** A part of the title, the label or the id, in upper or lower case. */
  readonly q?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Rows in the order of their ids. */
export interface SessionPage {
  /** The page starts behind this id; empty: at the first one. */
  readonly after: string
  /** The last id of interest. */
  readonly until?: string
  readonly limit: number
  readonly childrenOnly?: boolean
}

/** The data on which archiving depends. */
export interface EndedSession extends Pick<SessionRow, "id" | "parentId" | "depth" | "internal"> {
  /** The latest run, with its settings and the time of its end. */
  readonly runId: string
  readonly snapshotHash: string
  readonly endedAt: string
}
