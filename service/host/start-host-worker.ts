import { thisMachine } from "../../engine/workers/machine.ts"
import { livenessOf } from "../../server/running-server.ts"
import { createTemporalUrl } from "../../domain/engine/temporal-url.ts"
import type { OpenedHost } from "./opened-host.ts"
import type { RunningWorker, StartWorkerOptions } from "../../worker/start-worker.ts"

const loadModules = async (env: NodeJS.ProcessEnv, onProgress: (line: string) => void) => {
  const [{ startWorker }, { installRuntime }, { findWorkflowBundle }, { configuredSurroundings }] = await Promise.all([
    import("../../worker/start-worker.ts"),
    import("../../worker/runtime.ts"),
    import("../../worker/workflow-bundle.ts"),
    import("../../worker/trees/configured-surroundings.ts"),
  ])
  await findWorkflowBundle(env, onProgress)
  return { startWorker, installRuntime, configuredSurroundings }
}

export type WorkerModules = Awaited<ReturnType<typeof loadModules>>

/** Returns a function that loads what a worker needs, once: the native library and the workflow bundle. */
export const workerModuleLoader = (
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): (() => Promise<WorkerModules>) => {
  let loading: Promise<WorkerModules> | undefined
  return () => (loading ??= loadModules(env, onProgress))
}

export interface WorkerRequest extends Pick<StartWorkerOptions, "mayGoBack" | "trees" | "tools"> {
  /** Serves the metrics of the engine's library at this port of loopback. */
  readonly metricsPort?: number
}

export interface HostWorkerOptions extends WorkerRequest {
  /** Whether to log the engine's warnings as well as its errors. */
  readonly logsEngine: boolean
}

/** Starts a worker of this process; closing the host stops it. */
export const startHostWorker = async (
  { env, loaded, closers, logger, redact, server, temporal, codec, store, engine, client }: OpenedHost,
  { startWorker, installRuntime, configuredSurroundings }: WorkerModules,
  { logsEngine, trees, tools, metricsPort, mayGoBack = true }: HostWorkerOptions,
): Promise<RunningWorker> => {
  const { config, dataDir } = loaded
  // The engine's warnings are about failed activities and runs, which the outcome describes better.
  installRuntime(logsEngine ? logger : logger.child({}, { level: "error" }), { metricsPort, env })
  const connection = await temporal.nativeConnection()
  const starting = startWorker({
    connection,
    namespace: server.namespace,
    codec,
    temporal: temporal.client,
    engine,
    liveness: livenessOf(server),
    machine: thisMachine(env, { isEmbedded: server.kind === "embedded" }),
    temporalUrl: createTemporalUrl(server),
    store,
    dataDir,
    ...configuredSurroundings(loaded, env),
    logger,
    redact,
    slots: config.worker,
    mayGoBack,
    shutdownGraceMs: config.timing.shutdownGraceMs,
    startScheduled: (due) => client.schedules.start(due),
    ...(trees === undefined ? {} : { trees }),
    ...(tools === undefined ? {} : { tools }),
  })
  // A signal can close the host while the worker starts, which uses the connection: the connection is closed after it has stopped.
  closers.add(async () => {
    const worker = await starting.catch(() => undefined)
    await worker?.stop()
  })
  const worker = await starting
  const hasSchedules = Object.keys(config.schedules).length > 0
  for (const { name, reason } of hasSchedules ? await client.schedules.ensure() : [])
    logger.error({ schedule: name }, `the schedule ${name} was not made: ${reason}`)
  return worker
}
