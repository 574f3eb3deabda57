import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { answerTokens, promptLimit } from "../../domain/compaction/prompt-limit.ts"
import type { PromptView } from "../../domain/compaction/prompt-view.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { estimatedPrompt, type NextCall } from "../../domain/limits/prompt/next-call.ts"
import { promptCut } from "../../domain/limits/prompt/prompt-cut.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import { affordableCall, unaffordableText } from "../../domain/limits/usage-cost.ts"
import { previewOf } from "../../domain/text/preview.ts"
import { isNormalEnd } from "../../domain/run/answer-end.ts"
import { lastAnswerProblem } from "../../domain/run/last-answer.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { readResult } from "../../domain/transcript/read-result.ts"
import { redactAnswer } from "../../domain/transcript/redact-answer.ts"
import { readCalls } from "../../domain/tools/arguments/read-calls.ts"
import { withNamedCalls } from "../../domain/tools/search/named-calls.ts"
import { callToolName } from "../../domain/tools/tool-names.ts"
import { limitCalls, toolCallsOf, withNewIds } from "../../domain/transcript/tool-calls.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { auditGranted, findGrant } from "../approval/granted-calls.ts"
import type { AgentActivities, CallModelInput } from "../contract/agent-activities.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import { runCall } from "../followed-calls.ts"
import { activityFence, firstFence } from "../transcript/activity-fence.ts"
import { appendRows, startsRun } from "../transcript/append-rows.ts"
import { closeStalePause } from "../transcript/close-pause.ts"
import { startingSurroundings } from "../run/session-surroundings.ts"
import { appendOutbox, isOnlyEvents, showOutbox, writeShown } from "../transcript/write-outbox.ts"
import { type AskingRun, askModel, showRetry } from "./ask-model.ts"
import { callSurroundings } from "./call-surroundings.ts"
import { type CallSurroundings, classifyCalls } from "./classify-calls.ts"
import { createDeltaStream } from "./delta-stream.ts"
import { attemptOf, isRefusal, modelFailure } from "./model-failure.ts"
import { mediaData, modelView, refuseMedia, suspectMedia, whileLoaded } from "./model-media.ts"
import { type PromptSession, promptOf, type RunPrompt, specOf } from "./model-prompt.ts"
import { nextCallOf } from "./next-call.ts"
import { offeredTools } from "./offer/offered-tools.ts"
import { keepPartial, ownAnswer, recordAnswer, recordUnused, superseded } from "./record-answer.ts"
import { missingServersNote } from "./offer/report-server-tools.ts"
import { releaseRate, reserveRate } from "../limits/provider-rate.ts"
import { releaseCall, reserveCall } from "../limits/reserve-call.ts"
import { inSlot } from "../slots/in-slot.ts"
import { turnUsage } from "../limits/turn-usage.ts"

const stepUsage = async ({ store }: AgentDependencies, input: CallModelInput) =>
  turnUsage(await store.usage.total({ sessionId: input.sessionId, runId: input.runId, step: input.step }))

const summarise = async (
  deps: AgentDependencies,
  input: CallModelInput,
  turn: { readonly snapshot: RunSnapshot; readonly message: AssistantMessage; readonly usage: UsageTotals },
): Promise<CallModelResult> => {
  const { snapshot, message, usage } = turn
  const text = answerText(message)
  const grantFor: CallSurroundings["grantFor"] = (call, opens) => findGrant(deps, input, { snapshot, call, opens })
  const surroundings = { ...(await callSurroundings(deps, snapshot, input)), grantFor }
  const calls = await classifyCalls(message, surroundings, input.isLast === true ? lastAnswerProblem : undefined)
  await auditGranted(deps, input, { message, calls })
  return {
    kind: "answer",
    // Once the conversation is shorter, an answer that the end of the context cut off is continued like any other one.
    stop: message.stop === "context_exceeded" && mayCompact(input, snapshot) ? "max_tokens" : message.stop,
    ...(message.stop_word === undefined ? {} : { stopWord: message.stop_word }),
    calls,
    hasText: text.trim() !== "",
    preview: previewOf(deps.redact(text)),
    usage,
    ...(input.isLast === true ? {} : await textProblem(deps, snapshot, message)),
  }
}

/** Returns why a final text is not the result that the run requires; nothing for any other answer. */
const textProblem = async (
  { redact }: Pick<AgentDependencies, "redact">,
  snapshot: RunSnapshot,
  message: AssistantMessage,
): Promise<{ readonly resultProblem?: string }> => {
  const isFinal = isNormalEnd(message.stop) || message.stop === "unknown"
  if (snapshot.outputSchema === undefined || snapshot.pauseOnText || !isFinal || toolCallsOf(message).length > 0)
    return {}
  const problem = await resultProblem(snapshot, readResult(answerText(message)))
  return problem === undefined ? {} : { resultProblem: redact(problem) }
}

/** More compactions without an answer in between would not help. */
const maxCompactions = 3

