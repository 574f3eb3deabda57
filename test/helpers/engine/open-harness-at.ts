import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@temporalio/client"
import { NativeConnection } from "@temporalio/worker"
import { pino } from "pino"
import type { AdjutantClient } from "../../../client/create-client.ts"
import type { StartRequest } from "../../../sessions/start-request.ts"
import { createClient } from "../../../client/create-client.ts"
import { collectSecrets } from "../../../config/secrets/secrets.ts"
import { type LimitsByKey, providerLimitsOf } from "../../../config/models/provider-limits.ts"
import { loadConfig } from "../../../config/load-config.ts"
import type { LoadedConfig } from "../../../config/loaded-config.ts"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { Timing } from "../../../contracts/config/timing.ts"
import { sessionWorkflowId, taskQueueOf } from "../../../domain/engine/engine-names.ts"
import { type WorkerPolicy, workerPolicyOf } from "../../../domain/approval/worker-policy.ts"
import { readEncryptionKeys } from "../../../config/secrets/encryption-keys.ts"
import { codecOf, converterOf } from "../../../server/encryption/configured-codec.ts"
import { dailyCapsOf } from "../../../domain/limits/daily-limits.ts"
import { createRedact } from "../../../domain/text/redact.ts"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { openConnection } from "../../../server/connection/open-connection.ts"
import { openStore } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { sandboxSettingsOf } from "../../../worker/detect-sandbox.ts"
import { type RunningWorker, startWorker } from "../../../worker/start-worker.ts"
import type { Machine } from "../../../engine/workers/machine.ts"
import { reconcileScheduleId } from "../../../engine/reconcile-schedule.ts"
import { installRuntime } from "../../../worker/runtime.ts"
import { fetchHistories, replayAll, type Replayer } from "./replay.ts"

/** A configuration, with every wait that a test shortens. */
export interface TestConfig extends Omit<ConfigInput, "timing"> {
  readonly timing?: Partial<Timing>
}

export interface HarnessOptions {
  readonly model: ModelProvider
  readonly config?: TestConfig
  readonly tools?: readonly Tool[]
  /** False: no worker runs until `startWorker` is called. */
  readonly worker?: boolean
  readonly shutdownGraceMs?: number
  readonly reconcileEverySeconds?: number
  /** True: a pass of the reconciler starts with the worker, as in production. */
  readonly reconcilesAtStart?: boolean
  /** Added to the environment of the client and the worker. */
  readonly env?: Readonly<Record<string, string>>
  /** Wraps the worker's store; the client's store stays as it is. */
  readonly workerStore?: (store: Store) => Store
  /**
   * True: workflows run in a thread of their own, as in production, where a workflow that never yields is
   * stopped. Starting that thread takes longer than most tests, so by default workflows run in the test's
   * thread.
   */
  readonly workflowThread?: boolean
  /** Whether the worker allows binary agents; default as configured. */
  readonly workerAllowsBinaries?: boolean
  /** The store's clock. */
  readonly now?: () => number
  /** What the worker demands of every run; default as configured. */
  readonly workerPolicy?: WorkerPolicy
  /** The limits of keys with which each worker starts; default as configured. */
  readonly providerLimits?: () => LimitsByKey
}

export interface HarnessWorkerOptions {
  /** Default: the machine of this process. */
  readonly machine?: Machine
  /** Default: those of the harness. */
  readonly tools?: readonly Tool[]
}

/** A store, a client and a worker on the test run's Temporal server. */
export interface Harness {
  readonly client: AdjutantClient
  readonly store: Store
  readonly temporal: Client
  readonly taskQueue: string
  /** The sessions' working directory. */
  readonly cwd: string
  readonly dataDir: string
  readonly loaded: LoadedConfig
  start(request?: Partial<StartRequest>): Promise<string>
  startWorker(options?: HarnessWorkerOptions): Promise<RunningWorker>
  stopWorker(): Promise<void>
  handle(sessionId: string): ReturnType<Client["workflow"]["getHandle"]>
  /** Closes everything and queues every session's full history for replay with the current code. */
  close(): Promise<void>
}

/** If this variable is set, the engine's library runs workflows in the worker's thread. */
const inThisThread = async <T>(create: () => Promise<T>): Promise<T> => {
  process.env["TEMPORAL_DEBUG"] = "true"
  try {
    return await create()
  } finally {
    delete process.env["TEMPORAL_DEBUG"]
  }
}

/** A run whose provider fails ends, unless the test sets how long it waits. */
const quickTiming = { modelRetryInitialMs: 20, modelRetryMaxMs: 100, providerPauseSeconds: 0, killGraceMs: 300 }

/** Returns the workflows of a store's sessions. One that is still pending has none if its start was not acknowledged. */
const executedOf = async (store: Store, temporal: Client): Promise<readonly string[]> => {
  const { items } = await store.sessions.list({ limit: 1_000, includeArchived: true })
  const found = await Promise.all(
    items.map(async ({ id, status }) => {
      const workflowId = sessionWorkflowId(id)
      const describe = () => temporal.workflow.getHandle(workflowId).describe()
      const exists = status !== "pending" || (await describe().catch(() => undefined)) !== undefined
      return exists ? [workflowId] : []
    }),
  )
  return found.flat()
}

