import { emitAppliedSteering } from "../../domain/session/accept-message.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { type NextStep, nextStep } from "../../domain/run/next-step.ts"
import { countRepeats } from "../../domain/calls/repeated-calls.ts"
import { isBatchComplete, settleUnstarted, steeringSkipText } from "../../domain/calls/tool-batch.ts"
import { drainChildren, waitForChildren } from "../children/wait-for-children.ts"
import { acquireSlot } from "../lane/lane-slot.ts"
import { isSteered, takeOldThreadMessages } from "../messages/waiting-messages.ts"
import { waitForProvider } from "../provider/wait-for-provider.ts"
import { waitForRate } from "../provider/wait-for-rate.ts"
import { continueSessionAsNew } from "../session/continue-as-new.ts"
import type { RunEnd } from "../session/run-end.ts"
import { isOneCall, type SessionContext } from "../session/session-context.ts"
import { callModel, proposeCall } from "./call-model-step.ts"
import { holdFinish } from "./hold-finish-step.ts"
import { endPauseNow, isPauseOver, pauseForDecisions, pauseForInput } from "./pause-step.ts"
import { runCalls, writeResult } from "./run-calls-step.ts"
import { positionOf } from "./run-position.ts"

/** Steering reaches its safe point: calls that have not started are skipped. */
const absorbSteering = (context: SessionContext): void => {
  const { run } = context.state
  if (!isSteered(context.state)) return
  // Without a model nobody reads it in this run: it only makes the call void, and starts the next run.
  if (isOneCall(context) && (run.batch === null || isBatchComplete(run.batch))) return
  if (run.batch !== null) run.batch = settleUnstarted(run.batch, { outcome: "skipped", content: steeringSkipText })
  emitAppliedSteering(context.state)
}

/** Counts the calls of the last batch, once it is complete. A text for the model starts again. */
const noteRepeats = ({ state }: SessionContext): void => {
  const { run } = state
  if (state.waiting.length > 0) run.repeated = undefined
  if (run.batch === null || !isBatchComplete(run.batch) || run.repeatsCountedTo === run.batch.step) return
  run.repeatsCountedTo = run.batch.step
  run.repeated = countRepeats(run.repeated, run.batch)
}

/** Applies what has arrived since the last step, between two steps. The answer to an open pause belongs to the pause, which takes it at its end. */
const takeArrivals = (context: SessionContext): void => {
  if (isPauseOver(context)) return
  absorbSteering(context)
  takeOldThreadMessages(context)
  noteRepeats(context)
}

const runEndOf = (context: SessionContext, step: Extract<NextStep, { kind: "finish" }>): RunEnd => ({
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

const handedOver: RunEnd = { stopReason: "completed", error: null, finish: null }

/** The steps before which the clock of the run stays as it is; any other one starts it. */
const clockStaysStopped: ReadonlySet<NextStep["kind"]> = new Set<NextStep["kind"]>([
  "end-pause",
  "hold-finish",
  "continue-as-new",
  "hand-over",
  "drain",
  "wait-for-provider",
  "wait-for-rate",
  "wait-for-slot",
])

/** Runs the steps of a run: names the next step and takes it, until the run has ended. */
export const runSteps = async (context: SessionContext): Promise<RunEnd> => {
  // A pause ends for what the pass after it uses up.
  // A wait for children begins only if no text waits. It ends for a text, at the end of the last child, or to continue as new.
  // A wait for a provider follows a call that failed, which is recorded first; one for its rate limit follows a call that asked for the rate.
  // Never spins: what ends a wait is used up, or a call is made, before the same wait begins again.
  for (;;) {
    takeArrivals(context)
    const step = nextStep(positionOf(context))
    if (!clockStaysStopped.has(step.kind)) context.clock?.start()
    switch (step.kind) {
      case "end-pause":
        await endPauseNow(context)
        break
      case "hold-finish":
        await holdFinish(context)
        break
      case "continue-as-new":
        return await continueSessionAsNew(context)
      case "drain":
        await drainChildren(context)
        break
      case "wait-for-provider":
        await waitForProvider(context)
        break
      case "wait-for-rate":
        await waitForRate(context)
        break
      case "wait-for-slot":
        await acquireSlot(context)
        break
      case "call-model":
        await callModel(context)
        break
      case "propose-call":
        await proposeCall(context)
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
      case "hand-over":
        return handedOver
      case "finish":
        return runEndOf(context, step)
      default:
        return assertNever(step)
    }
  }
}
