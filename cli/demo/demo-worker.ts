import { spawn } from "node:child_process"
import path from "node:path"
import type { Readable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { packageRoot } from "../../config/package-root.ts"
import type { DemoScratch } from "./demo-scratch.ts"

/** `adjutant worker` in a separate process, which can be killed. */
export interface DemoWorker {
  readonly pid: number
  /** Sends SIGKILL and resolves when the process has ended. */
  kill(): Promise<void>
  /** Lets it drain, and kills it if that takes too long. */
  stop(): Promise<void>
}

/** From the start of the process, at which the Temporal server is running and the workflows are bundled. */
const readyTimeoutMs = 120_000
const stopTimeoutMs = 10_000
const keptOutput = 4000

export const startDemoWorker = async (
  { configFile, dataDir, project }: DemoScratch,
  env: NodeJS.ProcessEnv,
): Promise<DemoWorker> => {
  const launcher = path.join(packageRoot(), "bin", "adjutant.js")
  const child = spawn(process.execPath, [launcher, "worker", "--config", configFile, "--data-dir", dataDir], {
    cwd: project,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve())
    child.once("error", () => resolve())
  })
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const killTimer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs)
    await gone
    clearTimeout(killTimer)
  }
  try {
    await untilReady(child.stderr, gone)
  } catch (error) {
    await end("SIGKILL")
    throw error
  }
  return { pid: child.pid ?? 0, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") }
}

const untilReady = async (stderr: Readable, gone: Promise<void>): Promise<void> => {
  let output = ""
  const ready = new Promise<"ready">((resolve) => {
    stderr.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptOutput)
      if (/^worker ready$/m.test(output)) resolve("ready")
    })
  })
  const tooLate = new AbortController()
  const late = delay(readyTimeoutMs, "was not ready in time" as const, { signal: tooLate.signal })
  late.catch(() => undefined)
  const result = await Promise.race([ready, gone.then(() => "ended before it was ready" as const), late])
  tooLate.abort()
  if (result !== "ready")
    throw new AdjutantError("no_worker", `the worker of the demo ${result}: ${output.trim() || "it printed nothing"}`)
}
