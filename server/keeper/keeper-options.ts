import type { Synchronous } from "./server-record.ts"

/** What a keeper is started with; the only argument of its process, as JSON. */
export interface KeeperOptions {
  readonly dataDir: string
  /** Absolute path of the `temporal` program. */
  readonly program: string
  readonly synchronous: Synchronous
  /** How long the server outlives its last user. */
  readonly lingerMs: number
  /** How often the keeper looks at its server and users. */
  readonly pollMs: number
  /** How long the server may take to become ready. */
  readonly readyTimeoutMs: number
  /** How long the server may take to end before it is killed. */
  readonly stopGraceMs: number
}

export const parseKeeperOptions = (argument: string | undefined): KeeperOptions => {
  const value: unknown = JSON.parse(argument ?? "null")
  if (!isKeeperOptions(value)) throw new Error("the keeper is started by the first user of a server, not by hand")
  return value
}

const isKeeperOptions = (value: unknown): value is KeeperOptions =>
  typeof value === "object" &&
  value !== null &&
  "dataDir" in value &&
  typeof value.dataDir === "string" &&
  "program" in value &&
  typeof value.program === "string" &&
  "synchronous" in value &&
  (value.synchronous === "normal" || value.synchronous === "full") &&
  "lingerMs" in value &&
  typeof value.lingerMs === "number" &&
  "pollMs" in value &&
  typeof value.pollMs === "number" &&
  "readyTimeoutMs" in value &&
  typeof value.readyTimeoutMs === "number" &&
  "stopGraceMs" in value &&
  typeof value.stopGraceMs === "number"
