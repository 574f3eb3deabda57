import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureServer } from "../../../server/ensure-server.ts"
import { isAlive } from "../../../server/process/process-identity.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { eventually } from "../eventually.ts"

export interface TestServer {
  readonly address: string
  /** The folder of its data and its process record. */
  readonly dataDir: string
  /** Stops the server, waits until it has exited, and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a private embedded server, tuned and started by the same code as the product's own. Building it once
 * may take minutes.
 */
export const startTestServer = async (): Promise<TestServer> => {
  const dataDir = mkdtempSync(join(tmpdir(), "adjutant-test-"))
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const server = await ensureServer({
    dataDir,
    // No TEMPORAL_* variables and no profile file of the developer.
    env: {
      PATH,
      HOME,
      XDG_CACHE_HOME,
      TMPDIR,
      TEMPORAL_CONFIG_FILE: join(dataDir, "none.toml"),
      ADJUTANT_SERVER_LINGER_MS: "0",
    },
    onProgress: (line) => console.error(line),
    purpose: "test",
  })
  const record = liveRecord(dataDir)
  return {
    address: server.address,
    dataDir,
    stop: async () => {
      await server.release()
      if (record !== undefined) await eventually(() => !isAlive(record))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
