import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation, patched } from "@temporalio/workflow"
import type { Warning } from "../../contracts/run/warning.ts"
import { summaryMarkdown } from "../../domain/text/shown/markdown.ts"
import type { CallModelInput } from "../../activities/contract/agent-activities.ts"
import type { CallModelResult } from "../../activities/contract/call-model-result.ts"
import { isStepRetaken } from "../../domain/run/model-fallback.ts"
import { isNormalEnd } from "../../domain/run/answer-end.ts"
import { isTenthLeft, lastAnswerNotice, stepsLeftNotice } from "../../domain/run/last-answer.ts"
import { emit, type RunState, type SessionState } from "../../domain/session/session-state.ts"
import { addUsage, usageSince } from "../../domain/limits/usage-totals.ts"
import { resultNotice } from "../../domain/prompts/result-guidance.ts"
import { openBatch } from "../../domain/calls/tool-batch.ts"
import { modelOptions, modelRetryOptions } from "../activity-options.ts"
import { compactContext, compactionsOf } from "../provider/compact-context.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"
import { callWhereFilesAre } from "../placement/call-where-files-are.ts"
import { adoptApproval } from "../session/read-settings.ts"
import { countedIfReset, remainingBudget, spendingOf } from "../session/remaining-budget.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showDetails, withOutbox, warn } from "../session/session-context.ts"
import { noteAnswer, noteFailure, noteUnaffordable } from "../provider/fall-back.ts"
import { fallbackInUse, modelInUse } from "../session/model-in-use.ts"
import { failedAttemptsOf, forgetFailedAttempts, noteRateLimit } from "../provider/wait-for-rate.ts"
import { endOutage } from "../provider/wait-for-provider.ts"
import { announcesToWrite, answersToWrite, textsToWrite } from "../session/transcript-places.ts"

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

const isLastAnswer = ({ stepsEnd }: RunState): boolean => stepsEnd === "asked"

/** Counts the model turn that follows as a step. The last answer, which the run gives after its last step, is none. */
const countStep = (run: RunState): void => {
  if (!isLastAnswer(run)) run.stepsTaken += 1
}

/** Takes back what `countStep` counted: the turn was not made, or is made again. */
const uncountStep = (run: RunState): void => {
  if (!isLastAnswer(run)) run.stepsTaken -= 1
}

/** Returns the number of the present model turn: the step that it is, or, of the last answer, the one that would come next. */
const turnOf = (run: RunState): number => run.stepsTaken + (isLastAnswer(run) ? 1 : 0)

/** Takes an answer into the state of the run: its calls are the batch that comes next. */
const takeAnswer = (context: SessionContext, assistantSeq: number, result: Answered): void => {
  const { state } = context
  const { run } = state
  const isLast = isLastAnswer(run)
  if (result.kind === "rate-limited") {
    noteRateLimit(context, result)
    uncountStep(run)
    return
  }
  const turn = turnOf(run)
  if (isLast) run.stepsEnd = "answered"
  // The usage is that of all attempts of the step.
  run.usage = addUsage(
    run.usage,
    run.usedInStep === undefined ? result.usage : usageSince(result.usage, run.usedInStep),
  )
  run.usedInStep = undefined
  if (isLast && result.kind !== "answer") return
  if (result.kind === "budget-exhausted") {
    noteUnaffordable(context, result.reason)
    uncountStep(run)
    return
  }
  run.rateLimit = null
  run.compactions = null
  if (result.kind === "unknown-end") {
    run.unknownEnds = [...(run.unknownEnds ?? []), result.word]
    uncountStep(run)
    run.usedInStep = result.usage
    return
  }
  run.unknownEnds = []
  const hasCalls = result.calls.length > 0
  const goesOn = result.stop === "max_tokens" || result.stop === "pause_turn"
  run.continuations = goesOn ? run.continuations + 1 : 0
  run.emptyAnswers = hasCalls || result.hasText ? 0 : run.emptyAnswers + 1
  if (!isLast) askForReport(run, result)
  run.resultProblem = result.resultProblem
  run.lastAnswer = { stop: result.stop, hasText: result.hasText, hasCalls }
  run.batch = hasCalls ? openBatch(assistantSeq, turn, result.calls) : null
  state.headSeq = assistantSeq + result.calls.length
  if (result.promptCut !== undefined) notePromptCut(context, result.promptCut)
  if (result.leftOut !== undefined) addWarning(run, { code: "sandbox_unavailable", message: result.leftOut })
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
  uncountStep(run)
  run.usedInStep = usage
}

/** Adds notices for the model: to continue an answer that was cut, to report, or to mend a result that does not validate. */
const addNotices = ({ run, waiting }: SessionState): void => {
  if (run.continuations > 0 && run.lastAnswer?.stop === "max_tokens" && !run.lastAnswer.hasCalls)
    waiting.push({ source: "notice", inboxId: `continue-${run.stepsTaken}`, text: continueNotice })
  if (run.isReportAsked === true && run.resultProblem === undefined)
    waiting.push({ source: "notice", inboxId: `report-${run.stepsTaken}`, text: reportNotice })
  if (run.resultProblem !== undefined)
    waiting.push({ source: "notice", inboxId: `result-${run.stepsTaken}`, text: resultNotice(run.resultProblem) })
  run.resultProblem = undefined
}