/** Whether the workflow can shorten the conversation instead of a call that does not fit. */
const mayCompact = ({ compactions }: CallModelInput, snapshot: RunSnapshot): boolean =>
  compactions < maxCompactions && snapshot.compaction.enabled

/**
 * Writes what the workflow placed before the answer. Returns false if the transcript continues after this place already, which a stalled attempt finds:
 * the end of the transcript and a pause that is open now are not its own.
 */
const writePlaced = async (deps: AgentDependencies, input: CallModelInput, snapshot: RunSnapshot): Promise<boolean> => {
  const { sessionId, assistantSeq, step, append: items } = input
  const isStart = items.some((item) => startsRun(item, { step, items }))
  // In the text that starts the run, since the prefix of the prompt stays the same in all of its steps.
  const note = isStart ? missingServersNote(await offeredTools(deps, snapshot), deps.redact) : undefined
  const { patch, lead } = isStart ? await startingSurroundings(deps, sessionId, snapshot) : {}
  await appendRows(deps.store, input, { step, items, note, lead })
  return await deps.store.transaction(async (writes) => {
    if (!(await writes.messages.isEnd(sessionId, assistantSeq - 1, firstFence()))) return false
    await appendOutbox(writes, input, input.outbox)
    await closeStalePause(writes, input)
    // Readers see the texts of this step while the model works.
    if (input.append.length > 0) await writes.sessions.patch(sessionId, { headSeq: assistantSeq - 1, ...patch })
    return true
  }, "crash")
}

/**
 * Brings the transcript up to the place of the answer. A step without anything new writes nothing here: that it has begun is shown meanwhile, and written with
 * the answer. Returns the session if it was read at the end of its transcript, or the answer that an earlier attempt has written.
 */
const beginTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  snapshot: RunSnapshot,
): Promise<Pick<TurnStart, "session"> | { readonly message: AssistantMessage }> => {
  const from = { seq: input.assistantSeq, since: firstFence() }
  const tail = await deps.store.messages.tail(input.sessionId, from)
  const isAtEnd = tail !== undefined && tail.row === undefined && !tail.isPaused
  if (isAtEnd && input.append.length === 0 && isOnlyEvents(input.outbox)) {
    showOutbox(deps, input, input.outbox)
    return { session: tail.session }
  }
  if (await writePlaced(deps, input, snapshot)) return { session: undefined }
  const message = ownAnswer(input, (await deps.store.messages.tail(input.sessionId, from))?.row)
  if (message === undefined) throw superseded()
  return { message }
}

interface TurnStart {
  readonly snapshot: RunSnapshot
  readonly session: PromptSession | undefined
  /** The images and PDF files with which the provider refused the same turn. */
  readonly without: ReadonlySet<string>
}

interface Turn extends TurnStart {
  readonly spec: ModelSpec
  readonly view: PromptView
  readonly prompt: RunPrompt
  readonly call: NextCall
}

const readTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { snapshot, session, without }: TurnStart,
): Promise<Turn> => {
  const spec = specOf(snapshot, allowedModel(snapshot, input.model))
  const { store } = deps
  const rows = await store.messages.read(input.sessionId, { headSeq: input.assistantSeq - 1 })
  const view = await modelView({ store, sessionId: input.sessionId, spec, without }, rows)
  const prompt = await promptOf(deps, input, { snapshot, session })
  const call = nextCallOf(view, { spec, models: snapshot.models, prompt }, answerTokens(spec))
  return { snapshot, session, spec, view, prompt, call, without }
}

const fits = ({ snapshot, spec, call }: Turn): boolean => {
  const limit = promptLimit(spec, snapshot.compaction)
  return limit === undefined || estimatedPrompt(call) <= limit
}

/** Otherwise a text is a question to a person, in words. */
const resultSchemaOf = ({ outputSchema: resultSchema, pauseOnText }: RunSnapshot) =>
  resultSchema === undefined || pauseOnText ? {} : { resultSchema }

