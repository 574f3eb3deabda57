import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Connection } from "@temporalio/client"
import { choosePort } from "../../server/exposure/choose-ports.ts"
import { ensureTemporalProgram } from "../../server/program/ensure-temporal-program.ts"
import { probeServer } from "../../server/process/probe-server.ts"
import { ensureSearchAttributes } from "../../server/connection/search-attributes.ts"
import { temporalEnvironment } from "../../server/process/temporal-process.ts"

/** A server started with `temporal server start-dev --db-filename`, as a person would start it. */
export interface PlainServer {
  readonly address: string
  readonly hasSearchAttributes: boolean
  stop(): Promise<void>
}

const readyTimeoutMs = 60_000

const untilReady = async (address: string): Promise<void> => {
  const deadline = performance.now() + readyTimeoutMs
  while (!(await probeServer(address, "default", 2_000))) {
    if (performance.now() > deadline) throw new Error("the plain Temporal server did not become ready")
    await delay(50)
  }
}

export const startPlainServer = async (onProgress: (line: string) => void): Promise<PlainServer> => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-bench-plain-"))
  const { path } = await ensureTemporalProgram({ env: process.env, onProgress })
  const port = await choosePort(undefined)
  const uiPort = await choosePort(undefined, new Set([port]))
  const ports = ["--port", String(port), "--ui-port", String(uiPort)]
  const args = ["server", "start-dev", ...ports, "--db-filename", join(folder, "temporal.db"), "--log-level", "error"]
  const child = spawn(path, args, { stdio: "ignore", env: temporalEnvironment(process.env) })
  const ended = once(child, "exit")
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const address = `127.0.0.1:${port}`
  try {
    await untilReady(address)
    const connection = await Connection.connect({ address })
    const { hasSearchAttributes } = await ensureSearchAttributes(connection, "default")
    await connection.close()
    return { address, hasSearchAttributes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
