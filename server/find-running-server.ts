import { existsSync } from "node:fs"
import { loadConnectionProfile } from "./connection/connection-profile.ts"
import { embeddedNamespace } from "./keeper/server-record.ts"
import type { ReachedServer, RunningServer } from "./running-server.ts"
import { serverFiles } from "./process/server-files.ts"
import { liveRecord } from "./keeper/start-keeper.ts"

export interface ServerPlace {
  /** Absolute path of a data directory. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
}

/** A server that this process has not connected to. */
type FoundServer = ReachedServer & Pick<RunningServer, "uiUrl">

/** Returns the server that `ensureServer` would return: the configured one, or the embedded one if it is running. Starts nothing. */
export const findRunningServer = ({ dataDir, env }: ServerPlace): FoundServer | undefined => {
  const profile = loadConnectionProfile(env)
  if (profile !== undefined) {
    const { address, namespace, uiUrl } = profile
    return { kind: "external", address, namespace, uiUrl }
  }
  const record = liveRecord(dataDir)
  if (record === undefined) return undefined
  const { address, uiUrl } = record
  return { kind: "embedded", address, namespace: embeddedNamespace, uiUrl }
}

/** Returns the path of the file that `ensureServer` would create for a new embedded engine; undefined if an engine exists. */
export const newEngineFile = ({ dataDir, env }: ServerPlace): string | undefined => {
  const { database } = serverFiles(dataDir)
  return findRunningServer({ dataDir, env }) !== undefined || existsSync(database) ? undefined : database
}
