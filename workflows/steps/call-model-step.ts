import { ApplicationFailure, patched } from "@temporalio/workflow"
import type { Warning } from "../../contracts/run/warning.ts"
import { summaryMarkdown } from "../../domain/text/shown/markdown.ts"
import type { CallModelResult } from "../../activities/contract/call-model-result.ts"
import { isStepRetaken } from "../../domain/run/model-fallback.ts"
import { isNormalEnd } from "../../domain/run/answer-end.ts"
import { emit, type RunState, type SessionState } from "../../domain/run/session-state.ts"
import { addUsage, usageSince } from "../../domain/limits/usage-totals.ts"
import { resultNotice } from "../../domain/prompts/result-guidance.ts"
import { openBatch } from "../../domain/run/tool-batch.ts"
import { modelOptions, modelRetryOptions } from "../activity-options.ts"
import { compactContext, compactionsOf } from "../provider/compact-context.ts"
import { executeOnWorker } from "./execute-on-worker.ts"
import { recordOnMachine } from "./record-on-machine.ts"
import { adoptApproval } from "../agent/read-settings.ts"
import { remainingBudget, spendingOf } from "../agent/remaining-budget.ts"
import { runScope } from "../agent/run-scope.ts"
import { type SessionContext, showDetails, withOutbox, warn } from "../agent/session-context.ts"
import { noteAnswer, noteFailure, noteUnaffordable } from "../provider/fall-back.ts"
import { fallbackInUse, modelInUse } from "../provider/model-in-use.ts"
import { failedAttemptsOf, forgetFailedAttempts, noteRateLimit } from "../provider/wait-for-rate.ts"
import { endOutage } from "./wait-for-provider.ts"
import { announcesToWrite, answersToWrite, textsToWrite } from "../agent/transcript-places.ts"

const continueNotice =
  "Your answer was cut off by the output limit. Continue exactly where it stopped, without repeating anything."

const reportNotice = "Your answer was empty. If your work is done, report your result; otherwise continue with it."

type Answered = Exclude<CallModelResult, { kind: "needs-compaction" }>

/** Says once in a run that its model does not read the whole prompt. */
const notePromptCut = (context: SessionContext, message: string): void => {
  const { run } = context.state
  if (run.isPromptCut === true) return
  run.isPromptCut = true
  addWarning(run, { code: "prompt_cut", message })
  emit(run, "prompt-cut", { step: run.stepsTaken, message })
  warn(context, message)
}

const addWarning = (run: RunState, warning: Warning): void => {
  if (run.warnings?.some(({ code }) => code === warning.code) !== true)
    run.warnings = [...(run.warnings ?? []), warning]
}

const noteUnknownEnd = (context: SessionContext, message: string): void => {
  addWarning(context.state.run, { code: "unknown_end", message })
  warn(context, `unknown_end: ${message}`)
}

/** Takes an answer into the state of the run: its calls are the batch that comes next. */
const takeAnswer = (context: SessionContext, assistantSeq: number, result: Answered): void => {
  const { state } = context
  const { run } = state
  if (result.kind === "rate-limited") {
    noteRateLimit(context, result)
    run.stepsTaken -= 1
    return
  }
  // The usage is that of all attempts of the step.
  run.usage = addUsage(
    run.usage,
    run.usedInStep === undefined ? result.usage : usageSince(result.usage, run.usedInStep),
  )
  run.usedInStep = undefined
  if (result.kind === "budget-exhausted") {
    noteUnaffordable(context, result.reason)
    run.stepsTaken -= 1
    return
  }
  run.rateLimit = null
  run.compactions = null
  if (result.kind === "unknown-end") {
    run.unknownEnds = [...(run.unknownEnds ?? []), result.word]
    run.stepsTaken -= 1
    run.usedInStep = result.usage
    return
  }
  run.unknownEnds = []
  const hasCalls = result.calls.length > 0
  const goesOn = result.stop === "max_tokens" || result.stop === "pause_turn"
  run.continuations = goesOn ? run.continuations + 1 : 0
  run.emptyAnswers = hasCalls || result.hasText ? 0 : run.emptyAnswers + 1
  askForReport(run, result)
  run.resultProblem = result.resultProblem
  run.lastAnswer = { stop: result.stop, hasText: result.hasText, hasCalls }
  run.batch = hasCalls ? openBatch(assistantSeq, run.stepsTaken, result.calls) : null
  state.headSeq = assistantSeq + result.calls.length
  if (result.promptCut !== undefined) notePromptCut(context, result.promptCut)
  if (result.stop === "unknown")
    noteUnknownEnd(context, `an answer ended with ${JSON.stringify(result.stopWord ?? "")}; its text was taken`)
}

