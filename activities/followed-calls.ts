import { activityInfo, CancelledFailure } from "@temporalio/activity"
import { stoppedResult } from "../domain/calls/stopped-result.ts"
import type { StopRequests } from "../store/store.ts"
import { callSignal, isJoinable, runJoined, underSignal } from "./running-calls.ts"

/** Follows the store's stop requests for the calls that run in this process, with one query for all of them. */
export interface StopFollower {
  /** Aborts the controller when a stop with this key is requested. Returns a function that ends this. */
  follow(key: string, controller: AbortController): () => void
}

/** Returns a name for the run of one execution: a reset continues the same run in a new one, whose calls must not stop for the earlier cancel. */
export const stopKey = (runId: string): string => `${runId} ${activityInfo().workflowExecution?.runId ?? ""}`

/** Why a call stops whose run has a stop request. */
const stopped = "STOPPED"

const lookEveryMs = 500

export const createStopFollower = (
  requests: Pick<StopRequests, "among">,
  onFailure: (error: unknown) => void,
): StopFollower => {
  const calls = new Map<AbortController, string>()
  let timer: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    const requested = new Set(await requests.among([...new Set(calls.values())]))
    for (const [controller, key] of calls) if (requested.has(key)) controller.abort(new CancelledFailure(stopped))
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

/** The reasons of a cancel: by the engine, or by a row of the store. */
const cancels: ReadonlySet<string> = new Set(["CANCELLED", stopped])

/** Returns whether a call was stopped because its run is to stop, and not because its worker is, or for another reason. */
export const isCancel = ({ reason }: AbortSignal): boolean =>
  reason instanceof CancelledFailure && cancels.has(reason.message)

/** Returns true when the call stops because its run was cancelled, and false when its worker stops. */
export const isRunStopped = (): boolean => isCancel(callSignal())

/** The call has taken as long as it may. */
class TimeLimit extends Error {
  readonly limitMs: number

  constructor(limitMs: number) {
    super(`the call has reached its time limit of ${limitMs / 1_000} s`)
    this.limitMs = limitMs
  }
}

/** Returns the limit that a call has reached, in milliseconds; undefined where it has not. */
export const limitReached = ({ reason }: AbortSignal): number | undefined =>
  reason instanceof TimeLimit ? reason.limitMs : undefined

/** Runs a call for no longer than its limit, by a clock that stops while the machine sleeps. */
export const withinLimit = async <T>(limitMs: number, work: () => Promise<T>): Promise<T> => {
  if (!isJoinable()) return await work()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new TimeLimit(limitMs)), limitMs)
  try {
    return await underSignal(AbortSignal.any([callSignal(), controller.signal]), work)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A cancel that the store has requested and the engine has not reported would fail the activity, and the engine would try it again: the call returns data
 * instead, which the workflow takes for the cancel.
 */
const stoppable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    const { reason } = callSignal()
    if (!(error instanceof CancelledFailure && reason instanceof CancelledFailure && reason.message === stopped))
      throw error
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the workflow looks for it before it looks at any result
    return stoppedResult as Result
  }
}

/** Runs a model call, a tool or a hook until its run is to stop. */
export const followCall = async <Result>(
  deps: { readonly stops: StopFollower | undefined },
  { runId }: { readonly runId: string },
  work: () => Promise<Result>,
): Promise<Result> =>
  isJoinable()
    ? await runJoined(
        deps,
        () => stoppable(work),
        (controller) => deps.stops?.follow(stopKey(runId), controller) ?? (() => undefined),
      )
    : await work()
