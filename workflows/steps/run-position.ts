import { patched } from "@temporalio/workflow"
import { activeChildren, unreportedChildren } from "../../domain/limits/child-state.ts"
import type { RunPosition } from "../../domain/run/next-step.ts"
import { noProgress } from "../../domain/calls/repeated-calls.ts"
import { needsSlot } from "../lane/lane-slot.ts"
import { isTakenOver } from "../messages/waiting-messages.ts"
import { isProviderAway } from "../provider/wait-for-provider.ts"
import { isRateLimited } from "../provider/wait-for-rate.ts"
import { mayContinueAsNew, mustDrain } from "../session/continue-as-new.ts"
import { isOneCall, type SessionContext } from "../session/session-context.ts"
import { isPauseOver } from "./pause-step.ts"

const noProgressOf = (context: SessionContext): RunPosition["noProgress"] => {
  const { repeated } = context.state.run
  const message = isOneCall(context) ? undefined : noProgress(repeated)
  return message === undefined || !patched("no-progress-ends")
    ? undefined
    : { message, asksPerson: repeated?.isRejected === true }
}

/** Returns whether the run, which has used its steps, asks for one answer more, or has it. */
const stepsEndOf = (context: SessionContext): RunPosition["stepsEnd"] => {
  const { state, settings } = context
  const { stepsTaken, stepsEnd } = state.run
  if (stepsEnd === "answered") return "answered"
  if (settings === null || stepsTaken < settings.maxSteps || isOneCall(context)) return undefined
  return patched("steps-end-with-an-answer") ? "asked" : undefined
}

/** Returns everything on which the next step of the run depends. */
export const positionOf = (context: SessionContext): RunPosition => {
  const { run, waiting, reports } = context.state
  return {
    isPauseOver: isPauseOver(context),
    isHistoryLong: mayContinueAsNew(context),
    isHistoryFull: mustDrain(context),
    batch: run.batch,
    lastAnswer: run.lastAnswer,
    waitingTexts: waiting.length + unreportedChildren(run.children).length + reports.length,
    stepsTaken: run.stepsTaken,
    maxSteps: context.settings?.maxSteps ?? 0,
    pauseOnText: context.settings?.pauseOnText ?? false,
    continuations: run.continuations,
    emptyAnswers: run.emptyAnswers,
    isReportAsked: run.isReportAsked === true,
    hasSaid: run.hasSaid === true,
    hasChanged: run.hasChanged === true,
    ...(run.unknownEnds === undefined ? {} : { unknownEnds: run.unknownEnds }),
    hasResultProblem: run.resultProblem !== undefined,
    budgetExhausted: run.budgetExhausted,
    budgetReason: run.budgetReason,
    activeChildren: activeChildren(run.children).length,
    isTakenOver: isTakenOver(context),
    isWaitOvertaken: run.isWaitOvertaken === true,
    isOneCall: isOneCall(context),
    noProgress: noProgressOf(context),
    stepsEnd: stepsEndOf(context),
    isProviderAway: isProviderAway(context),
    isRateLimited: isRateLimited(context),
    needsSlot: needsSlot(context),
  }
}
