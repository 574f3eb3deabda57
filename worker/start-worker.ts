import { type NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker"
import type { PayloadCodec } from "@temporalio/common"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { machineQueueOf, taskQueueOf } from "../domain/engine/engine-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import { createDependencies, type WorkerDependencies, type WorkerSurroundings } from "./create-dependencies.ts"
import { ensureReconcileSchedule, triggerReconciler } from "../engine/reconcile-schedule.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import { newWorkerIdentity, noteEnd } from "../engine/workers/has-worker.ts"
import { refuseOlderBuild } from "./polling/refuse-older-build.ts"
import { registerWorker } from "./registration/register-worker.ts"
import { installRuntime } from "./runtime.ts"
import { serveMachine } from "./polling/serve-machine.ts"
import { watchEngine } from "./polling/watch-engine.ts"
import { watchTerminations } from "./polling/watch-terminations.ts"
import { activitiesByTree, type WorkerTrees } from "./trees/activities-by-tree.ts"
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
  /** How often the reconciler runs, at least 1; default: every 15 minutes. */
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
/**
 * How many activities a worker takes besides the calls in slots: calls that wait for a slot, runs of one program, hooks, previews. More wait in Temporal's
 * queue.
 */
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

/**
 * Returns the profile's options. The library sends a heartbeat after 80 % of its timeout at the latest, so a shorter `timing.heartbeatTimeoutMs` needs a
 * shorter throttle.
 */
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

/** A worker of the engine's library that runs. */
interface Part {
  /** Rejects when it fails by itself. */
  readonly failed: Promise<never>
  /** Stops it; it completes its tasks first. */
  stop(): Promise<void>
}

const startPart = async (options: WorkerOptions): Promise<Part> => {
  const worker = await create(options)
  const ended = worker.run()
  const failed = new Promise<never>((_, reject) => void ended.catch(reject))
  failed.catch(() => undefined)
  return {
    failed,
    stop: async () => {
      if (worker.getState() === "RUNNING") worker.shutdown()
      await Promise.allSettled([ended])
    },
  }
}

const watchEveryMs = 60_000

/** Sets up the reconciler's schedule, and starts a pass now and whenever one is needed. Returns a function that ends this. */
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

/** The queue of the machine gets calls only if the workers of the store run on several machines. Two polls are enough. */
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
  { store, mayGoBack = true }: StartWorkerOptions,
  { build, main, machine }: Awaited<ReturnType<typeof workerOptions>>,
  parts: Part[],
): Promise<void> => {
  if (!mayGoBack) refuseOlderBuild(build, await store.build.read())
  await store.build.write(build)
  parts.push(await startPart(main))
  parts.push(await startPart(machine))
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
  const endNotes = await serveMachine(dependencies, options.logger)
  const parts: Part[] = []
  let endReconciler = (): void => undefined
  const stop = async (): Promise<void> => {
    watch.stop()
    endNotes()
    dependencies.slots.end()
    await Promise.all(parts.map((part) => part.stop()))
    noteEnd(identity)
    endReconciler()
    await unregister?.()
    await dependencies.close()
  }
  try {
    await startParts(options, workers, parts)
    endReconciler = await superviseReconciler(options, dependencies, taskQueue)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    identity,
    failed: Promise.race([...parts, watch].map(({ failed }) => failed)),
    stop,
    drain: dependencies.slots.drain,
  }
}
