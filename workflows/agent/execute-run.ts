import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  TemporalFailure,
  workflowInfo,
} from "@temporalio/workflow"
import type { Warning } from "../../contracts/run/warning.ts"
import { endOpenPause } from "../../domain/session/early-messages.ts"
import type { ClosedRun, CloseRunInput, MachineActivities } from "../../activities/contract/agent-activities.ts"
import type { OpenedRun } from "../../activities/contract/opened-run.ts"
import { machineQueueOf } from "../../domain/engine/engine-names.ts"
import { queuedRunId } from "../../domain/session/session-message.ts"
import { settleUnstarted } from "../../domain/calls/tool-batch.ts"
import { auditRemaining } from "../session/audit-operators.ts"
import { activitiesOf } from "../activities-of.ts"
import { stopBackgroundOptions, worktreeOptions } from "../activity-options.ts"
import { storeActivities } from "../store-activities.ts"
import { addReport } from "../children/child-reports.ts"
import { passesChildrenOn } from "../children/pass-children.ts"
import { stopChildren, stoppedText } from "../children/stop-children.ts"
import { acquireSlot, releaseSlot } from "../lane/lane-slot.ts"
import { lastOffers, runAfterHooks, runBeforeHooks } from "./run-hooks.ts"
import { adoptApproval, readSettings } from "../session/read-settings.ts"
import { countedIfReset, spendingOf } from "../session/remaining-budget.ts"
import { createRunClock } from "../session/run-clock.ts"
import type { RunEnd } from "../session/run-end.ts"
import { PauseTimeout } from "../steps/pause-step.ts"
import { runSteps } from "../steps/run-steps.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { finalStatusOf } from "../../domain/run/final-status-of.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showStatus, warn, withOutbox } from "../session/session-context.ts"
import { startDeliveries } from "../delivery/start-deliveries.ts"
import { hasThread } from "../messages/waiting-messages.ts"
import { processEarlyMessages } from "../messages/take-decision.ts"
import { answersToWrite, textsToWrite, unreadResults } from "../session/transcript-places.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"

const open = async (context: SessionContext): Promise<void> => {
  const { state } = context
  await readSettings(context)
  context.endCause = null
  showStatus(context, state.run.pause === null ? "running" : "paused")
  if (state.run.opened) return
  state.run.opened = true
  state.headSeq = context.settings?.headSeq ?? 0
  state.run.saidSeq = state.headSeq
  for (const { childId, runId } of context.settings?.undelivered ?? []) addReport(state, childId, runId)
}

/** Ends a run that an earlier execution has ended already: its outcome is recorded, and its message no longer waits. */
const endAgain = ({ state }: SessionContext, ended: NonNullable<OpenedRun["ended"]>): RunEnd => {
  state.waiting.shift()
  return { ...ended, finish: null, isRecorded: true }
}

const endOfFailure = (cause: Error): RunEnd => {
  const code = cause instanceof ApplicationFailure ? (cause.type ?? "error") : "error"
  return { stopReason: "error", error: { code, message: cause.message }, finish: null }
}

const endOfCancel = (context: SessionContext, timedOut: boolean, error: Error): RunEnd => {
  if (!timedOut)
    return {
      stopReason: "cancelled",
      error: { code: "cancelled", message: "the run was cancelled" },
      finish: null,
      cancelled: error,
    }
  const seconds = (context.settings?.timeoutMs ?? 0) / 1000
  const message = `the run reached its time limit of ${seconds} s (waiting not counted)`
  return { stopReason: "timeout", error: { code: "timeout", message }, finish: null }
}

const asCancelled = (cause: Error): Error => new CancelledFailure("the run was cancelled", undefined, cause)

