import type { Message } from "../../contracts/message.ts"
import type { Status, StopReason } from "../../contracts/status.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import { isSilentReply } from "../../domain/delegation/text/silent-reply.ts"
import type { Store } from "../../store/store.ts"
import type { AppendItem, CloseRunInput, RecordActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { appendRows } from "./append-rows.ts"
import { closeStalePause } from "./close-stale-pause.ts"
import { lastText, textOf } from "./last-text.ts"
import { runFinishedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { writeOutbox } from "./write-outbox.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import { previewOf } from "../../domain/text/preview.ts"

const statusOf = (stopReason: StopReason): Status => {
  if (stopReason === "completed" || stopReason === "cancelled") return stopReason
  return stopReason === "timeout" ? "timed_out" : "failed"
}

/** A call that was running when the run ended wrote its own result: what the workflow assumed gives way to it. */
const stillMissing = async (store: Store, input: CloseRunInput): Promise<readonly AppendItem[]> => {
  const items = await Promise.all(
    input.append.map(async (item) => {
      if (item.kind !== "result") return [item]
      const row = await store.messages.get(input.sessionId, item.seq)
      return row?.message.role === "tool" && row.message.call_id === item.callId && row.runId === input.runId
        ? []
        : [item]
    }),
  )
  return items.flat()
}

/** The last place of the transcript, with what a cut-off model turn left behind. */
const headOf = async (store: Store, input: CloseRunInput): Promise<number> => {
  const partial = await store.messages.get(input.sessionId, input.partialSeq)
  const isOwn =
    partial?.runId === input.runId && partial.message.role === "assistant" && partial.step === input.stepsTaken
  return isOwn ? input.partialSeq : input.headSeq
}

const finishResult = (message: Message | undefined, callId: string): string | undefined => {
  const call = findToolCall(message, callId)
  if (call === undefined) return undefined
  const result = call.arguments?.["result"]
  return typeof result === "string" ? result : ""
}

interface LastWord {
  readonly text: string
  /** It asked that nothing be announced, and left no other answer. */
  readonly isSilent: boolean
}

const spoken = (text: string): LastWord => ({ text, isSilent: false })

const finalMessage = async (store: Store, input: CloseRunInput, headSeq: number): Promise<LastWord> => {
  if (input.finish !== null) {
    const row = await store.messages.get(input.sessionId, input.finish.assistantSeq)
    const result = finishResult(row?.message, input.finish.callId)
    if (result !== undefined) return spoken(result)
  }
  const rows = await store.messages.read(input.sessionId, { fromSeq: Math.max(1, headSeq - 500), headSeq })
  const text = lastText(rows, input.runId)
  if (!isSilentReply(text)) return spoken(text)
  // A child's token is for its parent. At the top, it leaves the answer that was given before it.
  const session = await store.sessions.get(input.sessionId)
  if (session?.parentId !== null) return { text, isSilent: true }
  const before = lastText(
    rows.filter(({ message }) => message.role !== "assistant" || !isSilentReply(textOf(message))),
    input.runId,
  )
  return { text: before, isSilent: before === "" || text.trim() === "ANNOUNCE_SKIP" }
}

/** Records a run's terminal outcome. A run that is final stays as it is; repeating it changes nothing. */
export const createCloseRun =
  ({
    store,
    sandboxFor,
    logger,
    announcer,
  }: Pick<AgentDependencies, "store" | "sandboxFor" | "logger" | "announcer">): RecordActivities["closeRun"] =>
  async (input) => {
    await appendRows(store, input, { step: input.stepsTaken, items: await stillMissing(store, input) })
    const headSeq = await headOf(store, input)
    await writeOutbox(store, input, input.outbox)
    await closeStalePause(store, input)
    const { text: message, isSilent } = await finalMessage(store, input, headSeq)
    const outcome = {
      status: statusOf(input.stopReason),
      stopReason: input.stopReason,
      finalMessage: message,
      error: input.error,
    }
    await store.runs.patch(input.runId, {
      ...outcome,
      stepsTaken: input.stepsTaken,
      finishedAt: new Date().toISOString(),
    })
    const shown =
      input.nextRunId === null
        ? outcome
        : { status: "pending" as const, runId: input.nextRunId, stopReason: null, finalMessage: null, error: null }
    const session = await store.sessions.get(input.sessionId)
    // Repeated after a worker's death, it may find the next run there already.
    if (session?.runId === input.runId)
      await store.sessions.patch(input.sessionId, { ...shown, stepsTaken: input.sessionSteps, headSeq })
    if (input.hasBackground)
      await (
        await sandboxFor("auto")
      )
        .stopBackground(input.sessionId)
        .catch((error: unknown) => logger.warn({ err: error }, "background processes could not be stopped"))
    const usage = await store.usage.total({ sessionId: input.sessionId, runId: input.runId })
    await store.events.append(input.sessionId, [
      {
        type: "run-finished",
        runId: input.runId,
        ordinal: runFinishedOrdinal,
        data: {
          status: outcome.status,
          stop_reason: input.stopReason,
          final_message: finalMessageOf(outcome),
          error: input.error,
          steps_taken: input.stepsTaken,
          cost_usd: usage.costMicroUsd === null ? null : usage.costMicroUsd / 1e6,
        },
      },
    ])
    const deliveries = await announcer.finished({
      sessionId: input.sessionId,
      runId: input.runId,
      isTop: input.isTop ?? false,
      isSilent,
    })
    return {
      headSeq,
      preview: previewOf(message),
      ...(deliveries.length === 0 ? {} : { deliveries }),
    }
  }
