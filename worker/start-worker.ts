import { type NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { createActivities } from "../activities/index.ts"
import { taskQueueOf, workspaceQueueOf } from "../domain/engine/engine-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import { createDependencies, type WorkerDependencies, type WorkerSurroundings } from "./create-dependencies.ts"
import { ensureReconcileSchedule, triggerReconciler } from "../engine/reconcile-schedule.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import { newWorkerIdentity } from "../engine/has-worker.ts"
import { registerWorker } from "./register-worker.ts"
import { installRuntime } from "./runtime.ts"
import { type EngineWatch, watchEngine } from "./watch-engine.ts"
import { watchTerminations } from "./watch-terminations.ts"
import { buildIdOf, payloadConverterPath, workflowBundle } from "./workflow-bundle.ts"

export interface StartWorkerOptions extends WorkerSurroundings {
  readonly connection: NativeConnection
  readonly namespace: string
  /** How long a stop lets activities in flight finish before they are cancelled; default 30 s. */
  readonly shutdownGraceMs?: number
  /** How often the reconciler runs, at least 1; default `timing.reconcileSeconds`. */
  readonly reconcileEverySeconds?: number
  /** False: no pass of the reconciler when this worker starts. */
  readonly reconcilesAtStart?: boolean
  readonly maxCachedWorkflows?: number
}

export interface RunningWorker {
  readonly hostQueue: string | undefined
  /** Stops accepting work, lets work in flight finish within the grace time, and ends. */
  stop(): Promise<void>
  /** Rejects when the worker fails by itself. */
  readonly failed: Promise<never>
}

const defaultGraceMs = 30_000
const maxActivities = 100
const maxLocalActivities = 100

/**
 * What each liveness profile sets of the engine's library (docs/decisions/0013). `embedded`: a cancel reaches a call with its next heartbeat, and a
 * session whose worker was killed moves soon. `cluster`: its defaults, except that 48 s between two heartbeats would leave a stall less than 15 s of
 * the timeout.
 */
const profileOptions: Readonly<Record<Liveness, Partial<WorkerOptions>>> = {
  embedded: {
    stickyQueueScheduleToStartTimeout: "1s",
    maxHeartbeatThrottleInterval: "1s",
    defaultHeartbeatThrottleInterval: "1s",
  },
  cluster: { maxHeartbeatThrottleInterval: "40s" },
}

/** The throttle delays heartbeats to 80 % of their timeout at most: a timeout of the configuration needs a shorter one than that of its profile. */
const optionsFor = ({ liveness, timing }: Pick<WorkerDependencies, "liveness" | "timing">): Partial<WorkerOptions> => {
  const { heartbeatTimeoutMs } = timing
  if (liveness === "embedded" || heartbeatTimeoutMs === 0) return profileOptions[liveness]
  return { maxHeartbeatThrottleInterval: Math.ceil(Math.min(40_000, heartbeatTimeoutMs / 4)) }
}

const run = (workers: readonly Worker[], watch: EngineWatch, close: () => Promise<void>) => {
  const ends = workers.map((worker) => worker.run())
  const failed = new Promise<never>((_, reject) => {
    for (const end of [...ends, watch.failed]) end.catch(reject)
  })
  failed.catch(() => undefined)
  const stop = async (): Promise<void> => {
    watch.stop()
    for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown()
    await Promise.allSettled(ends)
    await close()
  }
  return { failed, stop }
}

const watchEveryMs = 60_000

/** Sets up the reconciler's schedule, and starts a pass now and whenever one is needed. Returns what ends that. */
const superviseReconciler = async (
  { temporal, logger, reconcileEverySeconds, reconcilesAtStart = true }: StartWorkerOptions,
  { store, engine, timing }: WorkerDependencies,
  taskQueue: string,
): Promise<() => void> => {
  const everySeconds = reconcileEverySeconds ?? timing.reconcileSeconds
  await ensureReconcileSchedule({ temporal, taskQueue, everySeconds })
  await engine.learnSchedule()
  if (reconcilesAtStart) await triggerReconciler(temporal, taskQueue)
  const { missingConfirmMs } = timing
  const everyMs = Math.min(watchEveryMs, everySeconds * 1_000)
  return watchTerminations({ temporal, store, taskQueue, missingConfirmMs, everyMs, logger })
}

/**
 * Starts the worker of this process: workflows of the store's queue, and the activities that it may take.
 * @throws AdjutantError `engine_mismatch` where the store belongs to another engine, `temporal_unavailable`
 */
export const startWorker = async (options: StartWorkerOptions): Promise<RunningWorker> => {
  installRuntime(options.logger)
  const taskQueue = taskQueueOf(options.store.storeId)
  const hostQueue = options.hostFor === undefined ? undefined : workspaceQueueOf(taskQueue, `run-${options.hostFor}`)
  const dependencies = createDependencies(options)
  const { engine, liveness } = dependencies
  const identity = newWorkerIdentity()
  await engine.verify()
  const bundle = await workflowBundle(options.env)
  const common = {
    connection: options.connection,
    namespace: options.namespace,
    activities: createActivities(dependencies),
    dataConverter: { payloadConverterPath },
    buildId: await buildIdOf(bundle),
    shutdownGraceTime: options.shutdownGraceMs ?? defaultGraceMs,
    maxConcurrentActivityTaskExecutions: maxActivities,
    identity,
    ...optionsFor(dependencies),
  }
  const main = {
    ...common,
    taskQueue,
    workflowBundle: bundle,
    maxConcurrentLocalActivityExecutions: maxLocalActivities,
    enableNonLocalActivities: hostQueue === undefined,
    ...(options.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: options.maxCachedWorkflows }),
  }
  const unregister = liveness === "embedded" ? await registerWorker(options, identity) : undefined
  let workers: readonly Worker[]
  try {
    workers = await Promise.all([
      Worker.create(main),
      ...(hostQueue === undefined ? [] : [Worker.create({ ...common, taskQueue: hostQueue })]),
    ])
  } catch (error) {
    await unregister?.()
    throw new AdjutantError("temporal_unavailable", `the worker could not start: ${errorMessage(error)}`, {
      cause: error,
    })
  }
  const watch = watchEngine({ engine, timing: dependencies.timing, logger: options.logger })
  let endReconciler = (): void => undefined
  const running = run(workers, watch, async () => {
    endReconciler()
    await unregister?.()
    await dependencies.close()
  })
  try {
    if (hostQueue === undefined) endReconciler = await superviseReconciler(options, dependencies, taskQueue)
  } catch (error) {
    await running.stop()
    throw error
  }
  return { hostQueue, ...running }
}
