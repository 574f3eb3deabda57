import { ApplicationFailure } from "@temporalio/activity"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { costMicroUsd } from "../../domain/limits/usage-cost.ts"
import { noTokens, toUsage } from "../../domain/limits/usage-totals.ts"
import { proposedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { WritableStore } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import { activityFence } from "../run/activity-fence.ts"

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

export const superseded = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable("a newer attempt has already answered this step", "superseded")

type Answered = { readonly spec: ModelSpec; readonly message: AssistantMessage }

const usageEntry = ({ sessionId, runId, step }: CallModelInput, { message, spec }: Answered) => ({
  sessionId,
  runId,
  step,
  fence: activityFence(),
  model: spec.model,
  ...message.usage,
  costMicroUsd: costMicroUsd(message.usage, spec.price),
})

/** Records what an answer cost of which nothing is used. */
export const recordUnused = ({ store }: AgentDependencies, input: CallModelInput, turn: Answered): Promise<void> =>
  store.transaction((writes) => writes.usage.put(usageEntry(input, turn)))

/** Writes the answer and all that follows from it, or neither. What it cost is kept whether it counts or not. */
export const recordAnswer = async (
  { store }: AgentDependencies,
  input: CallModelInput,
  turn: Answered,
): Promise<void> => {
  const entry = usageEntry(input, turn)
  const counts = await store.transaction(async (writes) => {
    const isOwn = await putAnswer(writes, input, turn.message)
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
  { message, spec }: Answered,
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
