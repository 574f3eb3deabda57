import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { choosePort } from "../../../server/process/choose-ports.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../scripts/cluster/private-postgres.ts"
import type { StoreOptions } from "../../../store/open-store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { openReceiver, receiverSecret, type OpenReceiver } from "../../helpers/http/webhook-receiver.ts"
import type { Random } from "../random.ts"
import { chaosToken } from "../load/patient-api.ts"
import { startChaosModel } from "./chaos-model.ts"
import { type EngineProcess, startEngineProcess } from "./engine-process.ts"
import { supervise, type SupervisedProcess } from "./supervised-process.ts"
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts"

/** Everything that a chaos run kills, and the ground truth that it keeps outside the product. */
export interface World {
  readonly folder: string
  readonly cwd: string
  readonly dataDir: string
  /** True where the data directory is a small file system of its own, which can be filled. */
  readonly hasOwnDisk: boolean
  readonly engine: EngineProcess
  /** An engine without any data. */
  readonly emptyEngine: EngineProcess
  /** Where the store is. */
  readonly store: Pick<StoreOptions, "url" | "dataDir">
  /** The server of the store; undefined if the store is an SQLite file. */
  readonly postgres: PrivatePostgres | undefined
  readonly proxy: TcpProxy
  /** Between the processes and PostgreSQL. */
  readonly storeProxy: TcpProxy | undefined
  readonly workers: readonly [SupervisedProcess, ...SupervisedProcess[]]
  readonly servers: readonly [SupervisedProcess, ...SupervisedProcess[]]
  /** Base addresses of the HTTP servers. */
  readonly urls: readonly [string, ...string[]]
  readonly receiver: OpenReceiver
  /** Returns the lines that tools wrote. */
  ledger(): Promise<readonly string[]>
  /** Returns what the processes wrote to standard error. */
  logs(): Promise<string>
  /** Stops all processes; removes the folder unless it is kept. */
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

export type ChaosStore = "sqlite" | "postgres"

const startPostgres = async (): Promise<PrivatePostgres> => {
  const programs = await findPostgresPrograms()
  if (programs === undefined) throw new Error("there are no PostgreSQL programs under /usr/lib/postgresql")
  return await startPrivatePostgres(programs)
}

const throughProxy = (url: string, { address }: TcpProxy): string => {
  const through = new URL(url)
  through.host = address
  return through.toString()
}

const configOf = (urls: { readonly model: string; readonly receiver: string; readonly store: string }) => ({
  store: { url: urls.store },
  models: { main: { provider: "openai-compatible", model: "fake", baseUrl: `${urls.model}/v1` } },
  subagents: { maxConcurrent: 4 },
  webhooks: [{ url: urls.receiver, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
  timing: {
    deliveryInitialMs: 200,
    deliveryMaxMs: 5_000,
    deliveryAttempts: 200,
    modelRetryInitialMs: 100,
    modelRetryMaxMs: 2_000,
    modelAttempts: 50,
    laneRetryMs: 5_000,
    // Machines sleep for longer than that.
    heartbeatTimeoutMs: 8_000,
  },
})

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

/** Starts an engine behind a proxy, two workers, two HTTP servers, a model and a receiver of webhooks. */
export const openWorld = async (random: Random, store: ChaosStore): Promise<World> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "adjutant-chaos-")))
  const [cwd, dataDir, engines] = [join(folder, "work"), join(folder, "data"), join(folder, "engines")]
  for (const directory of [cwd, dataDir, engines]) await mkdir(directory, { mode: 0o700 })
  const hasOwnDisk = mountDisk(dataDir)
  const { path } = await ensureTemporalProgram({ env: process.env, onProgress: console.error })
  const model = await startChaosModel(random)
  const receiver = await openReceiver(() => (random.chance(0.3) ? 503 : 204))
  const postgres = store === "postgres" ? await startPostgres() : undefined
  const storeProxy = postgres === undefined ? undefined : await startTcpProxy(postgres.port)
  const directUrl = postgres?.url("postgres") ?? "sqlite:"
  const storeUrl = storeProxy === undefined ? directUrl : throughProxy(directUrl, storeProxy)
  const configPath = join(folder, "adjutant.config.yaml")
  await writeFile(configPath, JSON.stringify(configOf({ model: model.url, receiver: receiver.url, store: storeUrl })))
  await writeFile(join(cwd, "ledger"), "")
  const engine = await startEngineProcess(path, join(engines, "engine.db"))
  const emptyEngine = await startEngineProcess(path, join(engines, "empty.db"))
  const proxy = await startTcpProxy(engine.port)
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const env = {
    PATH,
    HOME,
    XDG_CACHE_HOME,
    TMPDIR,
    TEMPORAL_ADDRESS: proxy.address,
    HOOK_SECRET: receiverSecret,
    ADJUTANT_API_TOKEN: chaosToken,
  }
  const logFile = join(folder, "stderr.log")
  const common = ["--config", configPath, "--data-dir", dataDir]
  const start = (name: string, ...args: readonly string[]): SupervisedProcess =>
    supervise({ name, args: [...common, ...args], cwd, env: { ...env, OPENAI_API_KEY: "none" }, logFile })
  const workers = [start("worker 1", "worker"), start("worker 2", "worker")] as const
  const ports = [await choosePort(undefined), await choosePort(undefined)] as const
  const serve = (index: 0 | 1) => start(`server ${index + 1}`, "serve", "--port", String(ports[index]))
  const servers = [serve(0), serve(1)] as const
  const urls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const
  // Before that, the store would belong to whichever engine answers first.
  await eventually(async () => (await Promise.all(urls.map(isReady))).every(Boolean), { timeoutMs: 120_000 })
  const close: World["close"] = async ({ keep }) => {
    await Promise.all([...workers, ...servers].map((supervised) => supervised.stop()))
    await Promise.all([engine.kill(), emptyEngine.kill(), model.close(), receiver.close(), proxy.close()])
    await storeProxy?.close()
    await postgres?.stop()
    if (keep) return
    if (hasOwnDisk) execFileSync("umount", ["-l", dataDir], { stdio: "ignore" })
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  return {
    folder,
    cwd,
    dataDir,
    hasOwnDisk,
    engine,
    emptyEngine,
    store: { url: directUrl, dataDir },
    postgres,
    proxy,
    storeProxy,
    workers,
    servers,
    urls,
    receiver,
    ledger: async () => (await readFile(join(cwd, "ledger"), "utf8")).split("\n").filter((line) => line !== ""),
    logs: () => readFile(logFile, "utf8"),
    close,
  }
}