/** Calls the model, and writes its answer. */
const takeTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  turn: Turn,
): Promise<CallModelResult | Pick<Turn, "without">> => {
  const { snapshot, spec, view, prompt, call, without } = turn
  const { sessionId, runId, assistantSeq, failedAttempts = 0, unusedAnswers = 0 } = input
  const attempt = attemptOf(failedAttempts + unusedAnswers)
  // Over all activities of the step: a reader drops what an earlier one wrote.
  const deltas = createDeltaStream(deps, { sessionId, runId, seq: assistantSeq, attempt: activityFence() })
  const { callable, ...prefix } = prompt
  const request = {
    spec,
    ...prefix,
    messages: view.messages,
    media: await mediaData({ store: deps.store, sessionId, spec }, view.messages),
    hidden: view.hidden,
    maxOutputTokens: call.maxOutputTokens,
    cacheKey: sessionId,
    attempt,
    ...(input.isLast === true ? { withoutCalls: true } : resultSchemaOf(snapshot)),
  }
  const run: AskingRun = {
    reserved: input,
    step: input.step,
    snapshot,
    failedAttempts,
    onDelta: deltas.push,
    onEnd: deltas.end,
    onStop: () => keepPartial(deps, input, { spec, text: deltas.text() }),
  }
  const reply = await askModel(deps, request, run)
  if ("failure" in reply) {
    if (reply.failure.kind === "context_exceeded" && mayCompact(input, snapshot))
      return { kind: "needs-compaction", isRefused: true }
    const suspects = isRefusal(reply.failure) ? suspectMedia(spec, view.messages) : []
    if (suspects.length > 0) return { without: new Set([...without, ...suspects]) }
    await showRetry(deps, run, reply.failure)
    throw modelFailure(reply.failure, snapshot.timing, failedAttempts)
  }
  const answer = withNewIds(limitCalls(reply.message), [...view.hidden, ...view.messages])
  const named = prompt.tools.some(({ name }) => name === callToolName) ? withNamedCalls(answer) : answer
  const message = redactAnswer(readCalls(named, callable), deps.redact)
  await refuseMedia(deps, input, turn)
  if (message.stop === "unknown" && toolCallsOf(message).length > 0) {
    await deltas.end()
    const used = await recordUnused(deps, input, { spec, message })
    return { kind: "unknown-end", word: message.stop_word ?? "", usage: turnUsage(used) }
  }
  const usage = turnUsage(await recordAnswer(deps, input, { spec, message, shown: await deltas.take() }))
  const cut = promptCut({ spec, call, messages: view.messages, usage: message.usage })
  const result = await summarise(deps, input, { snapshot, message, usage })
  if (result.kind === "answer")
    for (const { id: callId, quick } of result.calls)
      if (quick === true) deps.unstarted.add({ sessionId, assistantSeq, callId })
  return cut === undefined || result.kind !== "answer" ? result : { ...result, promptCut: cut }
}

/**
 * Reserves the call. Returns why it is not made now. The rate comes first: a call that waits for its time leaves the whole day to others, and a limit
 * of the day is not reported as near because of it.
 */
const reserveTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { spec, call, view: { messages }, without }: Turn,
): Promise<CallModelResult | undefined> => {
  const reserved = { ...input, failedAttempts: attemptOf(input.failedAttempts) - 1 }
  // A call that waited here would begin again with the request that the provider refused. It counts once it is answered.
  const limited = without.size > 0 ? undefined : await reserveRate(deps, reserved, { spec, call, messages })
  if (limited !== undefined) {
    // An attempt that was interrupted can have left one.
    await releaseCall(deps, input)
    return limited
  }
  let isReserved = false
  try {
    const unreserved = await reserveCall(deps, reserved, { call, spec })
    if (unreserved?.kind === "rate-limited") return unreserved
    if (unreserved !== undefined) return { ...unreserved, usage: await stepUsage(deps, input) }
    return void (isReserved = true)
  } finally {
    if (!isReserved) await releaseRate(deps, input, spec)
  }
}

/** Takes the turn if nothing prevents it, and again without images and PDF files if the provider refuses it: first without new ones, then without any. */
const takeTurnNow = async (
  deps: AgentDependencies,
  input: CallModelInput,
  start: TurnStart,
): Promise<CallModelResult> => {
  const planned = await readTurn(deps, input, start)
  const { snapshot, spec } = planned
  if (mayCompact(input, snapshot) && !fits(planned)) return { kind: "needs-compaction", isRefused: false }
  const call = affordableCall(planned.call, spec.price, input.budget)
  if (call === undefined) {
    const reason = unaffordableText(planned.call, spec.price, input.budget)
    return { kind: "budget-exhausted", usage: await stepUsage(deps, input), reason }
  }
  const turn = { ...planned, call }
  // A call that waits for memory must not have reserved anything.
  const taken = await whileLoaded(deps, input, {
    spec,
    messages: turn.view.messages,
    work: async () => (await reserveTurn(deps, input, turn)) ?? (await takeTurn(deps, input, turn)),
  })
  return "without" in taken ? await takeTurnNow(deps, input, { ...start, without: taken.without }) : taken
}

/** Creates the activity of one model turn: it writes the texts for the model, calls the model, and writes the answer at the place that the workflow assigned. */
export const createCallModel =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["callModel"] =>
  (input) =>
    runCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      const begun = await beginTurn(deps, input, snapshot)
      if ("message" in begun) return summarise(deps, input, { snapshot, ...begun, usage: await stepUsage(deps, input) })
      // A call that waits for its slot has not read the conversation, which can be large.
      const work = () => takeTurnNow(deps, input, { snapshot, ...begun, without: new Set() })
      try {
        return await inSlot(deps, input, { slots: deps.slots.modelCalls, amount: 1, work })
      } finally {
        await writeShown(deps, input.sessionId)
      }
    })
