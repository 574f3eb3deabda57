import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { probeServer } from "../../../server/process/probe-server.ts"
import { serverArguments } from "../../../server/keeper/server-arguments.ts"
import { temporalEnvironment } from "../../../server/process/temporal-process.ts"
import { randomApiHost } from "../../../server/exposure/http-api-guard.ts"
import { eventually } from "../../helpers/eventually.ts"

/** A Temporal server with a database file, as a process that can be killed, stopped and started again. */
export interface EngineProcess {
  readonly port: number
  readonly pid: () => number | undefined
  signal(signal: NodeJS.Signals): void
  /** Kills the process and starts it again on the same port and database. */
  restart(): Promise<void>
  /** Resolves when the server answers. */
  ready(): Promise<void>
  kill(): Promise<void>
}

/** Starts a server with this program and database file. */
export const startEngineProcess = async (program: string, database: string): Promise<EngineProcess> => {
  const port = await choosePort(undefined)
  const httpPort = await choosePort(undefined, new Set([port]))
  const fixed = { port, httpPort, apiHost: randomApiHost(), metricsPort: undefined, ui: undefined }
  const args = serverArguments({ ...fixed, database, synchronous: "normal" })
  let child: ChildProcess
  const start = (): void => {
    child = spawn(program, args, { stdio: "ignore", env: temporalEnvironment(process.env) })
    child.on("error", () => undefined)
  }
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  }
  const ready = (): Promise<void> =>
    eventually(() => probeServer(`127.0.0.1:${port}`, "default", 2_000), { timeoutMs: 120_000 })
  start()
  await ready()
  return {
    port,
    ready,
    kill,
    pid: () => child.pid,
    signal: (signal) => void child.kill(signal),
    restart: async () => {
      await kill()
      start()
    },
  }
}
