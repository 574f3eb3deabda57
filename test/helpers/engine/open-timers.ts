import type { WorkflowHandle } from "@temporalio/client"

/** Returns how long each timer of a workflow that runs was started for, in seconds. */
export const openTimersOf = async (handle: Pick<WorkflowHandle, "fetchHistory">): Promise<readonly number[]> => {
  const { events } = await handle.fetchHistory()
  const ended = (events ?? []).flatMap(
    ({ timerCanceledEventAttributes: cancelled, timerFiredEventAttributes: fired }) =>
      cancelled?.timerId ?? fired?.timerId ?? [],
  )
  return (events ?? []).flatMap(({ timerStartedEventAttributes: started }) =>
    started?.timerId == null || ended.includes(started.timerId)
      ? []
      : [Math.ceil(Number(started.startToFireTimeout?.seconds ?? 0))],
  )
}