/**
 * Opens a harness on the Temporal server at `address` (host:port). `replayer` receives the histories of all
 * its sessions when it closes.
 */
export const openHarnessAt = async (
  address: string,
  options: HarnessOptions,
  replayer: Replayer = replayAll,
): Promise<Harness> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "adjutant-workflow-")))
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-cwd-")))
  const dataDir = join(folder, "data")
  await writeFile(join(folder, "unused.yaml"), "conversations: []\n")
  const { timing, ...settings } = options.config ?? {}
  const config: ConfigInput = {
    models: {
      main: { provider: "scripted", script: "unused.yaml" },
      light: { provider: "scripted", script: "unused.yaml" },
    },
    ...settings,
  }
  const configPath = join(folder, "adjutant.config.yaml")
  await writeFile(configPath, JSON.stringify(config))
  const env = {
    PATH: process.env["PATH"] ?? "",
    ADJUTANT_TEST_TIMING: JSON.stringify({ ...quickTiming, ...timing }),
    ...options.env,
  }
  const customTools = options.tools?.map(({ name }) => name)
  const loaded = { ...(await loadConfig({ cwd, configPath, dataDir, env })), ...(customTools ? { customTools } : {}) }
  const logger = pino({ level: "silent" })
  const connection = await openConnection({ address })
  installRuntime(logger)
  const native = await NativeConnection.connect({ address })
  const codec = await codecOf(await readEncryptionKeys(loaded, env))
  const temporal = new Client({ connection, ...converterOf(codec) })
  const { now } = options
  const store = await openStore({ url: loaded.config.store.url, dataDir: loaded.dataDir, ...(now ? { now } : {}) })
  const taskQueue = taskQueueOf(store.storeId)
  const client = createClient({ temporal, store, loaded, env, hasSearchAttributes: true, taskQueue })
  const workers: RunningWorker[] = []

  const create = async (given: HarnessWorkerOptions) => {
    // The library accepts one worker of a queue for each connection.
    const own = given.machine === undefined ? undefined : await NativeConnection.connect({ address })
    const worker = await startWorker({
      connection: own ?? native,
      namespace: temporal.options.namespace,
      codec,
      temporal,
      timing: loaded.config.timing,
      store: options.workerStore?.(store) ?? store,
      dataDir: loaded.dataDir,
      configPath: loaded.configPath,
      config: { ...loaded.config, models: loaded.models },
      env: { ...process.env, ...options.env },
      logger,
      redact: createRedact(collectSecrets(loaded.config, loaded.models, { ...process.env, ...options.env })),
      dailyCaps: dailyCapsOf(loaded.config),
      slots: loaded.config.worker,
      providerLimits: options.providerLimits?.() ?? providerLimitsOf(loaded),
      sandboxes: sandboxSettingsOf(loaded.config, { env: {} }),
      workerPolicy: options.workerPolicy ?? workerPolicyOf(loaded.config),
      startScheduled: client.schedules.start,
      allowBinaryAgents: options.workerAllowsBinaries ?? loaded.config.security.allowBinaryAgents,
      providers: { scripted: options.model },
      ...(options.tools === undefined ? {} : { tools: options.tools }),
      shutdownGraceMs: options.shutdownGraceMs ?? 200,
      ...(options.reconcileEverySeconds === undefined ? {} : { reconcileEverySeconds: options.reconcileEverySeconds }),
      reconcilesAtStart: options.reconcilesAtStart === true,
      maxCachedWorkflows: 50,
      ...given,
    })
    if (own === undefined) return worker
    let stopped: Promise<void> | undefined
    const stopOne = async (): Promise<void> => {
      await worker.stop()
      await own.close()
    }
    return { ...worker, stop: () => (stopped ??= stopOne()) }
  }
  const start = async (given: HarnessWorkerOptions = {}): Promise<RunningWorker> => {
    const worker = await (options.workflowThread === true ? create(given) : inThisThread(() => create(given)))
    workers.push(worker)
    return worker
  }
  const stop = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  }
  if (options.worker !== false) await start()

  return {
    client,
    store,
    temporal,
    taskQueue,
    cwd,
    dataDir: loaded.dataDir,
    loaded,
    async start(request = {}) {
      const { sessionId } = await client.start({ prompt: "Do it.", cwd, auto_approve: true, ...request })
      return sessionId
    },
    startWorker: start,
    stopWorker: stop,
    handle: (sessionId) => temporal.workflow.getHandle(sessionWorkflowId(sessionId)),
    async close() {
      await stop()
      // If the schedule stayed, it would start reconcilers that no worker serves until the server stops.
      await temporal.schedule
        .getHandle(reconcileScheduleId(taskQueue))
        .delete()
        .catch(() => undefined)
      try {
        await replayer(await fetchHistories(temporal, await executedOf(store, temporal)))
      } finally {
        await client.close()
        await store.close()
        await native.close()
        await connection.close()
        await Promise.all([folder, cwd].map((path) => rm(path, { recursive: true, force: true })))
      }
    },
  }
}
