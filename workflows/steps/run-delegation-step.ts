import { condition, patched } from "@temporalio/workflow"
import type {
  AnswerDelegationInput,
  ChildSummary,
  PrepareDelegationInput,
} from "../../activities/contract/delegation-activities.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { type ChildState, isToldPause, isWaitOver } from "../../domain/limits/child-state.ts"
import { emit } from "../../domain/session/session-state.ts"
import { type BatchCall, type CallState, approverNote } from "../../domain/calls/tool-batch.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import { mergeOptions } from "../activity-options.ts"
import { storeActivities } from "../store-activities.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"
import { callWhereFilesAre } from "../placement/call-where-files-are.ts"
import { isHistoryFull } from "../is-history-long.ts"
import { countedIfReset, remainingBudget } from "../session/remaining-budget.ts"
import { waitBesideChildren, waitForChild } from "../children/wait-for-children.ts"
import { startChildSession } from "../children/start-child-session.ts"
import { releaseSlotForWait } from "../lane/lane-slot.ts"
import { isSteered, isTakenOver } from "../messages/waiting-messages.ts"
import { adoptApproval } from "../session/read-settings.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, withOutbox } from "../session/session-context.ts"

const summaries = (context: SessionContext): readonly ChildSummary[] =>
  context.state.run.children.map(({ id, ordinal, label, runId, status }) => ({ id, ordinal, label, runId, status }))

const callPlace = (context: SessionContext, call: BatchCall) => {
  const { batch } = context.state.run
  return {
    ...runScope(context),
    step: batch?.step ?? 0,
    assistantSeq: batch?.assistantSeq ?? 0,
    callId: call.id,
    resultSeq: call.resultSeq,
    ...(call.isEdited === true ? { isEdited: true } : {}),
    ...approverNote(call),
    // The call was approved by name, otherwise it would not start.
    ...(call.isProtected === true ? { mayChangeProtected: true } : {}),
    ...(call.disposition === "auto" ? { isUnasked: true } : {}),
    canAskAgain: true,
    children: summaries(context),
  }
}

const childrenOf = (context: SessionContext, ids: readonly string[]): readonly ChildState[] =>
  context.state.run.children.filter(({ id }) => ids.includes(id))

const markReported = (context: SessionContext, ids: readonly string[]): void => {
  for (const child of childrenOf(context, ids)) if (child.status === "ended") child.isReported = true
  context.state.reports = context.state.reports.filter(({ childId }) => !ids.includes(childId))
}

const reportCounts = (context: SessionContext): ReadonlyMap<string, number> =>
  new Map(context.state.run.children.map(({ id, reportCount = 0 }) => [id, reportCount]))

/**
 * Notes that the model was told of these pauses, so that they do not end its next wait. A pause that began after `counts` is not noted: it may be a new one.
 */
const noteTold = (context: SessionContext, ids: readonly string[], counts: ReadonlyMap<string, number>): void => {
  for (const child of childrenOf(context, ids))
    if (child.status === "paused") child.toldPause = counts.get(child.id) ?? 0
}

/**
 * Marks resumed children as running, except those that have reported a status since `countsBefore`: they may have paused again.
 */
const noteResumed = (
  context: SessionContext,
  resumed: readonly string[],
  countsBefore: ReadonlyMap<string, number>,
): void => {
  const stale = childrenOf(context, resumed).filter(
    ({ id, status, reportCount = 0 }) => status === "paused" && reportCount === countsBefore.get(id),
  )
  for (const child of stale) child.status = "running"
}

/**
 * Waits until all of them have stopped. Returns false if the time was over, or if steering or a message in the thread came first. If the model waits again
 * for pauses that it was told of, only people can change something. Then no time limit applies, because the model would only ask again and again.
 */
