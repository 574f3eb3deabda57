import type { EngineIdentity, EngineMarker, RememberedEngine } from "../../domain/engine/engine-identity.ts"
import type { MissingCount, MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { AuditRow } from "../tables/audit.ts"

export type NewEngine = EngineIdentity & Pick<RememberedEngine, "scheduleCreatedAt">

/** Who acts, for the audit log. */
type Acting = Pick<AuditRow, "by" | "via"> & Partial<Pick<AuditRow, "kind">>

export interface EngineMemory {
  read(): Promise<RememberedEngine | undefined>
  /** Remembers the engine if none is remembered yet, and returns the remembered one: concurrent claims all get the same. */
  claim(engine: NewEngine): Promise<RememberedEngine>
  /** Adds facts about the engine with this claim; changes nothing if the claim is another one. */
  learn(claimId: string, facts: Partial<Pick<NewEngine, "namespaceId" | "scheduleCreatedAt">>): Promise<void>
  /** Replaces the marker of the engine with this claim, unless another process has written the same number or a higher one. */
  mark(claimId: string, marker: EngineMarker): Promise<void>
  /**
   * Replaces the engine, with an audit entry in the same transaction. Returns undefined, without writing, if another process has replaced `from` in the
   * meantime; null means none.
   */
  move(
    from: string | null,
    engine: NewEngine,
    entry: Acting & Pick<AuditRow, "detail">,
  ): Promise<RememberedEngine | undefined>
}

/** A session that the engine did not know when it was last asked. */
export interface MissingRow extends MissingSighting {
  readonly sessionId: string
  /** The run that was not found. */
  readonly runId: string
}

/** What the reconciler keeps between its passes. */
export interface ReconcilerNotes {
  /** The position at which the job was interrupted; empty where it starts at the first row. */
  cursor(job: string): Promise<string>
  setCursor(job: string, position: string): Promise<void>
  /** Notes that a pass found this execution of a child without a parent. Returns how many passes in a row have found it so. */
  noteOrphan(sessionId: string, sighting: { readonly executionId: string; readonly passId: string }): Promise<number>
  /** Returns the ids of the noted children, each with the number of passes. */
  listOrphans(): Promise<ReadonlyMap<string, number>>
  /** Forgets a child that has a parent or that has ended. */
  clearOrphan(sessionId: string): Promise<void>
}

/** The state that a running workflow reports for a run that was recorded as lost. */
export interface LivingRun {
  readonly runId: string
  readonly status: "running" | "paused"
  readonly checkpointId: string | null
}

export interface MissingExecutions {
  /** Notes that an engine does not know a session's run. Returns what is noted about this run under this claim. */
  note(sessionId: string, run: { readonly runId: string; readonly claimId: string }): Promise<MissingSighting>
  /** Forgets a run that the engine knows or that has ended. Notes about another run are kept. */
  clear(sessionId: string, runId: string): Promise<void>
  get(sessionId: string): Promise<MissingRow | undefined>
  /** Counts open sessions, and those that are missing or were recently lost under this claim. */
  count(claimId: string): Promise<MissingCount>
  /** Returns the open sessions whose current run is noted, under any claim. */
  listNoted(): Promise<ReadonlySet<string>>
  /** Returns the open sessions that are missing under this claim and not accepted, the longest missing first. */
  list(claimId: string): Promise<readonly MissingRow[]>
  /** Accepts the loss of all listed sessions, with an audit entry for each. Returns their ids. */
  accept(claimId: string, actor: Acting): Promise<readonly string[]>
  /** Returns the sessions that were noted and whose run is recorded as lost, the least recently checked first. */
  listEnded(limit: number): Promise<readonly MissingRow[]>
  /** Records that a session was checked again and is still missing. */
  touch(sessionId: string): Promise<void>
  /**
   * Opens a run again that was recorded as lost and that the engine still executes: run, session, pause and event log, with an audit entry. Undelivered
   * announcements of its end are dismissed. Returns false, without writing, if the run is already open or has another outcome.
   */
  reopen(sessionId: string, living: LivingRun): Promise<boolean>
}
