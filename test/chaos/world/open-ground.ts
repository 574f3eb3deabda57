import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { eventually } from "../../helpers/eventually.ts"
import { openReceiver, receiverSecret, type OpenReceiver } from "../../helpers/http/webhook-receiver.ts"
import { chaosToken } from "../load/patient-api.ts"
import type { Random } from "../random.ts"
import { startChaosModel } from "./chaos-model.ts"
import { supervise, type SupervisedProcess } from "./supervised-process.ts"

/** What every chaos run has, whatever runs the sessions: folders, a model, a receiver of webhooks, and a ledger. */
export interface Ground {
  readonly folder: string
  readonly cwd: string
  readonly dataDir: string
  /** True where the data directory is a small file system of its own, which can be filled. */
  readonly hasOwnDisk: boolean
  readonly receiver: OpenReceiver
  /** Returns the lines that tools wrote. */
  ledger(): Promise<readonly string[]>
  /** Returns what the processes wrote to standard error. */
  logs(): Promise<string>
  /** Writes the configuration of all processes. */
  configure(storeUrl: string): Promise<void>
  /** Starts a command of the product, and again whenever it ends. */
  start(name: string, env: Readonly<Record<string, string>>, ...argv: readonly string[]): SupervisedProcess
  close(options: { readonly keep: boolean }): Promise<void>
}

const diskMegabytes = 160

/** Mounts a small file system; returns false where this user or system cannot. */
const mountDisk = (directory: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0700`, "adjutant-chaos", directory], {
      stdio: "ignore",
    })
    return true
  } catch {
    return false
  }
}

const configOf = (urls: {
  readonly model: string
  readonly receiver: string
  readonly store: string
}): ConfigInput => ({
  store: { url: urls.store },
  models: { main: { provider: "openai-compatible", model: "fake", baseUrl: `${urls.model}/v1` } },
  subagents: { maxConcurrent: 4 },
  webhooks: [{ url: urls.receiver, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
  timing: {
    deliveryAttempts: 200,
    modelRetryInitialMs: 100,
    modelRetryMaxMs: 2_000,
    modelAttempts: 50,
    laneRetryMs: 5_000,
  },
})

/** Machines sleep for longer than the heartbeats of their calls may be missing. */
const timing = { deliveryInitialMs: 200, deliveryMaxMs: 5_000, heartbeatTimeoutMs: 8_000 }

/** Creates the folders, and starts what is outside of the product. */
export const openGround = async (random: Random, wantsOwnDisk: boolean): Promise<Ground> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "adjutant-chaos-")))
  const [cwd, dataDir] = [join(folder, "work"), join(folder, "data")]
  for (const directory of [cwd, dataDir]) await mkdir(directory, { mode: 0o700 })
  const hasOwnDisk = wantsOwnDisk && mountDisk(dataDir)
  const model = await startChaosModel(random)
  const receiver = await openReceiver(() => (random.chance(0.3) ? 503 : 204))
  const [configPath, logFile] = [join(folder, "adjutant.config.yaml"), join(folder, "stderr.log")]
  await writeFile(join(cwd, "ledger"), "")
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const known = {
    ...{ PATH, HOME, XDG_CACHE_HOME, TMPDIR, XDG_STATE_HOME: join(folder, "state") },
    ADJUTANT_TEST_TIMING: JSON.stringify(timing),
  }
  const secrets = { HOOK_SECRET: receiverSecret, ADJUTANT_API_TOKEN: chaosToken, OPENAI_API_KEY: "none" }
  return {
    ...{ folder, cwd, dataDir, hasOwnDisk, receiver },
    ledger: async () => (await readFile(join(cwd, "ledger"), "utf8")).split("\n").filter((line) => line !== ""),
    logs: () => readFile(logFile, "utf8"),
    configure: (store) =>
      writeFile(configPath, JSON.stringify(configOf({ model: model.url, receiver: receiver.url, store }))),
    start: (name, env, ...argv) =>
      supervise({
        name,
        args: ["--config", configPath, "--data-dir", dataDir, ...argv],
        cwd,
        env: { ...known, ...secrets, ...env },
        logFile,
      }),
    async close({ keep }) {
      await Promise.all([model.close(), receiver.close()])
      if (keep) return
      if (hasOwnDisk) execFileSync("umount", ["-l", dataDir], { stdio: "ignore" })
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Returns whether an HTTP server and its engine answer. */
export const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

/** How long a world may take to serve on a busy machine. */
const mostStartMs = 600_000

/** Waits until a world serves. One that does not is closed: else its processes would stay. */
export const untilServes = async (serves: () => Promise<boolean>, close: Ground["close"]): Promise<void> => {
  try {
    await eventually(serves, { timeoutMs: mostStartMs })
  } catch (error) {
    await close({ keep: true })
    throw error
  }
}