/** The first empty answer in a row is asked for again, without a step of its own. */
const askForReport = (run: RunState, { calls, hasText, stop, usage }: Extract<Answered, { kind: "answer" }>): void => {
  if (hasText) run.hasSaid = true
  if (hasText || calls.length > 0) run.isReportAsked = false
  const isEmpty = !hasText && calls.length === 0 && (isNormalEnd(stop) || stop === "unknown")
  if (!isEmpty || run.emptyAnswers > 1 || !patched("empty-answers-are-asked-for")) return
  run.isReportAsked = true
  run.stepsTaken -= 1
  run.usedInStep = usage
}

/** Adds a notice for the model on how to continue from its last answer, where it cannot know that. */
const addNotices = ({ run, waiting }: SessionState): void => {
  if (run.continuations > 0 && run.lastAnswer?.stop === "max_tokens" && !run.lastAnswer.hasCalls)
    waiting.push({ source: "notice", inboxId: `continue-${run.stepsTaken}`, text: continueNotice })
  if (run.isReportAsked === true && run.resultProblem === undefined)
    waiting.push({ source: "notice", inboxId: `report-${run.stepsTaken}`, text: reportNotice })
  if (run.resultProblem !== undefined)
    waiting.push({ source: "notice", inboxId: `result-${run.stepsTaken}`, text: resultNotice(run.resultProblem) })
  run.resultProblem = undefined
}

/** Runs one model turn. Pending messages get their positions in the transcript and are written with it. */
export const callModel = async (context: SessionContext): Promise<void> => {
  await adoptApproval(context)
  const { state, settings } = context
  if (settings === null) throw new Error("a run steps before it was opened")
  const { run } = state
  addNotices(state)
  const append = [...answersToWrite(context), ...announcesToWrite(context), ...textsToWrite(context)]
  run.batch = null
  run.lastAnswer = null
  run.stepsTaken += 1
  const unusedAnswers = run.unknownEnds?.length ?? 0
  const isAskedAgain = run.isReportAsked === true
  const isStarted =
    isAskedAgain || run.outage != null || run.rateLimit != null || run.compactions != null || unusedAnswers > 0
  const isRetaken = isStarted || isStepRetaken(run.fallback)
  if (!isRetaken) emit(run, "step-started", { step: run.stepsTaken })
  const assistantSeq = state.headSeq + 1
  const failedAttempts = failedAttemptsOf(context)
  const input = {
    ...runScope(context),
    step: run.stepsTaken,
    sessionSteps: settings.stepsBefore + run.stepsTaken,
    assistantSeq,
    append,
    model: fallbackInUse(context) ?? state.modelOverride,
    budget: remainingBudget(context),
    spending: spendingOf(context),
    compactions: compactionsOf(context),
    waitsSince: run.rateLimit?.since ?? null,
    ...(failedAttempts > 0 ? { failedAttempts } : {}),
    ...(unusedAnswers > 0 ? { unusedAnswers } : {}),
    ...(isAskedAgain ? { isAskedAgain } : {}),
  }
  const offer = {
    options: (run.outage == null ? modelOptions : modelRetryOptions)(settings.timing, failedAttempts),
    summary: `step ${run.stepsTaken}: ${summaryMarkdown(modelInUse(context), 150)}`,
    offerMs: settings.timing.hostQueueTimeoutMs,
  }
  try {
    const result = await withOutbox(state, (outbox) =>
      executeOnWorker(context, offer, (activities) => activities.callModel({ ...input, outbox })),
    )
    if (result.kind === "needs-compaction") {
      await compactContext(context, result)
      // The texts of the step are in the transcript: its next try needs only the model.
      run.stepsTaken -= 1
    } else takeAnswer(context, assistantSeq, result)
    if (result.kind === "answer") {
      noteAnswer(context)
      await endOutage(context)
    }
  } catch (error) {
    // The texts of the step are in the transcript: its next try needs only the model.
    if (!noteFailure(context, error)) throw error
    forgetFailedAttempts(context)
    run.stepsTaken -= 1
    return
  }
  showDetails(context)
}

/** Proposes the one call of a run without a model, in the place of a model. */
export const proposeCall = async (context: SessionContext): Promise<void> => {
  await adoptApproval(context)
  const { state } = context
  const append = textsToWrite(context)
  const assistantSeq = state.headSeq + 1
  const input = { ...runScope(context), assistantSeq, append }
  const answer = await withOutbox(state, (outbox) =>
    recordOnMachine(context, "propose the call", (activities) => activities.proposeCall({ ...input, outbox })),
  )
  if (answer.kind === "failed") throw ApplicationFailure.nonRetryable(answer.error.message, answer.error.code)
  takeAnswer(context, assistantSeq, answer)
}
