import type { Status } from "../../../contracts/status.ts"
import type { SessionPlace } from "../machines.ts"
import type { NewSessionFields, SessionRow } from "../../schema/session-table.ts"

export type NewSession = NewSessionFields & {
  /** Where its working directory is; null: not known. */
  readonly place?: SessionPlace | null
}

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
