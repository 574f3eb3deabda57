import { existsSync } from "node:fs"
import { loadConnectionProfile } from "./connection/connection-profile.ts"
import { embeddedNamespace } from "./process/launch-temporal.ts"
import type { ReachedServer } from "./running-server.ts"
import { serverFiles } from "./process/server-files.ts"
import { liveRecord } from "./keeper/start-keeper.ts"

export interface ServerPlace {
  /** Absolute path of a data directory. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
}

/** Returns the server that `ensureServer` would return: the configured one, or the embedded one if it is running. Starts nothing. */
export const findRunningServer = ({ dataDir, env }: ServerPlace): ReachedServer | undefined => {
  const profile = loadConnectionProfile(env)
  if (profile !== undefined) return { kind: "external", address: profile.address, namespace: profile.namespace }
  const record = liveRecord(dataDir)
  return record === undefined ? undefined : { kind: "embedded", address: record.address, namespace: embeddedNamespace }
}

/** Returns the path of the file that `ensureServer` would create for a new embedded engine; undefined if an engine exists. */
export const newEngineFile = ({ dataDir, env }: ServerPlace): string | undefined => {
  const { database } = serverFiles(dataDir)
  return findRunningServer({ dataDir, env }) !== undefined || existsSync(database) ? undefined : database
}
