import { type NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { createActivities } from "../activities/index.ts"
import { taskQueueOf, workspaceQueueOf } from "../domain/engine/engine-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import { createDependencies, type WorkerDependencies, type WorkerSurroundings } from "./create-dependencies.ts"
import { ensureReconcileSchedule, triggerReconciler } from "../engine/reconcile-schedule.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import { newWorkerIdentity, noteEnd } from "../engine/workers/has-worker.ts"
import { registerWorker } from "./register-worker.ts"
import { installRuntime } from "./runtime.ts"
import { defaultClientTiming } from "../sessions/sessions-timing.ts"
import { standIn } from "./polling/stand-in.ts"
import { watchEngine } from "./watch-engine.ts"
import { watchTerminations } from "./watch-terminations.ts"
import { pollWorkflows, type WorkflowPolling } from "./polling/workflow-polling.ts"
import { buildOf, payloadConverterPath, workflowBundle } from "./workflow-bundle.ts"

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
  /** The name by which Temporal knows it. */
  readonly identity: string
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

/** A part of the worker that runs. */
type Part = Pick<WorkflowPolling, "failed" | "stop">

const create = async (options: WorkerOptions): Promise<Worker> => {
  try {
    return await Worker.create(options)
  } catch (error) {
    throw new AdjutantError("temporal_unavailable", `the worker could not start: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

const run = (worker: Worker): Part => {
  const ended = worker.run()
  const failed = new Promise<never>((_, reject) => {
    ended.catch(reject)
  })
  failed.catch(() => undefined)
  const stop = async (): Promise<void> => {
    if (worker.getState() === "RUNNING") worker.shutdown()
    await Promise.allSettled([ended])
  }
  return { failed, stop }
}

const firstFailureOf = (parts: readonly Pick<Part, "failed">[]): Promise<never> => {
  const failed = new Promise<never>((_, reject) => {
    for (const part of parts) part.failed.catch(reject)
  })
  failed.catch(() => undefined)
  return failed
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

/** How often a worker of `adjutant run` looks whether it is to execute workflow tasks. */
const lookEveryMs: Readonly<Record<Liveness, number>> = { embedded: 1_000, cluster: 5_000 }

interface Queues {
  readonly taskQueue: string
  readonly hostQueue: string | undefined
}

const workerOptions = async (
  options: StartWorkerOptions,
  dependencies: WorkerDependencies,
  { taskQueue, hostQueue, identity }: Queues & { readonly identity: string },
) => {
  const bundle = await workflowBundle(options.env)
  const build = await buildOf(bundle)
  const common: Omit<WorkerOptions, "taskQueue"> = {
    connection: options.connection,
    namespace: options.namespace,
    activities: createActivities(dependencies),
    dataConverter: { payloadConverterPath },
    buildId: build.buildId,
    shutdownGraceTime: options.shutdownGraceMs ?? defaultGraceMs,
    maxConcurrentActivityTaskExecutions: maxActivities,
    identity,
    ...optionsFor(dependencies),
  }
  const main: WorkerOptions = {
    ...common,
    taskQueue,
    workflowBundle: bundle,
    maxConcurrentLocalActivityExecutions: maxLocalActivities,
    enableNonLocalActivities: hostQueue === undefined,
    ...(options.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: options.maxCachedWorkflows }),
  }
  return { build, main, host: hostQueue === undefined ? undefined : { ...common, taskQueue: hostQueue } }
}

/** Starts to poll: all of the store's tasks, or those of one tree and, while nobody else executes them, the workflow tasks. */
const startParts = async (
  { temporal, store, logger }: StartWorkerOptions,
  { engine, liveness }: WorkerDependencies,
  { build, main, host }: Awaited<ReturnType<typeof workerOptions>>,
  parts: Part[],
): Promise<void> => {
  if (host === undefined) {
    await store.build.write(build)
    parts.push(run(await create(main)))
    return
  }
  const context = { temporal, taskQueue: main.taskQueue, engine, timing: defaultClientTiming }
  const shouldPoll = standIn({ engine: context, store, build, logger })
  const everyMs = lookEveryMs[liveness]
  const starting = await Promise.allSettled([
    create(host).then(run),
    pollWorkflows({ create: () => create(main), shouldPoll, everyMs, logger }),
  ])
  for (const start of starting) if (start.status === "fulfilled") parts.push(start.value)
  for (const start of starting) if (start.status === "rejected") throw start.reason
}

/**
 * Starts the worker of this process: workflows of the store's queue, and the activities that it may take.
 * @throws AdjutantError `engine_mismatch` where the store belongs to another engine, `temporal_unavailable`; `no_worker` where a worker for one tree
 * would have to execute workflows of a later version
 */
export const startWorker = async (options: StartWorkerOptions): Promise<RunningWorker> => {
  installRuntime(options.logger)
  const taskQueue = taskQueueOf(options.store.storeId)
  const hostQueue = options.hostFor === undefined ? undefined : workspaceQueueOf(taskQueue, `run-${options.hostFor}`)
  const dependencies = createDependencies(options)
  const { engine, liveness, timing } = dependencies
  const identity = newWorkerIdentity()
  await engine.verify()
  const workers = await workerOptions(options, dependencies, { taskQueue, hostQueue, identity })
  const unregister = liveness === "embedded" ? await registerWorker(options, identity) : undefined
  const watch = watchEngine({ engine, timing, logger: options.logger })
  const parts: Part[] = []
  let endReconciler = (): void => undefined
  const stop = async (): Promise<void> => {
    watch.stop()
    await Promise.all(parts.map((part) => part.stop()))
    noteEnd(identity)
    endReconciler()
    await unregister?.()
    await dependencies.close()
  }
  try {
    await startParts(options, dependencies, workers, parts)
    if (hostQueue === undefined) endReconciler = await superviseReconciler(options, dependencies, taskQueue)
  } catch (error) {
    await stop()
    throw error
  }
  return { hostQueue, identity, failed: firstFailureOf([...parts, watch]), stop }
}
