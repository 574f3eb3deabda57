import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { machineQueueOf } from "../../domain/engine/engine-names.ts"
import { callEngine } from "../call-engine.ts"
import type { EngineContext } from "../engine-context.ts"
import { thisSystem } from "./this-system.ts"
import { mayBeRunning } from "./may-be-running.ts"
import type { TaskQueuePoller } from "../temporal-client.ts"

/** `temporal.api.enums.v1.TaskQueueType` */
const queueTypes = { workflow: 1, activity: 2 } as const

/** The parts of an engine's context that a look at its workers needs. */
export type PollerContext = Pick<EngineContext, "temporal" | "taskQueue" | "engine" | "timing">

const lastSeenMs = ({ lastAccessTime }: TaskQueuePoller): number => {
  const seconds = Number(lastAccessTime?.seconds ?? 0)
  return seconds * 1_000 + (lastAccessTime?.nanos ?? 0) / 1e6
}

/** Returns a name for a worker of this process that no other worker has ever had: `pid@host/system-random`. */
export const newWorkerIdentity = (): string =>
  `${process.pid}@${hostname()}/${[thisSystem() ?? [], randomUUID().slice(0, 8)].flat().join("-")}`

const ended = new Set<string>()

/** Notes that a worker of this process has ended: Temporal shows it for minutes, and the process is still running. */
export const noteEnd = (identity: string): void => void ended.add(identity)

/**
 * Returns whether the worker with this identity may be alive. A process of this machine can be checked; any other counts as alive.
 */
export const mayBeAlive = (identity: string): boolean => {
  const [, pid, host, system] = /^(\d+)@([^/]+)\/(?:(\w+)-)?\w+$/.exec(identity) ?? []
  if (ended.has(identity)) return false
  if (pid === undefined || host !== hostname() || system !== thisSystem()) return true
  return mayBeRunning(Number(pid))
}

/** Returns the workers that polled a queue, by default the main one, for tasks of this type within about a minute and may be alive. */
const livePollers = async (
  context: PollerContext,
  type: keyof typeof queueTypes,
  taskQueue = context.taskQueue,
): Promise<readonly TaskQueuePoller[]> => {
  const { temporal, timing } = context
  const { pollers } = await callEngine(context, () =>
    temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: queueTypes[type],
    }),
  )
  const since = Date.now() - timing.workerSeenMs
  return pollers.filter((poller) => lastSeenMs(poller) >= since && mayBeAlive(poller.identity ?? ""))
}

/** Returns whether a live worker executes the activities of any session. */
export const hasWorker = async (context: PollerContext): Promise<boolean> =>
  (await livePollers(context, "activity")).length > 0

/** Returns whether a live worker executes the activities of the sessions of a machine. */
export const hasWorkerOnMachine = async (context: PollerContext, machine: string): Promise<boolean> =>
  (await livePollers(context, "activity", machineQueueOf(context.taskQueue, machine))).length > 0
