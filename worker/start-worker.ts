import { type NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker"
import type { PayloadCodec } from "@temporalio/common"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { machineQueueOf, taskQueueOf } from "../domain/engine/engine-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import { createDependencies, type WorkerDependencies, type WorkerSurroundings } from "./create-dependencies.ts"
import { ensureReconcileSchedule, triggerReconciler } from "../engine/reconcile-schedule.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import { newWorkerIdentity, noteEnd } from "../engine/workers/has-worker.ts"
import { repeat } from "./repeat.ts"
import { refuseOlderBuild } from "./polling/refuse-older-build.ts"
import { registerWorker } from "./registration/register-worker.ts"
import { installRuntime } from "./runtime.ts"
import { serveMachine } from "./polling/serve-machine.ts"
import { watchEngine } from "./watch-engine.ts"
import { watchTerminations } from "./watch-terminations.ts"
import { activitiesByTree, type WorkerTrees } from "./trees/activities-by-tree.ts"
import { type Generation, pollTasks, type TaskPolling } from "./polling/task-polling.ts"
import {
  buildOf,
  encodingFailureConverterPath,
  payloadConverterPath,
  withEncodedFailures,
  workflowBundle,
} from "./workflow-bundle.ts"

export interface StartWorkerOptions extends WorkerSurroundings {
  readonly connection: NativeConnection
  readonly namespace: string
  /** Encrypts what Temporal stores; the client of the same process has the same one. Default: nothing is encrypted. */
  readonly codec?: PayloadCodec | undefined
  /** How long a stop lets activities in flight finish before they are cancelled; default 30 s. */
  readonly shutdownGraceMs?: number
  /** How often the reconciler runs, at least 1; default `timing.reconcileSeconds`. */
  readonly reconcileEverySeconds?: number
  /** False: no pass of the reconciler when this worker starts. */
  readonly reconcilesAtStart?: boolean
  readonly maxCachedWorkflows?: number
  /** False: it does not execute workflows that a later build has executed; default true. */
  readonly mayGoBack?: boolean
  /** Trees whose commands brought an environment and a configuration of their own; default none. */
  readonly trees?: WorkerTrees
}

export interface RunningWorker {
  /** The name by which Temporal knows it. */
  readonly identity: string
  /** Lets no further call begin. Resolves when those in flight have ended, however long that takes. */
  drain(): Promise<void>
  /** Stops accepting work, lets work in flight finish within the grace time, and ends. */
  stop(): Promise<void>
  /** Rejects when the worker fails by itself. */
  readonly failed: Promise<never>
}

const defaultGraceMs = 30_000
/** Activities that a worker takes besides calls in slots: calls that wait for one, programs of whole runs, hooks, previews. Others wait in the queue of the engine. */
const furtherActivities = 1_000
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

const create = async (options: WorkerOptions): Promise<Worker> => {
  try {
    return await Worker.create(options)
  } catch (error) {
    throw new AdjutantError("temporal_unavailable", `the worker could not start: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

const firstFailureOf = (parts: readonly Pick<TaskPolling, "failed">[]): Promise<never> => {
  const failed = new Promise<never>((_, reject) => {
    for (const part of parts) part.failed.catch(reject)
  })
  failed.catch(() => undefined)
  return failed
}

/** Writes the markers by which an older copy of the engine is recognised; the watch of the engine reports one that is found. Returns what ends that. */
const markEngine = ({ engine, timing: { engineMarkMs }, logger }: WorkerDependencies): (() => void) =>
  repeat(async () => {
    try {
      await engine.mark(engineMarkMs)
    } catch (error) {
      logger.debug({ err: error }, "no marker could be written to Temporal; trying again")
    }
  }, engineMarkMs)

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

/** How often a worker checks whether it has lost its connection, which costs no request. */
const lookEveryMs = 250
const continuityTimeoutMs = 5_000

/** Calls reach the queue of the machine only in a store whose workers have different machines: two polls are enough. */
const machinePolls = 2

const workerOptions = async (
  options: StartWorkerOptions,
  dependencies: WorkerDependencies,
  { taskQueue, identity }: { readonly taskQueue: string; readonly identity: string },
) => {
  const { codec } = options
  const bundle = await workflowBundle(options.env)
  const build = await buildOf(bundle)
  const { modelCalls, tools } = dependencies.slots.counts
  const common: Omit<WorkerOptions, "taskQueue"> = {
    connection: options.connection,
    namespace: options.namespace,
    activities: activitiesByTree(options, dependencies),
    dataConverter:
      codec === undefined
        ? { payloadConverterPath }
        : { payloadConverterPath, payloadCodecs: [codec], failureConverterPath: encodingFailureConverterPath },
    buildId: build.buildId,
    shutdownGraceTime: options.shutdownGraceMs ?? defaultGraceMs,
    maxConcurrentActivityTaskExecutions: modelCalls + tools + furtherActivities,
    identity,
    ...optionsFor(dependencies),
  }
  const main: WorkerOptions = {
    ...common,
    taskQueue,
    workflowBundle: codec === undefined ? bundle : await withEncodedFailures(bundle),
    maxConcurrentLocalActivityExecutions: maxLocalActivities,
    ...(options.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: options.maxCachedWorkflows }),
  }
  const machineQueue = machineQueueOf(taskQueue, dependencies.machine.name)
  return {
    build,
    main,
    machine: { ...common, taskQueue: machineQueue, maxConcurrentActivityTaskPolls: machinePolls },
  }
}

/** Starts to poll for the store's tasks, and for the calls that are left to this machine. */
const startParts = async (
  { store, logger, mayGoBack = true }: StartWorkerOptions,
  { engine }: WorkerDependencies,
  { build, main, machine }: Awaited<ReturnType<typeof workerOptions>>,
  parts: TaskPolling[],
): Promise<void> => {
  // A worker keeps the state of workflows in memory. If it got a task of an older copy of the engine, that state is not the one of the engine's history.
  const poll = (options: WorkerOptions, generation: () => Promise<Generation>): Promise<TaskPolling> =>
    pollTasks({ create: () => create(options), generation, everyMs: lookEveryMs, logger })
  const continuity = () => engine.continuity(continuityTimeoutMs)
  if (!mayGoBack) refuseOlderBuild(build, await store.build.read())
  await store.build.write(build)
  parts.push(await poll(main, continuity))
  parts.push(await poll(machine, continuity))
}

/**
 * Starts the worker of this process: workflows of the store's queue, and the activities that it may take.
 * @throws AdjutantError `engine_mismatch` where the store belongs to another engine, `temporal_unavailable`; `no_worker` where a later build has executed
 * the workflows, and this one may not go back
 */
export const startWorker = async (options: StartWorkerOptions): Promise<RunningWorker> => {
  installRuntime(options.logger)
  const taskQueue = taskQueueOf(options.store.storeId)
  const dependencies = createDependencies(options)
  const { engine, liveness, timing } = dependencies
  const identity = newWorkerIdentity()
  await engine.verify()
  const workers = await workerOptions(options, dependencies, { taskQueue, identity })
  const unregister = liveness === "embedded" ? await registerWorker(options, identity) : undefined
  const watch = watchEngine({ engine, timing, logger: options.logger })
  const endMarkers = markEngine(dependencies)
  const endNotes = await serveMachine(dependencies, options.logger)
  const parts: TaskPolling[] = []
  let endReconciler = (): void => undefined
  const stop = async (): Promise<void> => {
    watch.stop()
    endMarkers()
    endNotes()
    dependencies.slots.end()
    await Promise.all(parts.map((part) => part.stop()))
    noteEnd(identity)
    endReconciler()
    await unregister?.()
    await dependencies.close()
  }
  try {
    await startParts(options, dependencies, workers, parts)
    endReconciler = await superviseReconciler(options, dependencies, taskQueue)
  } catch (error) {
    await stop()
    throw error
  }
  return { identity, failed: firstFailureOf([...parts, watch]), stop, drain: dependencies.slots.drain }
}
