import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { WorkerOrder } from "./worker-order.ts"

/** A worker in its own process. */
export interface WorkerProcess {
  readonly pid: number
  /** Resolves when the process has exited, for whatever reason. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Sends SIGKILL and waits until the process has exited. */
  kill(): Promise<void>
  /**
   * Sends SIGTERM: the worker accepts no more work and exits when its work is done or its grace time has passed.
   * Returns the exit code.
   */
  stop(): Promise<number | null>
}

const waitForExit = async (child: ChildProcess): Promise<{ code: number | null; signal: string | null }> => {
  const [code, signal]: unknown[] = await once(child, "exit")
  return { code: typeof code === "number" ? code : null, signal: typeof signal === "string" ? signal : null }
}

/**
 * Starts a worker process and waits until it serves its queue or has exited. Secrets of the test's environment
 * are not passed on.
 */
export const spawnWorker = async (
  order: WorkerOrder,
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> => {
  const program = join(import.meta.dirname, "worker-process.ts")
  const { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE, TMPDIR, ADJUTANT_TEST_LOG } = process.env
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    env: { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE, TMPDIR, ADJUTANT_TEST_LOG, ...extraEnv },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = waitForExit(child)
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => line === "ready" && resolve())
  })
  const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)])
  if (!isReady && order.crashAt === undefined)
    throw new Error(`the worker ended at once: ${JSON.stringify(await ended)}`)
  return {
    pid: child.pid ?? 0,
    ended,
    kill: async () => {
      child.kill("SIGKILL")
      await ended
    },
    stop: async () => {
      child.kill("SIGTERM")
      return (await ended).code
    },
  }
}
