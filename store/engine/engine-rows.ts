import type { EngineIdentity, RememberedEngine } from "../../domain/engine/engine-identity.ts"
import type { MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { AuditRow } from "../tables/audit.ts"

export type NewEngine = EngineIdentity & Pick<RememberedEngine, "scheduleCreatedAt">

/** Who acts, for the audit log. */
export type Acting = Pick<AuditRow, "by" | "via"> & Partial<Pick<AuditRow, "kind">>

/** A session that the engine did not know when it was last asked. */
export interface MissingRow extends MissingSighting {
  readonly sessionId: string
  /** The run that was not found. */
  readonly runId: string
}
