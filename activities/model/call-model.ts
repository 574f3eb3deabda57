import { activityInfo, ApplicationFailure, CancelledFailure } from "@temporalio/activity"
import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { allowedModel } from "../../domain/limits/allowed-model.ts"
import { readResult } from "../../domain/transcript/read-result.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import { costMicroUsd, isAffordable } from "../../domain/limits/usage-cost.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { ModelError } from "../../models/model-error.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import type { WritableStore } from "../../store/store.ts"
import { activityFence, isOwnRow } from "../run/activity-fence.ts"
import type { AgentActivities, CallModelInput, CallModelResult } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { appendRows } from "../run/append-rows.ts"
import { callSurroundings } from "./call-surroundings.ts"
import { classifyCalls } from "./classify-calls.ts"
import { closeStalePause } from "../run/close-pause.ts"
import { createDeltaStream, type DeltaStream } from "./delta-stream.ts"
import { textOf } from "../../domain/transcript/last-text.ts"
import { proposedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { modelFailure, modelRetry } from "./model-failure.ts"
import { nextCallOf } from "./next-call.ts"
import { modelPrompt } from "./model-prompt.ts"
import { delegationOf } from "./offered-delegation.ts"
import { offeredTools } from "./offered-tools.ts"
import { releaseCall, reserveCall } from "./reserve-call.ts"
import { auditGranted, findGrant } from "../approval/granted-calls.ts"
import { turnUsage } from "./turn-usage.ts"
import { reportChangedTools } from "./report-changed-tools.ts"
import { callSignal, isRunStopped, runCall } from "../followed-calls.ts"
import { appendOutbox } from "../run/write-outbox.ts"
import { redactAnswer } from "../../domain/transcript/redact-answer.ts"
import { limitCalls, toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { previewOf } from "../../domain/text/preview.ts"

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

const specOf = (snapshot: RunSnapshot, name: string): ModelSpec => {
  const spec = snapshot.models[name]
  if (spec === undefined)
    throw ApplicationFailure.nonRetryable(
      `model ${name} is not configured; configured: ${Object.keys(snapshot.models).join(", ")}`,
      "model_not_found",
    )
  return spec
}

const stepUsage = async ({ store }: AgentDependencies, input: CallModelInput) =>
  turnUsage(await store.usage.total({ sessionId: input.sessionId, runId: input.runId, step: input.step }))

const summarise = async (
  deps: AgentDependencies,
  input: CallModelInput,
  turn: { readonly snapshot: RunSnapshot; readonly message: AssistantMessage },
): Promise<CallModelResult> => {
  const { snapshot, message } = turn
  const text = textOf(message)
  const grantFor = (call: ToolCall) => findGrant(deps, input, { snapshot, call })
  const calls = await classifyCalls(message, { ...(await callSurroundings(deps, snapshot)), grantFor })
  await auditGranted(deps, input, { message, calls })
  return {
    kind: "answer",
    stop: message.stop,
    calls,
    hasText: text.trim() !== "",
    preview: previewOf(deps.redact(text)),
    usage: await stepUsage(deps, input),
    ...(await textProblem(deps, snapshot, message)),
  }
}

/** Returns why a final text is not the result that the run requires; nothing for any other answer. */
const textProblem = async (
  { redact }: Pick<AgentDependencies, "redact">,
  snapshot: RunSnapshot,
  message: AssistantMessage,
): Promise<{ readonly resultProblem?: string }> => {
  const isFinal = message.stop === "end_turn" || message.stop === "tool_calls"
  if (snapshot.outputSchema === undefined || snapshot.pauseOnText || !isFinal || toolCallsOf(message).length > 0)
    return {}
  const problem = await resultProblem(snapshot, readResult(textOf(message)))
  return problem === undefined ? {} : { resultProblem: redact(problem) }
}

/** A cancel in mid-answer keeps the text that had come: it is the run's partial output. */
const keepPartial = async (
  deps: AgentDependencies,
  input: CallModelInput,
  partial: { readonly spec: ModelSpec; readonly text: string },
): Promise<void> => {
  if (partial.text === "") return
  const message: AssistantMessage = {
    role: "assistant",
    provider: partial.spec.provider,
    model: partial.spec.model,
    parts: [{ type: "text", text: deps.redact(partial.text) }],
    usage: noTokens,
    stop: "max_tokens",
  }
  if (!(await putAnswer(deps.store, input, message))) throw superseded()
}

/** False where a newer attempt has already answered. */
const putAnswer = (store: WritableStore, input: CallModelInput, message: AssistantMessage): Promise<boolean> => {
  const row = { seq: input.assistantSeq, runId: input.runId, step: input.step, message, fence: activityFence() }
  return store.messages.put(input.sessionId, row)
}

const superseded = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable("a newer attempt has already answered this step", "superseded")

/** The answer and all that follows from it, or neither. What it cost is kept whether it counts or not. */
const recordAnswer = async (
  { store }: AgentDependencies,
  input: CallModelInput,
  turn: { readonly spec: ModelSpec; readonly message: AssistantMessage },
): Promise<void> => {
  const { sessionId, runId, step } = input
  const { message, spec } = turn
  const cost = costMicroUsd(message.usage, spec.price)
  const entry = {
    sessionId,
    runId,
    step,
    fence: activityFence(),
    model: spec.model,
    ...message.usage,
    costMicroUsd: cost,
  }
  const counts = await store.transaction(async (writes) => {
    const isOwn = await putAnswer(writes, input, message)
    if (isOwn) await announceAnswer(writes, input, turn)
    // Last, since it locks the totals of the day, which all runs of the store share.
    await writes.usage.put(entry)
    return isOwn
  })
  if (!counts) throw superseded()
}

const announceAnswer = async (
  store: WritableStore,
  input: CallModelInput,
  { message, spec }: { readonly spec: ModelSpec; readonly message: AssistantMessage },
): Promise<void> => {
  const { sessionId, runId, step } = input
  const calls = toolCallsOf(message)
  await store.events.compactDeltas(sessionId, input.assistantSeq)
  await store.events.append(sessionId, [
    ...(calls.length > 0
      ? [
          {
            type: "tool-calls-proposed" as const,
            runId,
            ordinal: proposedOrdinal(step),
            data: { step, seq: input.assistantSeq },
            messageSeq: input.assistantSeq,
          },
        ]
      : []),
    {
      type: "usage-updated",
      runId,
      ordinal: usageOrdinal(step),
      data: { step, ...toUsage({ ...message.usage, costMicroUsd: costMicroUsd(message.usage, spec.price) }) },
    },
  ])
  await store.runs.patch(runId, { stepsTaken: step, spending: input.spending })
  await store.sessions.patch(sessionId, {
    stepsTaken: input.sessionSteps,
    headSeq: input.assistantSeq + calls.length,
  })
}

const usageOrdinal = (step: number): number => -1_001 - step * 2

/** Shows that the call failed and when it is made again. */
const showRetry = async (
  { streamed }: AgentDependencies,
  { input, snapshot }: { readonly input: CallModelInput; readonly snapshot: RunSnapshot },
  failure: ModelError,
): Promise<void> => {
  const data = modelRetry(failure, snapshot.timing)
  if (data === undefined) return
  streamed.add(input.sessionId, { type: "model-retry", runId: input.runId, data: { step: input.step, ...data } })
  await streamed.flush(input.sessionId)
}

const respond = async (
  deps: AgentDependencies,
  request: Omit<ModelRequest, "onDelta" | "signal" | "apiKey">,
  run: { readonly input: CallModelInput; readonly snapshot: RunSnapshot; readonly deltas: DeltaStream },
): Promise<AssistantMessage> => {
  const { spec } = request
  const keyName = deps.apiKeyEnvOf(spec)
  const apiKey = keyName === undefined ? undefined : deps.env[keyName]
  const signal = callSignal()
  const { deltas } = run
  try {
    return await deps.providers[spec.provider].respond({ ...request, apiKey, signal, onDelta: deltas.push })
  } catch (error) {
    const failure = deps.classifyModelError(error, { spec, apiKey, signal })
    await deltas.end()
    // A call that is stopped for another reason is tried again, perhaps elsewhere already: its next attempt replaces the reservation.
    if (!signal.aborted || isRunStopped()) await releaseCall(deps, run.input)
    if (signal.aborted) {
      // Stopped for any other reason the call is tried again, and half an answer must not pass for a whole one.
      if (isRunStopped()) await keepPartial(deps, run.input, { spec, text: deltas.text() })
      throw new CancelledFailure("the model call was cancelled")
    }
    await showRetry(deps, run, failure)
    throw modelFailure(failure, run.snapshot.timing)
  }
}

/** Returns the prefix of the prompt. The session is read only if its depth matters. */
const promptOf = async (deps: AgentDependencies, input: CallModelInput, snapshot: RunSnapshot) => {
  const offered = await offeredTools(deps, snapshot)
  await reportChangedTools(deps, input, offered.changed)
  const session = delegationOf(snapshot).length === 0 ? undefined : await deps.store.sessions.get(input.sessionId)
  return modelPrompt(snapshot, offered.tools, session?.depth ?? 0)
}

/** Creates the activity of one model turn: it writes the texts for the model, calls the model, and writes the answer at the place that the workflow assigned. */
export const createCallModel =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["callModel"] =>
  (input) =>
    runCall(deps, input, async () => {
      const { store } = deps
      const { sessionId, runId, assistantSeq } = input
      const snapshot = await snapshotOf(input.snapshotHash)
      await appendRows(store, input, { step: input.step, items: input.append })
      await store.transaction(async (writes) => {
        await appendOutbox(writes, input, input.outbox)
        await closeStalePause(writes, input)
        // Readers see the texts of this step while the model works.
        if (input.append.length > 0) await writes.sessions.patch(sessionId, { headSeq: assistantSeq - 1 })
      }, "crash")
      const done = await store.messages.get(sessionId, assistantSeq)
      if (done?.message.role === "assistant" && isOwnRow(done.fence))
        return summarise(deps, input, { snapshot, message: done.message })

      const spec = specOf(snapshot, allowedModel(snapshot, input.model))
      const rows = await store.messages.read(sessionId, { headSeq: assistantSeq - 1 })
      const messages = rows.map((row) => row.message)
      const prompt = await promptOf(deps, input, snapshot)
      const call = nextCallOf(messages, prompt, spec.maxOutputTokens)
      if (!isAffordable(call, spec.price, input.budget))
        return { kind: "budget-exhausted", usage: await stepUsage(deps, input) }
      const reason = await reserveCall(deps, input, { call, spec })
      if (reason !== undefined) return { kind: "budget-exhausted", usage: await stepUsage(deps, input), reason }

      const attempt = activityInfo().attempt
      const deltas = createDeltaStream(deps, { sessionId, runId, seq: assistantSeq, attempt })
      const request = { spec, ...prompt, messages, maxOutputTokens: spec.maxOutputTokens, cacheKey: sessionId, attempt }
      const answer = await respond(deps, request, { input, snapshot, deltas })
      const message = redactAnswer(limitCalls(answer), deps.redact)
      await deltas.end()
      await recordAnswer(deps, input, { spec, message })
      return summarise(deps, input, { snapshot, message })
    })
