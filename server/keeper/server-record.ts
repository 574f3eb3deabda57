import { hasFields, isText } from "../process/has-fields.ts"
import { identityChecks, type ProcessIdentity } from "../process/process-identity.ts"

/** The namespace that the embedded server always has. */
export const embeddedNamespace = "default"

/** The Temporal process that a keeper started, whether or not it is ready. */
export interface TemporalProcessRecord extends ProcessIdentity {
  /** The shell that ends the process if its users were killed. */
  readonly guard?: ProcessIdentity | undefined
  readonly port: number
  /** The port at which people reach its UI. The port at which the UI itself listens is not recorded anywhere. */
  readonly uiPort: number
  readonly program: string
  readonly synchronous: Synchronous
  /** ISO 8601. */
  readonly startedAt: string
}

/** How SQLite syncs: `normal` may lose the last moments in a power cut, `full` loses nothing but is slower. */
export type Synchronous = "normal" | "full"

/** A server that is ready for use, as `server.json` describes it. */
export interface ServerRecord extends TemporalProcessRecord {
  readonly address: string
  /** Absent if the UI is not served. */
  readonly uiUrl?: string
  readonly keeperPid: number
  readonly keeperStart: string
}

export const keeperOf = (record: ServerRecord): ProcessIdentity => ({
  pid: record.keeperPid,
  start: record.keeperStart,
})

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536

export const isSynchronous = (value: unknown): boolean => value === "normal" || value === "full"

const isIdentity = hasFields<ProcessIdentity>(identityChecks)

const processChecks = {
  ...identityChecks,
  guard: (value: unknown) => value === undefined || isIdentity(value),
  port: isPort,
  uiPort: isPort,
  program: isText,
  synchronous: isSynchronous,
  startedAt: isText,
}

export const isTemporalProcessRecord = hasFields<TemporalProcessRecord>(processChecks)

export const isServerRecord = hasFields<ServerRecord>({
  ...processChecks,
  address: isText,
  uiUrl: (value) => value === undefined || isText(value),
  keeperPid: Number.isSafeInteger,
  keeperStart: isText,
})
