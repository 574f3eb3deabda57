import { ActivityFailure, isCancellation, TemporalFailure } from "@temporalio/workflow"
import type { AgentActivities, RunToolInput } from "../../activities/contract/agent-activities.ts"
import type { RunToolResult } from "../../activities/contract/run-tool-result.ts"
import {
  approverNote,
  type BatchCall,
  type CallAnswer,
  type CallState,
  type ToolBatch,
  withCallState,
} from "../../domain/calls/tool-batch.ts"
import { aboutOf } from "../../domain/text/preview.ts"
import { maxSummaryBytes, summaryMarkdown } from "../../domain/text/shown/markdown.ts"
import { executionOptions, quickToolOptions, toolOptions } from "../activity-options.ts"
import { storeActivities } from "../store-activities.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"
import { startDelegation } from "./run-delegation-step.ts"
import { runScope } from "../session/run-scope.ts"
import { isOneCall, type SessionContext, withOutbox } from "../session/session-context.ts"
import { elsewhereOf } from "../../domain/engine/elsewhere.ts"
import { localActivitiesOf } from "../activities-of.ts"

const summaryOf = (call: BatchCall): string => {
  const name = summaryMarkdown(call.name, 100)
  return `${name} ${summaryMarkdown(aboutOf(call.preview), maxSummaryBytes - 100)}`
}

/** What a person said to the question that the call asked before. */
const personAnswer = ({ state }: BatchCall): { readonly answer?: CallAnswer } =>
  state.at === "ready" && state.answer !== undefined ? { answer: state.answer } : {}

/** Returns the input of the activity that runs a call. */
const runToolInput = (context: SessionContext, call: BatchCall, batch: ToolBatch): Omit<RunToolInput, "outbox"> => ({
  ...runScope(context),
  step: batch.step,
  assistantSeq: batch.assistantSeq,
  callId: call.id,
  resultSeq: call.resultSeq,
  ...personAnswer(call),
  ...approverNote(call),
  // The call was approved by name, otherwise it would not start.
  ...(call.isProtected === true ? { mayChangeProtected: true } : {}),
  ...(batch.isPreviewed === true ? { isPreviewed: true } : {}),
  ...(call.isEdited === true ? { isEdited: true } : {}),
  ...(call.grantId === undefined ? {} : { grantId: call.grantId }),
  ...(call.disposition === "auto" ? { isUnasked: true } : {}),
})

const runCall = async (context: SessionContext, call: BatchCall): Promise<CallState> => {
  const { state, settings } = context
  const { batch } = state.run
  if (settings === null || batch === null) throw new Error("a call runs outside a batch")
  const input = runToolInput(context, call, batch)
  const { timing, executionTimeoutMs } = settings
  const offer = {
    options: isOneCall(context) ? executionOptions(timing, executionTimeoutMs) : toolOptions(timing),
    summary: summaryOf(call),
  }
  context.toolsRunning += 1
  try {
    const result = await withOutbox(state, async (outbox) => {
      const whole = { ...input, outbox }
      return (
        (await runQuickTool(context, call, whole)) ??
        (await executeOnWorker(context, offer, (activities) => activities.runTool(whole)))
      )
    })
    // Before the questions: a history of an earlier version says "ok" of a call that asks, too, and is replayed with what followed from that.
    if (result.outcome === "ok" && !call.readOnly) state.run.hasChanged = true
    if ("changed" in result) {
      const { changed: again, changesProtected } = result
      return { at: "pending", again, ...(changesProtected === true ? { changesProtected } : {}) }
    }
    if ("question" in result) return { at: "asking", question: result.question }
    const { outcome, preview, background, machine, failure } = result
    state.run.hasBackground ||= background
    if (machine !== undefined)
      state.run.backgroundMachines = [...new Set([...(state.run.backgroundMachines ?? []), machine])]
    const failed = outcome === "ok" ? {} : { failed: `${outcome}: ${preview}` }
    return failure === undefined ? { at: "done", ...failed } : { at: "done", failure }
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    // A run without a model fails with this error. Nobody would read it as a result.
    if (isOneCall(context)) throw error
    const content = `the tool could not be run: ${error.cause?.message ?? error.message}`
    return { at: "settled", answer: { outcome: "error", content }, written: false }
  } finally {
    context.toolsRunning -= 1
  }
}

/** Returns a function that starts a delegation call after those before it, in proposal order. The waits for their results run side by side. */
const delegateInTurn = (context: SessionContext): ((call: BatchCall) => Promise<CallState>) => {
  let turn: Promise<unknown> = Promise.resolve()
  return async (call) => {
    const begun = turn.then(() => startDelegation(context, call))
    turn = begun.catch(() => undefined)
    return (await begun)()
  }
}

/** Runs the calls of a group side by side, and waits for all of them, also after a failure or a cancel: none runs on while the workflow continues. */
export const runCalls = async (context: SessionContext, calls: readonly BatchCall[]): Promise<void> => {
  const { run } = context.state
  const delegations = delegateInTurn(context)
  const ends = await Promise.allSettled(
    calls.map((call) => (call.kind === "delegation" ? delegations(call) : runCall(context, call))),
  )
  let failure: PromiseRejectedResult | undefined
  for (const [index, end] of ends.entries()) {
    const call = calls[index]
    if (end.status === "rejected") failure ??= end
    else if (call !== undefined && run.batch !== null) run.batch = withCallState(run.batch, call.id, end.value)
  }
  if (failure !== undefined) throw failure.reason
}

/** Writes the result that a person gave instead of the one call of a run without a model, as the answer of the run. */
export const writeResult = async (context: SessionContext, call: BatchCall, text: string): Promise<void> => {
  const { run } = context.state
  await storeActivities.writeResult({ ...runScope(context), seq: call.resultSeq, text })
  if (run.batch !== null) run.batch = withCallState(run.batch, call.id, { at: "done" })
}

/**
 * Runs a short read-only call inside the workflow task (docs/decisions/0006). Undefined: it has to be an activity, because it is none of those,
 * belongs to another machine, took too long or is not for the worker that has the workflow.
 */
const runQuickTool = async (
  { state, settings }: SessionContext,
  call: BatchCall,
  input: RunToolInput,
): Promise<RunToolResult | undefined> => {
  if (call.quick !== true || settings === null || settings.timing.quickToolMs === 0 || state.machine != null)
    return undefined
  const { runTool } = localActivitiesOf<Pick<AgentActivities, "runTool">>(quickToolOptions(settings.timing))
  try {
    const result = await runTool(input)
    return elsewhereOf(result) === undefined ? result : undefined
  } catch (error) {
    // In a replay, a try that ran out of time fails with the timeout itself.
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
    return undefined
  }
}
