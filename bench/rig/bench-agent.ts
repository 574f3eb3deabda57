import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, Connection, type ConnectionOptions } from "@temporalio/client"
import { NativeConnection } from "@temporalio/worker"
import { pino } from "pino"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { StartRequest } from "../../sessions/start-request.ts"
import { createClient } from "../../client/create-client.ts"
import { loadConfig } from "../../config/load-config.ts"
import { providerLimitsOf } from "../../config/models/provider-limits.ts"
import type { ConfigInput } from "../../contracts/config/config.ts"
import type { Liveness } from "../../domain/engine/liveness.ts"
import { sessionWorkflowId, taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { ModelProvider } from "../../models/model-provider.ts"
import { openStore } from "../../store/open-store.ts"
import type { Store } from "../../store/store.ts"
import { startWorker } from "../../worker/start-worker.ts"
import { installRuntime } from "../../worker/runtime.ts"
import { benchModel } from "./bench-model.ts"
import { benchTools } from "./bench-tools.ts"

export interface BenchAgentOptions {
  readonly address: string
  readonly hasSearchAttributes: boolean
  readonly model?: ModelProvider
  /** Configured models; default: the one in the worker's process. */
  readonly models?: NonNullable<ConfigInput["models"]>
  /** Variables besides those that every process has. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: `embedded`. */
  readonly liveness?: Liveness
  /** False: another process runs the worker. */
  readonly worker?: boolean
  /** Called before each request of the client and the activities to the engine. */
  readonly onRequest?: () => void
}

/** The product in this process, without its command line: store, client and worker. */
export interface BenchAgent {
  readonly client: AdjutantClient
  readonly store: Store
  readonly temporal: Client
  readonly taskQueue: string
  readonly reconcileSeconds: number
  readonly dataDir: string
  /** The working directory of its sessions. */
  readonly cwd: string
  readonly storeFile: string
  start(request: Partial<StartRequest> & Pick<StartRequest, "prompt">): Promise<string>
  /** Waits until the session's execution has ended, with any outcome. */
  ended(sessionId: string): Promise<void>
  /** Stops the worker in this process, which hands over what it does, and starts another one. */
  restartWorker(): Promise<void>
  close(): Promise<void>
}

const benchModels: ConfigInput["models"] = { main: { provider: "scripted", script: "unused.yaml" } }

/** Creates a data directory with the benchmarks' configuration. */
export const benchFolder = async (
  models = benchModels,
): Promise<{ cwd: string; configPath: string; dataDir: string }> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "adjutant-bench-")))
  await writeFile(join(folder, "unused.yaml"), "conversations: []\n")
  const configPath = join(folder, "adjutant.config.yaml")
  await writeFile(configPath, JSON.stringify({ models }))
  const cwd = join(folder, "work")
  await mkdir(cwd)
  return { cwd, configPath, dataDir: join(folder, "data") }
}

type Interceptor = NonNullable<ConnectionOptions["interceptors"]>[number]

const counting =
  (onRequest: () => void): Interceptor =>
  (options, next) => {
    onRequest()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- gRPC uses no more of an interceptor's answer than what the next one returns
    return next(options) as ReturnType<Interceptor>
  }

export const openBenchAgent = async (options: BenchAgentOptions): Promise<BenchAgent> => {
  const { address, hasSearchAttributes } = options
  const { cwd, configPath, dataDir } = await benchFolder(options.models)
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...options.env }
  const customTools = benchTools.map(({ name }) => name)
  const loaded = { ...(await loadConfig({ cwd, configPath, dataDir, env })), customTools }
  const logger = pino({ level: "silent" })
  installRuntime(logger)
  const connection = await Connection.connect({
    address,
    ...(options.onRequest === undefined ? {} : { interceptors: [counting(options.onRequest)] }),
  })
  const temporal = new Client({ connection })
  const native = await NativeConnection.connect({ address })
  const store = await openStore({ url: loaded.config.store.url, dataDir })
  const client = createClient({
    temporal,
    store,
    loaded,
    env,
    hasSearchAttributes,
    taskQueue: taskQueueOf(store.storeId),
  })
  const work = () =>
    startWorker({
      connection: native,
      namespace: "default",
      temporal,
      store,
      dataDir,
      env: { ...process.env, ...options.env },
      logger,
      redact: (text) => text,
      tools: benchTools,
      providerLimits: providerLimitsOf(loaded),
      ...(options.liveness === undefined ? {} : { liveness: options.liveness }),
      providers: { scripted: options.model ?? benchModel },
    })
  let worker = options.worker === false ? undefined : await work()
  return {
    client,
    store,
    temporal,
    taskQueue: taskQueueOf(store.storeId),
    reconcileSeconds: loaded.config.timing.reconcileSeconds,
    dataDir,
    cwd,
    storeFile: join(dataDir, "store.db"),
    async start(request) {
      const { sessionId } = await client.start({
        cwd,
        allowed_tools: customTools,
        auto_approve: true,
        max_steps: 256,
        ...request,
      })
      return sessionId
    },
    async ended(sessionId) {
      // A session that reaches its step limit counts as failed.
      await temporal.workflow
        .getHandle(sessionWorkflowId(sessionId))
        .result()
        .catch(() => undefined)
    },
    async restartWorker() {
      await worker?.stop()
      worker = await work()
    },
    async close() {
      await worker?.stop()
      await client.close()
      await store.close()
      await native.close()
      await connection.close()
      await rm(join(dataDir, ".."), { recursive: true, force: true })
    },
  }
}
