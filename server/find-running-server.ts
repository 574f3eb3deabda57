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

/** The server that `ensureServer` would give: the one that is named, or the embedded one where it runs. Starts nothing. */
export const findRunningServer = ({ dataDir, env }: ServerPlace): ReachedServer | undefined => {
  const profile = loadConnectionProfile(env)
  if (profile !== undefined) return { kind: "external", address: profile.address, namespace: profile.namespace }
  const record = liveRecord(dataDir)
  return record === undefined ? undefined : { kind: "embedded", address: record.address, namespace: embeddedNamespace }
}

/** Path of the file that `ensureServer` would make for an engine that is not there yet; undefined where there is one. */
export const newEngineFile = ({ dataDir, env }: ServerPlace): string | undefined => {
  const { database } = serverFiles(dataDir)
  return findRunningServer({ dataDir, env }) !== undefined || existsSync(database) ? undefined : database
}
