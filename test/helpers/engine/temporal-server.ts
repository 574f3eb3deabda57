import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureServer } from "../../../server/ensure-server.ts"
import { isAlive } from "../../../server/process/process-identity.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { eventually } from "../eventually.ts"

export interface TestServer {
  readonly address: string
  /** Where its data is and its process is written down. */
  readonly dataDir: string
  /** Ends the server, waits until it has ended, and removes its data. */
  stop(): Promise<void>
}

/** A private embedded server, tuned like the product's own and started by the same code. Building it once may take minutes. */
export const startTestServer = async (): Promise<TestServer> => {
  const dataDir = mkdtempSync(join(tmpdir(), "adjutant-test-"))
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const server = await ensureServer({
    dataDir,
    // No TEMPORAL_* and no profile file of the developer's own.
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
      if (record !== undefined) {
        const keeper = { pid: record.keeperPid, start: record.keeperStart }
        await eventually(() => !isAlive(record) && !isAlive(keeper), { timeoutMs: 30_000 })
      }
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
