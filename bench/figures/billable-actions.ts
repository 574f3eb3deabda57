import type { Client } from "@temporalio/client"

type History = Awaited<ReturnType<ReturnType<Client["workflow"]["getHandle"]>["fetchHistory"]>>
type HistoryEvent = NonNullable<History["events"]>[number]

const actionsOf = (event: HistoryEvent): number => {
  if (event.workflowExecutionStartedEventAttributes != null) return 1
  const attempts = event.activityTaskStartedEventAttributes?.attempt
  if (attempts != null) return attempts
  if (event.startChildWorkflowExecutionInitiatedEventAttributes != null) return 2
  const single =
    event.timerStartedEventAttributes ??
    event.workflowExecutionSignaledEventAttributes ??
    event.workflowExecutionUpdateAcceptedEventAttributes ??
    event.upsertWorkflowSearchAttributesEventAttributes ??
    event.workflowExecutionContinuedAsNewEventAttributes
  return single == null ? 0 : 1
}

/**
 * Counts the billable actions in a workflow's history: its start, attempts of activities, batches of local activities, children (two each), timers,
 * signals, updates, upserts and continue-as-new. Heartbeats are not in a history.
 */
export const billableActions = async (temporal: Client, workflowId: string): Promise<number> => {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
  const batches = new Set<string>()
  let count = 0
  for (const event of events ?? []) {
    count += actionsOf(event)
    const marker = event.markerRecordedEventAttributes
    if (marker?.markerName === "core_local_activity") batches.add(String(marker.workflowTaskCompletedEventId))
  }
  return count + batches.size
}
