import { type ActivityOptions, CancellationScope, CancelledFailure, patched, workflowInfo } from "@temporalio/workflow"
import type { AgentActivities } from "../../activities/contract/agent-activities.ts"
import { isStoppedResult } from "../../domain/run/stopped-result.ts"
import type { SessionContext } from "../agent/session-context.ts"
import { isHistoryFull } from "../is-history-long.ts"
import { isNotPickedUp } from "../is-not-picked-up.ts"
import { activitiesOf } from "../activities-of.ts"
import { record } from "../record-activities.ts"

/** Once per run, whichever of its calls are running. */
const requestStop = async (context: SessionContext): Promise<void> => {
  const { run_id: runId } = context.state.run.reference
  if (context.stoppedRun === runId || !patched("stop-requests")) return
  context.stoppedRun = runId
  await CancellationScope.nonCancellable(() => record.requestStop({ runId })).catch(() => undefined)
}

/**
 * Asks the store to stop the call when the run is cancelled, where heartbeats are too rare to carry that. A call that stopped for it returns data, which
 * counts as the cancel.
 */
const stopOnCancel = async <Result>(context: SessionContext, call: () => Promise<Result>): Promise<Result> => {
  if (context.settings?.followsStops !== true) return await call()
  const scope = CancellationScope.current()
  let isRunning = true
  scope.cancelRequested.catch(() => {
    if (isRunning && scope.consideredCancelled) void requestStop(context)
  })
  try {
    const result = await call()
    if (isStoppedResult(result)) throw new CancelledFailure("the call was stopped with its run")
    return result
  } finally {
    isRunning = false
  }
}

/** Offers whose waits double up to twelve times the first one, a minute with the defaults; then come offers of an hour. */
const shortOffers = 100
const longestShort = 12
const longest = 720

const offerMsOf = (offerMs: number, offers: number): number =>
  offerMs * (offers < shortOffers ? Math.min(2 ** Math.min(offers, longestShort), longestShort) : longest)

/**
 * Schedules an activity on the session's host queue where it has one, and offers it to the general queue and back in turn while no worker takes it
 * (docs/decisions/0002), each time for longer. Without a host queue, and once the history is full, it waits on the general one for as long as it takes.
 */
export const executeOnWorker = async <Result>(
  context: SessionContext,
  offer: { readonly options: ActivityOptions; readonly summary: string; readonly offerMs: number },
  call: (activities: AgentActivities) => Promise<Result>,
): Promise<Result> => {
  const { state } = context
  for (let offers = 0; ; offers += 1) {
    const toHost = offers % 2 === 0
    const isLast = state.hostQueue === null || (offers >= shortOffers && isHistoryFull(undefined))
    const queue = state.hostQueue !== null && toHost && !isLast ? state.hostQueue : workflowInfo().taskQueue
    const waits = isLast ? {} : { scheduleToStartTimeout: offerMsOf(offer.offerMs, offers) }
    const options = { ...offer.options, ...waits, taskQueue: queue, summary: offer.summary }
    try {
      return await stopOnCancel(context, () => call(activitiesOf<AgentActivities>(options)))
    } catch (error) {
      if (!isNotPickedUp(error)) throw error
    }
  }
}