const performWork = async (context: SessionContext): Promise<RunEnd> => {
  let timedOut = false
  const scope = new CancellationScope({ cancellable: true })
  try {
    return await scope.run(async () => {
      await open(context)
      const ended = context.settings?.ended
      if (ended !== undefined) return endAgain(context, ended)
      const refusal = context.settings?.refusal
      if (refusal !== undefined)
        return { stopReason: "error", error: refusal, finish: null, append: textsToWrite(context) }
      context.clock = createRunClock({
        limitMs: () => context.settings?.timeoutMs ?? 0,
        alreadyRanMs: context.state.run.ranMs,
        onTimeout: () => {
          timedOut = true
          scope.cancel()
        },
      })
      const { pause, outage } = context.state.run
      if (pause === null && outage == null) await acquireSlot(context)
      return (await openWorktree(context)) ?? (await runBeforeHooks(context)) ?? (await runSteps(context))
    })
  } catch (error) {
    if (error instanceof Error && isCancellation(error))
      return endOfCancel(context, timedOut && !CancellationScope.current().consideredCancelled, error)
    // An activity whose worker died reports its heartbeat timeout, not the cancel that it never received.
    if (error instanceof ActivityFailure && scope.consideredCancelled)
      return endOfCancel(context, timedOut && !CancellationScope.current().consideredCancelled, asCancelled(error))
    if (error instanceof ActivityFailure) return endOfFailure(error.cause ?? error)
    // A local activity that gives up throws its own error, without an ActivityFailure around it.
    if (error instanceof ApplicationFailure) return endOfFailure(error)
    if (error instanceof PauseTimeout)
      return { stopReason: "timeout", error: { code: "timeout", message: error.message }, finish: null }
    // Any other failure of Temporal's would end the execution before its outcome is recorded.
    if (error instanceof TemporalFailure) return endOfFailure(error)
    throw error
  } finally {
    context.clock?.stop()
    if (context.clock !== null) context.state.run.ranMs = context.clock.ranMs()
    context.clock = null
  }
}

/** How long a run that has ended waits for the workers of another machine, which stop its background processes there. */
const patienceMs = 60_000

/** Stops the run's background processes on other machines. Returns the machines that no worker answered for. */
const stopBackgroundOn = async ({ state }: SessionContext, machines: readonly string[]): Promise<readonly string[]> => {
  const unreached = await Promise.all(
    machines.map(async (machine) => {
      const taskQueue = machineQueueOf(workflowInfo().taskQueue, machine)
      const options = { ...stopBackgroundOptions, taskQueue, scheduleToStartTimeout: patienceMs }
      try {
        await activitiesOf<MachineActivities>(options).stopBackground({ sessionId: state.sessionId })
        return []
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
        return [machine]
      }
    }),
  )
  return unreached.flat()
}

/** Records the outcome once the run's background processes are stopped, on whichever machine they are. */
const closeRun = async (context: SessionContext, input: CloseRunInput): Promise<ClosedRun> => {
  const closed = await storeActivities.closeRun(input)
  if (closed.stopFirst === undefined) return closed
  const unreachedMachines = await stopBackgroundOn(context, closed.stopFirst)
  for (const machine of unreachedMachines)
    warn(context, `background processes may still run on ${machine}, which has no worker; its next worker stops them`)
  return await storeActivities.closeRun({ ...input, unreachedMachines })
}

const warningsField = (warnings: readonly Warning[]): Pick<CloseRunInput, "warnings"> =>
  warnings.length === 0 ? {} : { warnings }

const maxCause = 1_000

