import { ApplicationFailure } from "@temporalio/activity"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { costMicroUsd } from "../../domain/limits/usage-cost.ts"
import { noTokens, toUsage, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import { proposedOrdinal, usageAgainOrdinal, usageOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { MessageRow, NewEvent, WritableStore } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import { activityFence, isOwnRow } from "../transcript/activity-fence.ts"

/** Keeps the text that had come when a cancel ended the answer: it is the run's partial output. */
export const keepPartial = async (
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

/** Returns false where a newer attempt has already answered. */
const putAnswer = (store: WritableStore, input: CallModelInput, message: AssistantMessage): Promise<boolean> => {
  const row = { seq: input.assistantSeq, runId: input.runId, step: input.step, message, fence: activityFence() }
  return store.messages.put(input.sessionId, row)
}

/** Returns the answer that an earlier attempt of this activity has written. */
export const earlierAnswer = (
  { assistantSeq }: CallModelInput,
  row: MessageRow | undefined,
): AssistantMessage | undefined =>
  row?.seq === assistantSeq && row.message.role === "assistant" && isOwnRow(row.fence) ? row.message : undefined

export const superseded = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable("a newer attempt has already answered this step", "superseded")

interface Answered {
  readonly spec: ModelSpec
  readonly message: AssistantMessage
  /** Events that come before the answer and are not written yet. */
  readonly shown?: readonly NewEvent[]
}

const usageEntry = ({ sessionId, runId, step }: CallModelInput, { message, spec }: Answered) => ({
  sessionId,
  runId,
  step,
  fence: activityFence(),
  model: spec.model,
  ...message.usage,
  costMicroUsd: costMicroUsd(message.usage, spec.price),
})

/** Records what an answer cost of which nothing is used. Returns what its step has used. */
export const recordUnused = (
  { store }: AgentDependencies,
  input: CallModelInput,
  turn: Answered,
): Promise<UsageTotals> => store.transaction((writes) => writes.usage.put(usageEntry(input, turn)))

/** Rolls a transaction back. */
const tooLate = new Error("a newer attempt has answered the step")

/** Writes the answer and all that follows from it, or neither. What it cost is kept whether it counts or not. Returns what its step has used. */
export const recordAnswer = async (
  deps: AgentDependencies,
  input: CallModelInput,
  turn: Answered,
): Promise<UsageTotals> => {
  try {
    return await deps.store.transaction(async (writes) => {
      // First, since it locks the session.
      await announceAnswer(writes, input, turn)
      if (!(await putAnswer(writes, input, turn.message))) throw tooLate
      await writes.events.compactDeltas(input.sessionId, input.assistantSeq)
      const stepsTaken = input.isLast === true ? input.step - 1 : input.step
      await writes.runs.patch(input.runId, { stepsTaken, spending: input.spending })
      // Last, since it locks the totals of the day, which all runs of the store share.
      return await writes.usage.put(usageEntry(input, turn))
    })
  } catch (error) {
    if (error !== tooLate) throw error
    await recordUnused(deps, input, turn)
    throw superseded()
  }
}

const announceAnswer = async (
  store: WritableStore,
  { sessionId, runId, step, sessionSteps, assistantSeq: seq, isAskedAgain = false }: CallModelInput,
  { message, spec, shown = [] }: Answered,
): Promise<void> => {
  const calls = toolCallsOf(message)
  const proposed = {
    type: "tool-calls-proposed" as const,
    runId,
    ordinal: proposedOrdinal(step),
    data: { step, seq },
    messageSeq: seq,
  }
  const used = {
    type: "usage-updated" as const,
    runId,
    ordinal: isAskedAgain ? usageAgainOrdinal(step) : usageOrdinal(step),
    data: { step, ...toUsage({ ...message.usage, costMicroUsd: costMicroUsd(message.usage, spec.price) }) },
  }
  const patch = { stepsTaken: sessionSteps, headSeq: seq + calls.length }
  await store.events.append(sessionId, [...shown, ...(calls.length > 0 ? [proposed] : []), used], patch)
}
