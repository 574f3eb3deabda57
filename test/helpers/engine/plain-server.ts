import { spawn } from "node:child_process"
import { once } from "node:events"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { probeServer } from "../../../server/process/probe-server.ts"
import { eventually } from "../eventually.ts"

/**
 * A Temporal server as a user would run it: in memory, without our settings and search attributes. Each start
 * is a new engine.
 */
export interface PlainServer {
  readonly address: string
  readonly port: number
  /** Stops the server and waits until it has exited. */
  stop(): Promise<void>
}

/** Starts a server at the given port, or at a free one. */
export const startPlainServer = async (at?: number): Promise<PlainServer> => {
  const { path } = await ensureTemporalProgram({ env: process.env })
  const port = at ?? (await choosePort(undefined))
  const listen = ["--ip", "127.0.0.1", "--port", String(port), "--headless", "--log-level", "never"]
  const child = spawn(path, ["server", "start-dev", ...listen], { stdio: "ignore" })
  const exited = once(child, "exit")
  const address = `127.0.0.1:${port}`
  await eventually(() => probeServer(address, "default", 1_000), { timeoutMs: 60_000 })
  return {
    address,
    port,
    stop: async () => {
      child.kill("SIGKILL")
      await exited
    },
  }
}
