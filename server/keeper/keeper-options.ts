import { hasFields, isNumber, isText } from "../process/has-fields.ts"
import { isSynchronous, type Synchronous } from "./server-record.ts"

/** The options of a keeper; the only argument of its process, as JSON. */
export interface KeeperOptions {
  readonly dataDir: string
  /** Absolute path of the `temporal` program. */
  readonly program: string
  readonly synchronous: Synchronous
  /** How long the server keeps running after its last user has left. */
  readonly lingerMs: number
  /** How often the keeper checks its server and users. */
  readonly pollMs: number
  /** How long the server may take to become ready. */
  readonly readyTimeoutMs: number
  /** How long the server may take to stop before it is killed. */
  readonly stopGraceMs: number
}

const isKeeperOptions = hasFields<KeeperOptions>({
  dataDir: isText,
  program: isText,
  synchronous: isSynchronous,
  lingerMs: isNumber,
  pollMs: isNumber,
  readyTimeoutMs: isNumber,
  stopGraceMs: isNumber,
})

export const parseKeeperOptions = (argument: string | undefined): KeeperOptions => {
  const value: unknown = JSON.parse(argument ?? "null")
  if (!isKeeperOptions(value))
    throw new Error("the keeper cannot be started by hand: the first user of a server starts it")
  return value
}
