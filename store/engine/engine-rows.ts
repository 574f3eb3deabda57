import type { EngineIdentity, RememberedEngine } from "../../domain/engine/engine-identity.ts"
import type { MissingCount, MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { AuditRow } from "../tables/audit.ts"

export type NewEngine = EngineIdentity & Pick<RememberedEngine, "scheduleCreatedAt">

/** Who acts, for the audit. */
type Acting = Pick<AuditRow, "by" | "via">

export interface EngineMemory {
  read(): Promise<RememberedEngine | undefined>
  /** Remembers the engine where none is remembered. Returns the one that is: of processes that claim at once, all get the same. */
  claim(engine: NewEngine): Promise<RememberedEngine>
  /** Adds what was not known of the engine with this claim; of any other one it changes nothing. */
  learn(claimId: string, facts: Partial<Pick<NewEngine, "namespaceId" | "scheduleCreatedAt">>): Promise<void>
  /**
   * Replaces the engine, with an audit entry in the same transaction. Returns undefined, and writes nothing, where another process has replaced
   * `from` meanwhile; null means none.
   */
  move(
    from: string | null,
    engine: NewEngine,
    entry: Acting & Pick<AuditRow, "detail">,
  ): Promise<RememberedEngine | undefined>
}

/** A session that the engine did not know when it was asked last. */
export interface MissingRow extends MissingSighting {
  readonly sessionId: string
  /** The run that was looked for. */
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

/** What the engine's workflow says of a run that was recorded as lost. */
export interface LivingRun {
  readonly runId: string
  readonly status: "running" | "paused"
  readonly checkpointId: string | null
}

export interface MissingExecutions {
  /** Notes that an engine does not know a session's run. Returns the first sighting of this run under this claim. */
  note(sessionId: string, run: { readonly runId: string; readonly claimId: string }): Promise<MissingSighting>
  /** The engine knows the run, or it is over for good. What was noted of another run stays. */
  clear(sessionId: string, runId: string): Promise<void>
  get(sessionId: string): Promise<MissingRow | undefined>
  /** Counts open sessions; those missing only under this claim. */
  count(claimId: string): Promise<MissingCount>
  /** Open sessions whose present run was noted, whatever became of it. */
  listNoted(): Promise<ReadonlySet<string>>
  /** Open sessions that are missing under this claim and not accepted, oldest sighting first. */
  list(claimId: string): Promise<readonly MissingRow[]>
  /** Accepts all that are listed as lost, with an audit entry for each. Returns their ids. */
  accept(claimId: string, actor: Acting): Promise<readonly string[]>
  /** Sessions that were noted and whose run is over in the store, those first that were looked at longest ago. */
  listEnded(limit: number): Promise<readonly MissingRow[]>
  /** Looked at again, and still not there. */
  touch(sessionId: string): Promise<void>
  /**
   * Opens a run again that was recorded as lost and that the engine still executes: run, session, pause and event log, with an audit entry, and
   * without the announcements of its end that are not delivered. Returns false, and writes nothing, where it is open already or ended otherwise.
   */
  reopen(sessionId: string, living: LivingRun): Promise<boolean>
}
