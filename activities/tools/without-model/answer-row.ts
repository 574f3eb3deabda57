import { z } from "zod"
import type { AssistantMessage, Message } from "../../../contracts/message.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { noTokens } from "../../../domain/limits/usage-totals.ts"
import type { Store } from "../../../store/store.ts"
import type { RunStoreActivities } from "../../contract/agent-activities.ts"
import { activityFence } from "../../transcript/activity-fence.ts"
import type { ToolEnd } from "../call-manner.ts"

const failureSchema = z.object({
  stopReason: z.enum(["error", "timeout"]),
  error: z.object({ code: z.string(), message: z.string() }),
})

type Agent = Pick<RunSnapshot, "type">

/** Returns a message of an agent without a model. */
export const agentMessage = (
  { type }: Agent,
  parts: AssistantMessage["parts"],
  stop: AssistantMessage["stop"] = "end_turn",
): AssistantMessage => ({
  role: "assistant",
  provider: type === "binary" ? "binary" : "mcp-bridge",
  model: "none",
  parts,
  usage: noTokens,
  stop,
})

/** Returns the row of the one call's result, which is the agent's answer: its text and, for later requests, why the run failed. */
export const answerRow = (agent: Agent, { content, extra }: ToolEnd): Message =>
  agentMessage(agent, [
    ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
    ...(extra.failure === undefined ? [] : [{ type: "opaque" as const, opaque: extra.failure }]),
  ])

export const readAnswerRow = (message: Message): ToolEnd | undefined => {
  if (message.role !== "assistant") return undefined
  const content = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const opaque = message.parts.find((part) => part.type === "opaque")
  if (opaque === undefined) return { outcome: "ok", content, extra: { executed: true } }
  return { outcome: "error", content, extra: { executed: true, failure: failureSchema.parse(opaque.opaque) } }
}

/** Creates the activity that writes a person's result for the one call of a run, which is the run's answer. */
export const createWriteResult =
  (
    store: Pick<Store, "messages">,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): RunStoreActivities["writeResult"] =>
  async ({ sessionId, runId, snapshotHash, seq, text }) => {
    const message = agentMessage(await snapshotOf(snapshotHash), [{ type: "text", text }])
    await store.messages.put(sessionId, { seq, runId, step: 0, message, fence: activityFence() })
  }
