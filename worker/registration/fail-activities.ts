import { type Client, WorkflowNotFoundError } from "@temporalio/client"
import { isNotFound } from "../../engine/translate-temporal-error.ts"

/** States of a pending activity, as the engine numbers them. */
const started = 2
const cancelRequested = 3

/**
 * Answers for calls of workers that have died. The engine tries them again as if their heartbeats had stopped, only sooner. Returns false if the call
 * ended meanwhile.
 */
const answerForDead = async (
  temporal: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  activity: { readonly activityId: string; readonly state: number; readonly identity: string },
): Promise<boolean> => {
  const { activityId, state, identity } = activity
  const call = { namespace: temporal.options.namespace, ...execution, activityId, identity }
  const failure = {
    message: "the worker's process has ended",
    source: "Adjutant",
    applicationFailureInfo: { type: "worker_died", nonRetryable: false },
  }
  try {
    if (state === cancelRequested) await temporal.workflowService.respondActivityTaskCanceledById(call)
    else await temporal.workflowService.respondActivityTaskFailedById({ ...call, failure })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/**
 * Lets any worker take the next task of a workflow. Otherwise the engine offers it to the worker that executed the last one, and waits for that one first.
 */
const forgetLastWorker = async (
  temporal: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<void> => {
  const { namespace } = temporal.options
  try {
    await temporal.workflowService.resetStickyTaskQueue({ namespace, execution })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Fails the activities of a workflow that the workers of these identities were running. Returns how many there were. */
export const failActivities = async (
  temporal: Client,
  workflowId: string,
  identities: ReadonlySet<string>,
): Promise<number> => {
  try {
    const { runId, raw } = await temporal.workflow.getHandle(workflowId).describe()
    let failed = 0
    for (const { activityId, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
      const identity = lastWorkerIdentity ?? ""
      if (!identities.has(identity) || (state !== started && state !== cancelRequested)) continue
      if (failed === 0) await forgetLastWorker(temporal, { workflowId, runId })
      const activity = { activityId: activityId ?? "", state, identity }
      if (await answerForDead(temporal, { workflowId, runId }, activity)) failed += 1
    }
    return failed
  } catch (error) {
    // It ended meanwhile.
    if (error instanceof WorkflowNotFoundError) return 0
    throw error
  }
}
