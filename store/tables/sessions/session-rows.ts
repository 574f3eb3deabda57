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

export interface Sessions {
  /** Creates a session; returns false, without writing, if the id is taken. */
  create(session: NewSession): Promise<boolean>
  get(id: string): Promise<SessionRow | undefined>
  /** Finds a session by its key; with a caller, only in the trees that it started. */
  byKey(key: string, caller?: string): Promise<SessionRow | undefined>
  /** Returns the sessions without a parent that a caller started under a label: open ones first, newest first. Null: the user of this machine. */
  labelled(label: string, caller: string | null): Promise<readonly SessionRow[]>
  patch(id: string, patch: SessionPatch): Promise<void>
  /** Returns a page of sessions, newest first; `cursor` is opaque. */
  list(filter: SessionFilter): Promise<{ items: readonly SessionRow[]; nextCursor: string | null }>
  /** Counts the sessions that match a filter by status. */
  count(filter: Omit<SessionFilter, "status" | "limit" | "cursor">): Promise<Readonly<Record<Status, number>>>
  /** Returns the rows that are not final, the oldest first; a page of them in the order of their ids. */
  listOpen(page?: SessionPage): Promise<readonly SessionRow[]>
  archive(id: string, at: string | null): Promise<void>
  /** Returns the sessions that are neither archived nor deleted and whose latest run has ended; a page of them in the order of their ids. */
  listEnded(page?: SessionPage): Promise<readonly EndedSession[]>
  /** Archives a session; returns false, without writing, if another run has begun since. */
  archiveEnded(session: Pick<EndedSession, "id" | "runId">): Promise<boolean>
  /** Returns deleted sessions that still have texts, for the reconciler. */
  listUnerased(): Promise<readonly string[]>
  /** Marks a session as deleted; later writes to it are ignored. */
  markDeleted(id: string): Promise<void>
  /** Erases messages, events, inbox, claims, pauses and todos. The session's row (without its texts) and the audit log remain. */
  erase(id: string): Promise<void>
  /** Removes a session that never started (no workflow), with all its data. */
  remove(id: string): Promise<void>
}
