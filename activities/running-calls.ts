import { AsyncLocalStorage } from "node:async_hooks"
import { activityInfo, asyncLocalStorage, cancellationSignal } from "@temporalio/activity"

/** A call that runs in this process, for however many attempts wait for it. */
interface RunningCall {
  readonly controller: AbortController
  readonly result: Promise<unknown>
  /** Those that Temporal still waits for. */
  attempts: number
  /** Ends the call that no attempt waits for. */
  orphaned: NodeJS.Timeout | undefined
}

/** The calls of each worker, by the activity that made them. */
const callsOf = new WeakMap<object, Map<string, RunningCall>>()

const current = new AsyncLocalStorage<AbortSignal>()

/** Returns the signal that aborts when the running call is to stop: with its run, with its worker, or at its time limit. */
export const callSignal = (): AbortSignal => current.getStore() ?? cancellationSignal()

/** Runs part of a call under another signal. */
export const underSignal = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => current.run(signal, work)

/** Why an attempt is lost although its run and its worker continue: a machine slept, or was cut off from Temporal, or an operator did it. */
const losses: ReadonlySet<string> = new Set(["NOT_FOUND", "TIMED_OUT", "PAUSED", "RESET"])

const reasonOf = ({ reason }: AbortSignal): string => (reason instanceof Error ? reason.message : "")

/** The next attempt is scheduled by then. Where none comes here, the run has ended, or another worker has it. */
const orphanMs = 20_000

/** Notes that Temporal no longer waits for an attempt. The next one joins the call, soon or, once an operator lets it, at any time. */
const leave = (call: RunningCall, signal: AbortSignal): void => {
  call.attempts -= 1
  if (call.attempts > 0 || reasonOf(signal) === "PAUSED") return
  call.orphaned = setTimeout(() => call.controller.abort(signal.reason), orphanMs).unref()
}

/** Waits for a call as one attempt of its activity. */
const attend = async (call: RunningCall): Promise<unknown> => {
  const signal = cancellationSignal()
  let isLost = false
  const abort = (): void => {
    isLost = losses.has(reasonOf(signal))
    if (isLost) leave(call, signal)
    else call.controller.abort(signal.reason)
  }
  call.attempts += 1
  clearTimeout(call.orphaned)
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort, { once: true })
  try {
    return await call.result
  } finally {
    signal.removeEventListener("abort", abort)
    if (!isLost) call.attempts -= 1
  }
}

/**
 * Runs a call once in this process for all attempts of its activity: one that comes while an earlier one is at work joins it. A call stops with its run or its
 * worker, not because Temporal took the worker for lost. `begun` gets what stops the call, and returns a function that is called at its end.
 */
export const runJoined = async <Result>(
  owner: object,
  work: () => Promise<Result>,
  begun: (controller: AbortController) => () => void,
): Promise<Result> => {
  const { workflowExecution, activityId, activityType } = activityInfo()
  const key = `${activityType} ${activityId} ${workflowExecution?.runId ?? ""}`
  const calls = callsOf.get(owner) ?? new Map<string, RunningCall>()
  callsOf.set(owner, calls)
  const begin = (): RunningCall => {
    const controller = new AbortController()
    const end = begun(controller)
    const result = current.run(controller.signal, work).finally(() => {
      end()
      calls.delete(key)
      clearTimeout(call.orphaned)
    })
    const call: RunningCall = { controller, result, attempts: 0, orphaned: undefined }
    calls.set(key, call)
    return call
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- attempts of one activity call the same function
  return (await attend(calls.get(key) ?? begin())) as Result
}

/** Returns whether the caller is an activity that other attempts can join. */
export const isJoinable = (): boolean => {
  const info = asyncLocalStorage.getStore()?.info
  return info !== undefined && !info.isLocal
}
