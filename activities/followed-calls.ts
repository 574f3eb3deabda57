import { AsyncLocalStorage } from "node:async_hooks"
import { activityInfo, cancellationDetails, cancellationSignal, CancelledFailure } from "@temporalio/activity"
import { stoppedResult } from "../domain/run/stopped-result.ts"
import type { StopRequests } from "../store/store.ts"

/** Follows the store's stop requests for the calls that run in this process, with one query for all of them. */
export interface StopFollower {
  /** Aborts the controller when a stop with this key is requested. Returns a function that ends this. */
  follow(key: string, controller: AbortController): () => void
}

/** Returns a name for the run of one execution: a reset continues the same run in a new one, whose calls must not stop for the earlier cancel. */
export const stopKey = (runId: string): string => `${runId} ${activityInfo().workflowExecution?.runId ?? ""}`

const lookEveryMs = 500

export const createStopFollower = (
  requests: Pick<StopRequests, "among">,
  onFailure: (error: unknown) => void,
): StopFollower => {
  const calls = new Map<AbortController, string>()
  let timer: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    const stopped = new Set(await requests.among([...new Set(calls.values())]))
    for (const [controller, key] of calls) if (stopped.has(key)) controller.abort(new CancelledFailure("STOPPED"))
  }
  const lookLater = (): void => {
    timer ??= setTimeout(() => {
      void look()
        .catch(onFailure)
        .finally(() => {
          timer = undefined
          if (calls.size > 0) lookLater()
        })
    }, lookEveryMs)
  }

  return {
    follow(key, controller) {
      calls.set(controller, key)
      lookLater()
      return () => void calls.delete(controller)
    },
  }
}

const current = new AsyncLocalStorage<AbortSignal>()

/** Returns the signal that aborts when the engine or the store requests that the call stops. */
export const callSignal = (): AbortSignal => {
  const stop = current.getStore()
  return stop === undefined ? cancellationSignal() : AbortSignal.any([cancellationSignal(), stop])
}

/** Returns true when the call stops because its run was cancelled, and false when its worker stops. */
export const isRunStopped = (): boolean =>
  cancellationDetails()?.cancelRequested === true || current.getStore()?.aborted === true

/** A call and the run that it belongs to. */
interface FollowedCall<Result> {
  readonly runId: string
  work(): Promise<Result>
}

/**
 * Runs a call that the store's stop requests can end. A cancel that the engine has not reported would fail the activity, and the engine would try it
 * again: the call returns data instead, which the workflow takes for the cancel.
 */
const stoppable = async <Result>(stops: StopFollower, { runId, work }: FollowedCall<Result>): Promise<Result> => {
  const controller = new AbortController()
  const leave = stops.follow(stopKey(runId), controller)
  try {
    return await current.run(controller.signal, work)
  } catch (error) {
    if (!(error instanceof CancelledFailure) || !controller.signal.aborted || cancellationSignal().aborted) throw error
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the workflow looks for it before it looks at any result
    return stoppedResult as Result
  } finally {
    leave()
  }
}

/** Runs a model call, a tool or a hook until its run is to stop. */
export const runCall = <Result>(
  { stops }: { readonly stops: StopFollower | undefined },
  { runId }: { readonly runId: string },
  work: () => Promise<Result>,
): Promise<Result> => (stops === undefined || activityInfo().isLocal ? work() : stoppable(stops, { runId, work }))
