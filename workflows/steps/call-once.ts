import type { RunWorkResult } from "../../activities/contract/agent-activities.ts"
import { announceSteering } from "../../domain/messages/accept-message.ts"
import { assertNever } from "../../domain/assert-never.ts"
import {
  type BatchCall,
  openBatch,
  type SettledAnswer,
  settleUnstarted,
  steeringSkipText,
  withCallState,
} from "../../domain/run/tool-batch.ts"
import { summaryMarkdown } from "../../domain/text/shown/markdown.ts"
import { executionOptions } from "../activity-options.ts"
import { record } from "../record-activities.ts"
import type { RunEnd } from "../agent/run-end.ts"
import { continueAsNewIfDue } from "../agent/continue-as-new.ts"
import { acquireSlot } from "../lane/lane-slot.ts"
import { executeOnWorker } from "./execute-on-worker.ts"
import { recordOnMachine } from "./record-on-machine.ts"
import { endSettledPause, pauseForDecisions, pauseForInput } from "./pause-step.ts"
import { isSteered } from "../messages/is-steered.ts"
import { adoptApproval } from "../agent/read-settings.ts"
import { toolInput } from "./run-calls-step.ts"
import { runScope } from "../agent/run-scope.ts"
import { type SessionContext, takeOutbox } from "../agent/session-context.ts"
import { textsToWrite } from "../agent/transcript-places.ts"
const step = 0

const failed = (code: string, message: string): RunEnd => ({
  stopReason: "error",
  error: { code, message },
  finish: null,
})
const completed: RunEnd = { stopReason: "completed", error: null, finish: null }

/** Records the call, and receives the decision of the policy. */
const propose = async (context: SessionContext): Promise<RunEnd | undefined> => {
  await adoptApproval(context)
  const { state } = context
  const append = textsToWrite(context)
  const assistantSeq = state.headSeq + 1
  const input = { ...runScope(context), assistantSeq, append, outbox: takeOutbox(state) }
  const proposed = await recordOnMachine(context, "propose the call", (activities) => activities.proposeCall(input))
  if (proposed.kind === "failed") return failed(proposed.error.code, proposed.error.message)
  state.run.batch = openBatch(assistantSeq, step, [proposed.call])
  state.headSeq = assistantSeq + 1
  return undefined
}

/** From here on the activity writes the result's row, a cancelled one's as well: the batch is out of the way until it asks something. */
const execute = async (context: SessionContext, call: BatchCall): Promise<RunWorkResult> => {
  const { state, settings } = context
  const { batch } = state.run
  if (settings === null || batch === null) throw new Error("a call runs outside a batch")
  const input = { ...toolInput(context, call, batch), canAskAgain: true }
  const { timing, executionTimeoutMs, type } = settings
  const offer = {
    options: executionOptions(timing, executionTimeoutMs),
    summary: summaryMarkdown(call.name),
    offerMs: timing.hostQueueTimeoutMs,
  }
  state.run.batch = null
  state.run.hasBackground = true
  const result = await executeOnWorker(context, offer, (activities) =>
    type === "binary" ? activities.runBinary(input) : activities.callBridge(input),
  )
  if (result.kind === "asks")
    state.run.batch = withCallState(batch, call.id, { at: "asking", question: result.question })
  if (result.kind === "changed")
    state.run.batch = withCallState(batch, call.id, { at: "pending", again: result.changed })
  return result
}

const endOfResult = (result: Extract<RunWorkResult, { kind: "done" | "failed" }>): RunEnd =>
  result.kind === "done" ? completed : { stopReason: result.stopReason, error: result.error, finish: null }

/** A person answered for the call, or it may not run. */
const endOfAnswer = async (context: SessionContext, call: BatchCall, answer: SettledAnswer): Promise<RunEnd> => {
  if (answer.outcome !== "custom")
    return failed(answer.outcome === "skipped" ? "skipped" : "rejected", `${call.name}: ${answer.content}`)
  context.state.run.batch = null
  await record.writeResult({ ...runScope(context), seq: call.resultSeq, text: answer.content })
  return completed
}

/** Steering is for models: it makes a call void that has not started, and its text starts the next run. */
const absorbSteering = (context: SessionContext): void => {
  const { run } = context.state
  if (run.batch === null || !isSteered(context.state)) return
  run.batch = settleUnstarted(run.batch, { outcome: "skipped", content: steeringSkipText })
  announceSteering(context.state)
}

/** Executes a run without a model: one call, with the same policy, pauses, limits and records as the calls of a model. */
export const callOnce = async (context: SessionContext): Promise<RunEnd> => {
  // Never spins: a pause ends for what this pass uses up, a decision, an answer or continue-as-new; all else is an activity.
  for (;;) {
    await endSettledPause(context)
    absorbSteering(context)
    await continueAsNewIfDue(context)
    context.clock?.start()
    const call = context.state.run.batch?.calls[0]
    if (call === undefined) {
      const end = await propose(context)
      if (end !== undefined) return end
      continue
    }
    switch (call.state.at) {
      case "pending":
        await pauseForDecisions(context)
        break
      case "asking":
        await pauseForInput(context, "tool")
        break
      case "ready": {
        if ((await acquireSlot(context)) === "waited") break
        const result = await execute(context, call)
        if (result.kind === "done" || result.kind === "failed") return endOfResult(result)
        break
      }
      case "edited":
        throw new Error("new arguments are checked when their pause ends")
      case "settled":
        return endOfAnswer(context, call, call.state.answer)
      case "done":
        throw new Error("a call that is done has ended its run")
      default:
        return assertNever(call.state)
    }
  }
}
