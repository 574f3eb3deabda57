import { activityInfo, ApplicationFailure, CancelledFailure, cancellationSignal } from "@temporalio/activity"
import type { Message, ToolOutcome } from "../../contracts/message.ts"
import type { WritableStore } from "../../store/store.ts"
import type { ToolQuestion } from "../../tools/tool.ts"
import { activityFence } from "../run/activity-fence.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { loadQuestion, claimSeqOf, storeQuestion, roundOf } from "./call-question.ts"
import { appendOutbox } from "../run/write-outbox.ts"
import { previewOf } from "../../domain/text/preview.ts"

const questionCharacters = 2_000

/** How a call ended. `Extra` is what the caller keeps besides in the result's row. */
export interface CallEnd<Extra> {
  readonly outcome: ToolOutcome
  readonly content: string
  readonly extra: Extra
}

/** A call that is to run at most once, unless repeating it is safe. */
export interface OnceCall<Extra> {
  readonly name: string
  readonly idempotent: boolean
  /** Its row in the transcript, and what that row says. */
  toRow(end: CallEnd<Extra>): Message
  fromRow(message: Message): CallEnd<Extra> | undefined
  unknown(text: string): CallEnd<Extra>
  /** Never rejects for what is expected. */
  run(): Promise<CallEnd<Extra> | { readonly question: ToolQuestion }>
}

export type OnceResult<Extra> =
  | { readonly kind: "ended"; readonly end: CallEnd<Extra>; readonly preview: string }
  | { readonly kind: "asks"; readonly message: string; readonly round: number }

const unknownText = (name: string): string =>
  `outcome unknown: ${name} was started and the worker that ran it died or was stopped, so it may or may not have taken effect. ` +
  "It was not run again. Check the state before you repeat it."

/** Stopped, but not by anybody who wants it to end: the engine tries it again. */
const isTriedAgain = ({ reason }: AbortSignal): boolean =>
  reason instanceof CancelledFailure && (reason.message === "WORKER_SHUTDOWN" || reason.message === "TIMED_OUT")

/** Inside a workflow task a cancel would pass for one that was asked for. */
const stopped = ({ reason }: AbortSignal): Error => {
  const why = reason instanceof Error ? reason.message : "unknown"
  return activityInfo().isLocal ? ApplicationFailure.retryable(`stopped: ${why}`, "stopped") : new CancelledFailure(why)
}

/** Tells the outbox, and runs a call under a claim: whatever happens to workers, one that must not be repeated runs at most once. */
export const runOnce = async <Extra>(
  deps: AgentDependencies,
  input: RunToolInput,
  call: OnceCall<Extra>,
): Promise<OnceResult<Extra>> => {
  const { store, redact } = deps
  const { sessionId, runId, resultSeq: seq, callId, step } = input
  const { name } = call
  const fence = activityFence()
  const claimSeq = claimSeqOf(input)
  const ended = (end: CallEnd<Extra>): OnceResult<Extra> => ({
    kind: "ended",
    end,
    // Nobody looks into the marker that a local activity leaves.
    preview: activityInfo().isLocal ? "" : previewOf(end.content),
  })
  const finish = async (raw: CallEnd<Extra>, startedAt?: number): Promise<OnceResult<Extra>> => {
    const end = { ...raw, content: redact(raw.content) }
    const result = ended(end)
    const durationMs = startedAt === undefined ? 0 : Date.now() - startedAt
    const data = { call_id: callId, name, outcome: end.outcome, seq, duration_ms: durationMs }
    await store.transaction(async (writes) => {
      await writes.claims.finish({ sessionId, seq: claimSeq }, { seq, runId, step, message: call.toRow(end), fence })
      await writes.events.append(sessionId, [{ type: "tool-finished", runId, data, messageSeq: seq }])
    })
    return result
  }
  const asks = (question: ToolQuestion): OnceResult<Extra> => ({
    kind: "asks",
    message: redact(question.message).slice(0, questionCharacters),
    round: roundOf(input) + 1,
  })

  const claim = async (writes: WritableStore) => {
    await appendOutbox(writes, input, input.outbox)
    const result = await writes.claims.claim({ sessionId, seq: claimSeq, callId, tool: name, fence })
    if (result.claimed && roundOf(input) === 0)
      await writes.events.append(sessionId, [{ type: "tool-started", runId, data: { call_id: callId, name } }])
    return result
  }
  // A claim that a power cut took only makes a repetition possible; the result's commit takes along what was told before it.
  const { claimed, existing } = await store.transaction(claim, call.idempotent ? "crash" : "power-cut")
  if (!claimed && existing !== undefined) {
    const row = existing.done ? await store.messages.get(sessionId, seq) : undefined
    const before = row === undefined ? undefined : call.fromRow(row.message)
    if (before !== undefined) return ended(before)
    const question = await loadQuestion(store, input)
    if (question !== undefined) return asks(question)
    if (!call.idempotent) return finish(call.unknown(unknownText(name)))
  }
  const startedAt = Date.now()
  const signal = cancellationSignal()
  const result = await call.run()
  if (signal.aborted && isTriedAgain(signal)) throw stopped(signal)
  if ("question" in result) {
    if (signal.aborted) throw new CancelledFailure(`${name} was cancelled`)
    await storeQuestion(store, input, result.question)
    return asks(result.question)
  }
  const finished = await finish(result, startedAt)
  if (signal.aborted) throw new CancelledFailure(`${name} was cancelled`)
  return finished
}