const close = async (context: SessionContext, end: RunEnd): Promise<void> => {
  const { state } = context
  const { run } = state
  processEarlyMessages(context)
  await auditRemaining(context)
  const [nextMessage] = state.followUps
  if (run.batch !== null) {
    const content = end.finish === null ? "not run: the run ended before it started" : "The run is finished."
    run.batch = settleUnstarted(run.batch, { outcome: end.finish === null ? "skipped" : "ok", content })
  }
  endOpenPause(state)
  context.endCause = end.error === null ? null : startOf(`${end.error.message} (${end.error.code})`, maxCause)
  showStatus(context, finalStatusOf(end.stopReason))
  const input: Omit<CloseRunInput, "outbox"> = {
    ...runScope(context),
    stopReason: end.stopReason,
    error: end.error,
    headSeq: state.headSeq,
    partialSeq: state.headSeq + 1,
    stepsTaken: run.stepsTaken,
    sessionSteps: (context.settings?.stepsBefore ?? 0) + run.stepsTaken,
    append: [...answersToWrite(context), ...(end.append ?? [])],
    nextRunId: end.cancelled === undefined && nextMessage !== undefined ? queuedRunId(nextMessage) : null,
    hasBackground: run.hasBackground || run.batch !== null,
    ...(run.backgroundMachines === undefined ? {} : { backgroundMachines: run.backgroundMachines }),
    finish: end.finish,
    isTop: context.parentSessionId === null,
    ...(run.saidSeq === undefined || !hasThread(context) ? {} : { saidSeq: run.saidSeq }),
    spending: spendingOf(context),
    ...countedIfReset(context),
    undelivered: unreadResults(context),
    ...warningsField([...(run.warnings ?? []), ...(end.warnings ?? [])]),
  }
  const closed = await withOutbox(state, (outbox) => closeRun(context, { ...input, outbox }))
  state.headSeq = closed.headSeq
  await startDeliveries(closed.deliveries)
}

/**
 * Narrows the run's approval to what the senders of unread texts may give. The run may have ended before its model read them; but the next run takes its
 * settings from this one, and the sessions above read its outcome.
 */
const narrowBeforeClose = async (context: SessionContext): Promise<void> => {
  if (!context.state.run.opened) return
  try {
    await adoptApproval(context)
  } catch (error) {
    if (!(error instanceof ApplicationFailure || error instanceof ActivityFailure)) throw error
    warn(context, `the run's approval could not be narrowed at its end: ${error.message}`)
  }
}

/** Keeps the children of a run for the next one of its thread, or stops them. */
const endChildren = async (context: SessionContext, end: RunEnd): Promise<readonly Warning[]> => {
  if (passesChildrenOn(context, end)) return []
  const stopped = await stopChildren(context, end.cancelled !== undefined)
  return stopped.length === 0 ? [] : [{ code: "children_cancelled", message: stoppedText(stopped) }]
}

const worktreeOffer = (context: SessionContext, summary: string) => {
  const { settings } = context
  if (settings === null) throw new Error("a worktree is used before the run was opened")
  return { options: worktreeOptions(settings.timing), summary }
}

/** Creates the worktree of a run that works in one. Returns the end of a run that cannot have one. */
const openWorktree = async (context: SessionContext): Promise<RunEnd | undefined> => {
  if (context.settings?.worktree !== true) return undefined
  const { refusal } = await executeOnWorker(context, worktreeOffer(context, "create the worktree"), (activities) =>
    activities.openWorktree(runScope(context)),
  )
  return refusal === null
    ? undefined
    : { stopReason: "error", error: refusal, finish: null, append: textsToWrite(context) }
}

/** Stores what the run changed in its worktree and removes it, for every outcome. What fails is done by the machine's next worker. */
const closeWorktree = async (context: SessionContext): Promise<void> => {
  if (context.settings?.worktree !== true) return
  try {
    const offer = { ...worktreeOffer(context, "end the worktree"), maxOffers: lastOffers }
    await executeOnWorker(context, offer, (activities) => activities.closeWorktree(runScope(context)))
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    warn(context, `the worktree could not be removed: ${error.cause?.message ?? error.message}`)
  }
}

/** Executes one run from its instruction to its outcome, which is recorded in any case. */
export const executeRun = async (context: SessionContext): Promise<RunEnd> => {
  const end = await performWork(context)
  if (end.isRecorded === true) return end
  const warnings = await CancellationScope.nonCancellable(() => endChildren(context, end))
  await CancellationScope.nonCancellable(() => runAfterHooks(context, end))
  await CancellationScope.nonCancellable(() => closeWorktree(context))
  await CancellationScope.nonCancellable(() => narrowBeforeClose(context))
  await CancellationScope.nonCancellable(() =>
    close(context, { ...end, warnings: [...(end.warnings ?? []), ...warnings] }),
  )
  await releaseSlot(context)
  return end
}
