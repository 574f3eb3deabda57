import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Connection } from "@temporalio/client"
import { ensureServer } from "../../server/ensure-server.ts"
import { isServerRecord, type ServerRecord } from "../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../server/process/server-files.ts"

/** The embedded server, started by the product's own code in a temporary folder. */
export interface TunedServer {
  readonly address: string
  readonly version: string
  /** Its database file. */
  readonly database: string
  readonly hasSearchAttributes: boolean
  /** The server's process. */
  readonly pid: number
  stop(): Promise<void>
}

/** Returns the environment of a user without settings: no TEMPORAL_*, no profile file. */
export const plainEnvironment = (folder: string): NodeJS.ProcessEnv => {
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  return { PATH, HOME, XDG_CACHE_HOME, TMPDIR, TEMPORAL_CONFIG_FILE: join(folder, "none.toml") }
}

/** Returns what is recorded about the embedded server of a data directory. */
export const serverRecordOf = (dataDir: string): ServerRecord => {
  const record = readWhole(serverFiles(dataDir).record, isServerRecord)
  if (record === undefined) throw new Error("the embedded server has no record")
  return record
}

export const serverVersion = async (address: string): Promise<string> => {
  const connection = await Connection.connect({ address })
  try {
    return (await connection.workflowService.getSystemInfo({})).serverVersion ?? "unknown"
  } finally {
    await connection.close()
  }
}

export const startTunedServer = async (onProgress: (line: string) => void): Promise<TunedServer> => {
  const dataDir = await mkdtemp(join(tmpdir(), "adjutant-bench-server-"))
  const env = { ...plainEnvironment(dataDir), ADJUTANT_SERVER_LINGER_MS: "0" }
  const server = await ensureServer({ dataDir, env, onProgress, purpose: "bench" })
  return {
    address: server.address,
    version: await serverVersion(server.address),
    database: join(dataDir, "temporal.db"),
    hasSearchAttributes: server.hasSearchAttributes,
    pid: serverRecordOf(dataDir).pid,
    async stop() {
      await server.release()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
