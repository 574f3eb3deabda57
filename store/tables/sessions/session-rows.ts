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
  readonly metadata: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
  readonly archivedAt: string | null
  readonly deletedAt: string | null
}

export type NewSession = Pick<
  SessionRow,
  "id" | "sessionKey" | "title" | "agent" | "model" | "parentId" | "rootId" | "depth" | "cwd" | "label" | "metadata"
>

/** What may change on a session's row; times are kept by the store. */
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
  >
>

export interface SessionFilter {
  readonly parentId?: string
  readonly rootId?: string
  readonly status?: Status
  readonly agent?: string
  readonly includeArchived?: boolean
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

/** What archiving depends on. */
export interface EndedSession extends Pick<SessionRow, "id" | "parentId" | "depth" | "metadata"> {
  /** The latest run, with its settings and the time of its end. */
  readonly runId: string
  readonly snapshotHash: string
  readonly endedAt: string
}

export interface Sessions {
  /** False when the id is taken: nothing was written. */
  create(session: NewSession): Promise<boolean>
  get(id: string): Promise<SessionRow | undefined>
  /** By id, else by label (the newest), else by session key. */
  find(target: string): Promise<SessionRow | undefined>
  patch(id: string, patch: SessionPatch): Promise<void>
  /** Newest first; `cursor` is opaque. */
  list(filter: SessionFilter): Promise<{ items: readonly SessionRow[]; nextCursor: string | null }>
  /** Returns the rows that are not final, the oldest first; a page of them in the order of their ids. */
  listOpen(page?: SessionPage): Promise<readonly SessionRow[]>
  archive(id: string, at: string | null): Promise<void>
  /** Returns the sessions that are neither archived nor deleted and whose latest run has ended; a page of them in the order of their ids. */
  listEnded(page?: SessionPage): Promise<readonly EndedSession[]>
  /** Archives it unless another run has begun since; false: nothing was written. */
  archiveEnded(session: Pick<EndedSession, "id" | "runId">): Promise<boolean>
  /** Sessions with a tombstone whose texts are still there, for the reconciler. */
  listUnerased(): Promise<readonly string[]>
  /** Sets the tombstone; writes to the session are refused (ignored) from then on. */
  markDeleted(id: string): Promise<void>
  /** Erases messages, events, inbox, claims, pauses and todos; the session's row (without its texts) and the audit stay. */
  erase(id: string): Promise<void>
  /** Removes a session that never started (no workflow): the row and everything with it. */
  remove(id: string): Promise<void>
}