const waitForStop = async (
  context: SessionContext,
  wait: { readonly childIds: readonly string[]; readonly timeoutMs: number | null },
): Promise<boolean> => {
  const awaited = () => childrenOf(context, wait.childIds)
  const endsForOld = !awaited().some(isToldPause) || !patched("told-pauses-end-no-wait")
  const allStopped = () => isWaitOver(awaited(), { endsForOld })
  const moves = () => allStopped() || isSteered(context.state) || isTakenOver(context)
  const waitsForPeople = !endsForOld && awaited().every(({ status }) => status !== "running")
  await releaseSlotForWait(context, moves)
  let isOver = false
  const untilOver = async () => {
    try {
      if (wait.timeoutMs === null || waitsForPeople) await condition(moves)
      else await condition(moves, wait.timeoutMs)
    } finally {
      isOver = true
    }
  }
  await Promise.all([untilOver(), waitBesideChildren(context, () => isOver || moves())])
  context.state.run.isWaitOvertaken = !allStopped() && isTakenOver(context)
  return allStopped()
}

const answer = async (
  context: SessionContext,
  call: BatchCall,
  result: Pick<AnswerDelegationInput, "childIds" | "timedOut" | "isStart" | "refused">,
): Promise<CallState> => {
  const counts = reportCounts(context)
  await storeActivities.answerDelegation({ ...callPlace(context, call), ...result })
  if (!result.isStart) {
    markReported(context, result.childIds)
    noteTold(context, result.childIds, counts)
  }
  return { at: "done" }
}

const prepare = (context: SessionContext, { name }: BatchCall, input: PrepareDelegationInput) => {
  const { settings } = context
  if (name !== mergeToolName || settings === null)
    return callWhereFilesAre(context, `prepare ${name}`, (activities) => activities.prepareDelegation(input))
  const { timing } = settings
  const offer = { options: mergeOptions(timing), summary: "merge the worktree" }
  return executeOnWorker(context, offer, (activities) => activities.prepareDelegation(input))
}

/** Prepares a delegation call and starts its child. Called for one call after another, in proposal order. Returns the wait for its result. */
export const startDelegation = async (context: SessionContext, call: BatchCall): Promise<() => Promise<CallState>> => {
  // An agent decides for its child, and passes approval on, only as far as the senders of its messages may approve themselves.
  await adoptApproval(context)
  const { settings, clock, state } = context
  const timeoutMs = settings?.timeoutMs ?? 0
  const countsBefore = reportCounts(context)
  emit(state.run, "tool-started", {
    call_id: call.id,
    name: call.name,
    ...(call.isEdited === true ? { edited: true } : {}),
  })
  const input = {
    ...callPlace(context, call),
    budgetLeft: remainingBudget(context),
    ...countedIfReset(context),
    timeLeftMs: timeoutMs === 0 ? 0 : Math.max(1, timeoutMs - (clock?.ranMs() ?? 0)),
    historyIsFull: isHistoryFull(settings?.timing.maxHistoryEvents),
  }
  const directive = await withOutbox(state, (outbox) => prepare(context, call, { ...input, outbox }))
  switch (directive.kind) {
    case "changed": {
      const { changed: again, changesProtected } = directive
      return async () => ({ at: "pending", again, ...(changesProtected === true ? { changesProtected } : {}) })
    }
    case "settled":
      markReported(context, directive.reported)
      for (const child of childrenOf(context, directive.silenced)) child.isSilent = true
      return async () => ({ at: "done" })
    case "spawn": {
      const child = await startChildSession(context, directive.child, directive.use)
      if ("problem" in child) {
        const { id, run } = directive.child
        const refused = { runId: run.run_id, problem: child.problem }
        return () => answer(context, call, { childIds: [id], timedOut: false, isStart: true, refused })
      }
      if (directive.use !== "task")
        return () => answer(context, call, { childIds: [child.id], timedOut: false, isStart: true })
      return async () => {
        const hasEnded = () => child.status === "ended"
        await waitForChild(context, hasEnded)
        return answer(context, call, { childIds: [child.id], timedOut: false, isStart: false })
      }
    }
    case "wait":
      noteResumed(context, directive.resumed ?? [], countsBefore)
      return async () => {
        const stopped = await waitForStop(context, directive)
        return answer(context, call, { childIds: directive.childIds, timedOut: !stopped, isStart: false })
      }
    default:
      return assertNever(directive)
  }
}
