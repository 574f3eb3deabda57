import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import type { TaskQueuePoller } from "./temporal-client.ts"

/** `temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY` */
const activityQueue = 2

const lastSeenMs = ({ lastAccessTime }: TaskQueuePoller): number => {
  const seconds = Number(lastAccessTime?.seconds ?? 0)
  return seconds * 1_000 + (lastAccessTime?.nanos ?? 0) / 1e6
}

/** Returns a name for a worker of this process that no other worker has ever had: `pid@host/random`. */
export const newWorkerIdentity = (): string => `${process.pid}@${hostname()}/${randomUUID().slice(0, 8)}`

/**
 * Returns whether the worker with this identity may be alive. A process of this machine can be checked, also by the SDK's default identity `pid@host`
 * that earlier versions used; any other counts as alive.
 */
export const mayBeAlive = (identity: string): boolean => {
  const [, pid, host] = /^(\d+)@([^/]+)(?:\/.*)?$/.exec(identity) ?? []
  if (pid === undefined || host !== hostname()) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Returns whether a live worker executes the activities of any session: one that polled the main queue within about a minute. */
export const hasWorker = async (context: EngineContext): Promise<boolean> => {
  const { temporal, taskQueue, timing } = context
  const { pollers } = await callEngine(context, () =>
    temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: activityQueue,
    }),
  )
  const since = Date.now() - timing.workerSeenMs
  return pollers.some((poller) => lastSeenMs(poller) >= since && mayBeAlive(poller.identity ?? ""))
}
