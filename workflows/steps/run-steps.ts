import { patched } from "@temporalio/workflow"
import { announceSteering } from "../../domain/session/accept-message.ts"
import { activeChildren, unreportedChildren } from "../../domain/limits/child-state.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { type NextStep, nextStep, type RunPosition } from "../../domain/run/next-step.ts"
import { countRepeats, noProgress } from "../../domain/calls/repeated-calls.ts"
import {
  isBatchComplete,
  isFinishDue,
  refuseFinish,
  settleUnstarted,
  steeringSkipText,
} from "../../domain/calls/tool-batch.ts"
import { callModel, proposeCall } from "./call-model-step.ts"
import type { RunEnd } from "../session/run-end.ts"
import { continueAsNewIfDue, mustDrain } from "../session/continue-as-new.ts"
import { acquireSlot } from "../lane/lane-slot.ts"
import { endSettledPause, pauseForDecisions, pauseForInput } from "./pause-step.ts"
import { isSteered, isTakenOver, takeOldThreadMessages } from "../messages/waiting-messages.ts"
import { waitForChildren } from "../children/wait-for-children.ts"
import { runCalls, writeResult } from "./run-calls-step.ts"
import { isRateLimited, waitForRate } from "../provider/wait-for-rate.ts"
import { isProviderAway, waitForProvider } from "../provider/wait-for-provider.ts"
import { isOneCall, type SessionContext, warn } from "../session/session-context.ts"

/** Counts the calls of the last batch, once it is complete. A text for the model starts again. */
const noteRepeats = ({ state }: SessionContext): void => {
  const { run } = state
  if (state.waiting.length > 0) run.repeated = undefined
  if (run.batch === null || !isBatchComplete(run.batch) || run.repeatsCountedTo === run.batch.step) return
  run.repeatsCountedTo = run.batch.step
  run.repeated = countRepeats(run.repeated, run.batch)
}

const noProgressOf = (context: SessionContext): RunPosition["noProgress"] => {
  const { repeated } = context.state.run
  const message = isOneCall(context) ? undefined : noProgress(repeated)
  return message === undefined || !patched("no-progress-ends")
    ? undefined
    : { message, asksPerson: repeated?.isRejected === true }
}

/** Returns whether the run, which has used its steps, asks for one answer more, or has it. */
const lastWordOf = (context: SessionContext): RunPosition["lastWord"] => {
  const { state, settings } = context
  const { stepsTaken, stepsEnd } = state.run
  if (stepsEnd === "answered") return "given"
  if (settings === null || stepsTaken < settings.maxSteps || isOneCall(context)) return undefined
  return patched("steps-end-with-an-answer") ? "due" : undefined
}

const positionOf = (context: SessionContext): RunPosition => {
  const { run, waiting, reports } = context.state
  return {
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
    isOneCall: isOneCall(context),
    noProgress: noProgressOf(context),
    lastWord: lastWordOf(context),
  }
}

/** Steering reaches its safe point: calls that have not started are skipped. */
const absorbSteering = (context: SessionContext): void => {
  const { run } = context.state
  if (!isSteered(context.state)) return
  // Without a model nobody reads it in this run: it only makes the call void, and starts the next run.
  if (isOneCall(context) && (run.batch === null || isBatchComplete(run.batch))) return
  if (run.batch !== null) run.batch = settleUnstarted(run.batch, { outcome: "skipped", content: steeringSkipText })
  announceSteering(context.state)
}

const endOf = (context: SessionContext, step: Extract<NextStep, { kind: "finish" }>): RunEnd => ({
  stopReason: step.stopReason,
  error:
    step.stopReason === "completed"
      ? null
      : { code: step.code ?? step.stopReason, message: step.message ?? step.stopReason },
  ...(step.warning === undefined ? {} : { warnings: [step.warning] }),
  finish:
    step.finish === undefined
      ? null
      : { assistantSeq: context.state.run.batch?.assistantSeq ?? 0, callId: step.finish.id },
})

/** The children end, and then this execution can be followed by a fresh one. */
const drain = async (context: SessionContext): Promise<void> => {
  warn(context, "the history is full: the next model turn comes when all sub-agents have ended")
  await waitForChildren(context, { endsForTexts: false })
}

/**
 * Answers a `finish` call with an error while sub-agents are active: finishing would discard their work. The first one is answered at once, so that
 * the model can wait for them or cancel them; a further one first waits for them, or a model that only repeats it would spend all its steps. In a thread
 * where the next message waits, its run takes them over.
 */
const holdFinish = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  const active = () => activeChildren(run.children).map(({ id }) => id)
  if (run.batch === null || !isFinishDue(run.batch) || active().length === 0 || isTakenOver(context)) return
  if (run.isFinishRefused === true && patched("finish-waits-for-sub-agents")) {
    await waitForChildren(context)
    // The next execution goes back to this wait.
    await continueAsNewIfDue(context)
  }
  run.isFinishRefused = true
  run.batch = refuseFinish(run.batch, active())
}

/** Returns whether a run has nothing to do but wait for sub-agents, and a message in its thread begins the next one. */
const isOvertaken = (context: SessionContext, { kind }: NextStep): boolean =>
  (kind === "wait-for-children" || (kind === "call-model" && context.state.run.isWaitOvertaken === true)) &&
  isTakenOver(context)

const overtaken: RunEnd = { stopReason: "completed", error: null, finish: null }

const isWork = ({ kind }: NextStep): boolean => kind === "call-model" || kind === "run-calls"

/** Runs the steps of a run: finds the next step and executes it, until the run has ended. */
export const runSteps = async (context: SessionContext): Promise<RunEnd> => {
  // Never spins: a pause ends for what this pass uses up; a wait for children begins only without texts; one for a provider comes after a failed call, which is recorded first, and one for its rate limit after a call that asked.
  for (;;) {
    await endSettledPause(context)
    absorbSteering(context)
    takeOldThreadMessages(context)
    await holdFinish(context)
    noteRepeats(context)
    await continueAsNewIfDue(context)
    const step = nextStep(positionOf(context))
    if (isOvertaken(context, step)) return overtaken
    if (step.kind === "call-model" && mustDrain(context) && activeChildren(context.state.run.children).length > 0) {
      await drain(context)
      continue
    }
    if (step.kind === "call-model" && isProviderAway(context)) {
      await waitForProvider(context)
      continue
    }
    if (step.kind === "call-model" && isRateLimited(context)) {
      await waitForRate(context)
      continue
    }
    if (isWork(step) && (await acquireSlot(context)) === "waited") continue
    context.clock?.start()
    switch (step.kind) {
      case "call-model":
        await (isOneCall(context) ? proposeCall(context) : callModel(context))
        break
      case "run-calls":
        await runCalls(context, step.calls)
        break
      case "pause-for-decisions":
        await pauseForDecisions(context)
        break
      case "pause-for-input":
        await pauseForInput(context, step.cause)
        break
      case "wait-for-children":
        await waitForChildren(context)
        break
      case "write-result":
        await writeResult(context, step.call, step.text)
        break
      case "finish":
        return endOf(context, step)
      default:
        return assertNever(step)
    }
  }
}
