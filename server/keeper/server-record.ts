import { isProcessIdentity, type ProcessIdentity } from "../process/process-identity.ts"

/** The Temporal process that a keeper started, whether ready or not. */
export interface TemporalProcessRecord extends ProcessIdentity {
  readonly port: number
  /** Where people find its UI; where the UI itself listens is written down nowhere. */
  readonly uiPort: number
  readonly program: string
  readonly synchronous: Synchronous
  /** ISO 8601. */
  readonly startedAt: string
}

/** How SQLite writes: `normal` may lose the last moments at a power cut, `full` loses nothing and is slower. */
export type Synchronous = "normal" | "full"

/** A server that is ready for use, as `server.json` describes it. */
export interface ServerRecord extends TemporalProcessRecord {
  readonly address: string
  /** Absent where the UI is not served. */
  readonly uiUrl?: string
  readonly keeperPid: number
  readonly keeperStart: string
}

export const keeperOf = (record: ServerRecord): ProcessIdentity => ({
  pid: record.keeperPid,
  start: record.keeperStart,
})

export const isTemporalProcessRecord = (value: unknown): value is TemporalProcessRecord =>
  isProcessIdentity(value) &&
  "port" in value &&
  isPort(value.port) &&
  "uiPort" in value &&
  isPort(value.uiPort) &&
  "program" in value &&
  typeof value.program === "string" &&
  "synchronous" in value &&
  (value.synchronous === "normal" || value.synchronous === "full") &&
  "startedAt" in value &&
  typeof value.startedAt === "string"

export const isServerRecord = (value: unknown): value is ServerRecord =>
  isTemporalProcessRecord(value) &&
  "address" in value &&
  typeof value.address === "string" &&
  (!("uiUrl" in value) || typeof value.uiUrl === "string") &&
  "keeperPid" in value &&
  Number.isSafeInteger(value.keeperPid) &&
  "keeperStart" in value &&
  typeof value.keeperStart === "string"

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
