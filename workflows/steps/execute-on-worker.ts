import { type ActivityOptions, workflowInfo } from "@temporalio/workflow"
import type { AgentActivities } from "../../activities/contract/agent-activities.ts"
import type { SessionState } from "../../domain/run/session-state.ts"
import { isNotPickedUp } from "../is-not-picked-up.ts"
import { activitiesOf } from "../activities-of.ts"

/**
 * Schedules an activity on the session's host queue where it has one, and offers it to the general queue and back in turn while nobody takes it
 * (docs/decisions/0002). Without a host queue it waits on the general one for as long as it takes.
 */
export const executeOnWorker = async <Result>(
  state: SessionState,
  offer: { readonly options: ActivityOptions; readonly summary: string; readonly offerMs: number },
  call: (activities: AgentActivities) => Promise<Result>,
): Promise<Result> => {
  let toHost = true
  for (;;) {
    const queue = state.hostQueue !== null && toHost ? state.hostQueue : workflowInfo().taskQueue
    const waits = state.hostQueue === null ? {} : { scheduleToStartTimeout: offer.offerMs }
    const options = { ...offer.options, ...waits, taskQueue: queue, summary: offer.summary }
    try {
      return await call(activitiesOf<AgentActivities>(options))
    } catch (error) {
      if (!isNotPickedUp(error)) throw error
      toHost = !toHost
    }
  }
}
