import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import type { TaskQueuePoller } from "./temporal-client.ts"
import { mayBeAlive } from "./worker-identity.ts"

/** `temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY` */
const activityQueue = 2

const lastSeenMs = ({ lastAccessTime }: TaskQueuePoller): number => {
  const seconds = Number(lastAccessTime?.seconds ?? 0)
  return seconds * 1_000 + (lastAccessTime?.nanos ?? 0) / 1e6
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