/** Adds notices for the model near the end of its steps: one when a tenth is left, and the request for its last answer after the last one. */
const addStepNotices = ({ run, waiting }: SessionState, maxSteps: number): void => {
  const { stepsTaken } = run
  if (run.stepsEnd === undefined && isTenthLeft(stepsTaken, maxSteps) && patched("steps-end-with-an-answer")) {
    run.stepsEnd = "told"
    waiting.push({ source: "notice", inboxId: `steps-${stepsTaken}`, text: stepsLeftNotice(stepsTaken, maxSteps) })
  }
  if (stepsTaken >= maxSteps && !isLastAnswer(run)) {
    run.stepsEnd = "asked"
    waiting.push({ source: "notice", inboxId: `last-${stepsTaken}`, text: lastAnswerNotice })
  }
}

/** Lets a run end without its last answer if that turn failed. Returns false for any other turn, and for a cancel. */
const endsWithoutLast = (context: SessionContext, error: unknown): boolean => {
  const { run } = context.state
  if (!isLastAnswer(run) || !(error instanceof ActivityFailure)) return false
  if (isCancellation(error) || CancellationScope.current().consideredCancelled) return false
  run.stepsEnd = "answered"
  warn(context, `the model gave no last answer: ${error.cause?.message ?? error.message}`)
  return true
}

/** Returns what the activity of a model turn gets, besides its events. */
const turnInput = (
  context: SessionContext,
  turn: Pick<CallModelInput, "step" | "assistantSeq" | "append"> & {
    readonly unusedAnswers: number
    readonly isAskedAgain: boolean
  },
): Omit<CallModelInput, "outbox"> => {
  const { state, settings } = context
  const { run } = state
  const { unusedAnswers, isAskedAgain, ...place } = turn
  const failedAttempts = failedAttemptsOf(context)
  return {
    ...runScope(context),
    ...place,
    sessionSteps: (settings?.stepsBefore ?? 0) + run.stepsTaken,
    model: fallbackInUse(context) ?? state.modelOverride,
    budget: remainingBudget(context),
    spending: spendingOf(context),
    ...countedIfReset(context),
    compactions: compactionsOf(context),
    waitsSince: run.rateLimit?.since ?? null,
    ...(failedAttempts > 0 ? { failedAttempts } : {}),
    ...(unusedAnswers > 0 ? { unusedAnswers } : {}),
    ...(isAskedAgain ? { isAskedAgain } : {}),
    ...(isLastAnswer(run) ? { isLast: true } : {}),
  }
}

/** Runs one model turn. Pending messages get their positions in the transcript and are written with it. */
export const callModel = async (context: SessionContext): Promise<void> => {
  await adoptApproval(context)
  const { state, settings } = context
  if (settings === null) throw new Error("a run steps before it was opened")
  const { run } = state
  addNotices(state)
  addStepNotices(state, settings.maxSteps)
  const append = [...answersToWrite(context), ...announcesToWrite(context), ...textsToWrite(context)]
  run.batch = null
  run.lastAnswer = null
  countStep(run)
  const step = turnOf(run)
  const isLast = isLastAnswer(run)
  const unusedAnswers = run.unknownEnds?.length ?? 0
  const isAskedAgain = run.isReportAsked === true
  const isStarted =
    isAskedAgain || run.outage != null || run.rateLimit != null || run.compactions != null || unusedAnswers > 0
  const isRetaken = isStarted || isStepRetaken(run.fallback)
  if (!isRetaken && !isLast) emit(run, "step-started", { step })
  const assistantSeq = state.headSeq + 1
  const failedAttempts = failedAttemptsOf(context)
  const input = turnInput(context, { step, assistantSeq, append, unusedAnswers, isAskedAgain })
  const offer = {
    options: (run.outage == null ? modelOptions : modelRetryOptions)(settings.timing, failedAttempts),
    summary: `${isLast ? "last answer" : `step ${step}`}: ${summaryMarkdown(modelInUse(context), 150)}`,
  }
  try {
    const result = await withOutbox(state, (outbox) =>
      executeOnWorker(context, offer, (activities) => activities.callModel({ ...input, outbox })),
    )
    if (result.kind === "needs-compaction") {
      await compactContext(context, result)
      // The activity has written the texts of the step, so the same step is only asked again.
      uncountStep(run)
    } else takeAnswer(context, assistantSeq, result)
    if (result.kind === "answer") {
      noteAnswer(context)
      await endOutage(context)
    }
  } catch (error) {
    if (endsWithoutLast(context, error)) return
    // As above: if the run can wait for its provider, the same step is only asked again.
    if (!noteFailure(context, error)) throw error
    forgetFailedAttempts(context)
    uncountStep(run)
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
    callWhereFilesAre(context, "propose the call", (activities) => activities.proposeCall({ ...input, outbox })),
  )
  if (answer.kind === "failed") throw ApplicationFailure.nonRetryable(answer.error.message, answer.error.code)
  takeAnswer(context, assistantSeq, answer)
}
