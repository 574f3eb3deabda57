import { activityInfo, ApplicationFailure, CancelledFailure } from "@temporalio/activity"
import type { Message, ToolOutcome } from "../../contracts/message.ts"
import type { NewEvent, WritableStore } from "../../store/store.ts"
import type { ToolQuestion } from "../../tools/tool.ts"
import { isCancel, limitReached } from "../followed-calls.ts"
import { callSignal } from "../running-calls.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import type { CallQuestion } from "../../domain/calls/tool-batch.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { claimSeqOf, isClaimOf, roundOf } from "../approval/call-claim.ts"
import { loadQuestion, storeQuestion } from "./call-question.ts"
import { appendOutbox, isOnlyEvents, writeOutbox } from "../transcript/write-outbox.ts"
import { previewOf } from "../../domain/text/preview.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

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
  /** Of its name and arguments. */
  readonly hash: string
  readonly idempotent: boolean
  /** Its row in the transcript, and what that row says. */
  toRow(end: CallEnd<Extra>): Message
  fromRow(message: Message): CallEnd<Extra> | undefined
  unknown(text: string): CallEnd<Extra> | Promise<CallEnd<Extra>>
  /** Writes what the row of an end refers to, in the row's transaction, and returns the end as it is then. By default, there is nothing. */
  commit?(writes: WritableStore, end: CallEnd<Extra>): Promise<CallEnd<Extra>>
  /** Never rejects for what is expected. */
  run(): Promise<CallEnd<Extra> | { readonly question: ToolQuestion }>
}

export type OnceResult<Extra> =
  | { readonly kind: "ended"; readonly end: CallEnd<Extra>; readonly preview: string }
  | { readonly kind: "asks"; readonly question: CallQuestion }

const unknownText = (name: string): string =>
  `outcome unknown: ${name} was started and the worker that ran it died or was stopped, so it may or may not have taken effect. ` +
  "It was not run again. Check the state before you repeat it."

/** After so many starts that ended with the worker, a call is reported instead of started again: it may be what ends the workers. */
const maxStarts = 2

const endsWorkersText = (name: string): string =>
  `outcome unknown: ${name} was started ${maxStarts} times, and each time the worker that ran it died. It was not started again. ` +
  "Use other arguments or another tool."

/** Returns whether Temporal tries the execution again although it was stopped: nobody cancelled its run, only its worker stops or its attempt was given up. */
const isTriedAgain = (signal: AbortSignal): boolean => signal.reason instanceof CancelledFailure && !isCancel(signal)

/** Inside a workflow task a cancel would pass for one that was asked for. */
const stopped = ({ reason }: AbortSignal): Error => {
  const why = reason instanceof Error ? reason.message : "unknown"
  return activityInfo().isLocal ? ApplicationFailure.retryable(`stopped: ${why}`, "stopped") : new CancelledFailure(why)
}

type ClaimResult = Awaited<ReturnType<WritableStore["claims"]["claim"]>>

interface Once<Extra> {
  readonly deps: AgentDependencies
  readonly input: RunToolInput
  readonly call: OnceCall<Extra>
  readonly fence: ReturnType<typeof activityFence>
  /** When the call began, in milliseconds since the epoch, if its claim is written with its end. */
  readonly unclaimedSince?: number
}

/** Rolls a transaction back, with the claim that it found. */
class Claimed extends Error {
  readonly result: ClaimResult

  constructor(result: ClaimResult) {
    super("the call is claimed already")
    this.result = result
  }
}

/** Writes the outbox, that the call starts, and its claim; with the events of its end if it has ended already. */
const writeStart = async <Extra>(
  writes: WritableStore,
  { input, call, fence, unclaimedSince: at }: Once<Extra>,
  endEvents: readonly NewEvent[] = [],
): Promise<ClaimResult> => {
  const { sessionId, runId, callId, outbox } = input
  const data = { call_id: callId, name: call.name, ...(input.isEdited === true ? { edited: true } : {}) }
  const started = roundOf(input) === 0 ? [{ type: "tool-started" as const, runId, data }] : []
  // First, since it locks the session.
  if (at === undefined) await appendOutbox(writes, input, outbox, started)
  else {
    const before = [...outbox.events.map((event) => ({ ...event, runId })), ...started]
    await writes.events.append(sessionId, [...before.map((event) => ({ ...event, at })), ...endEvents])
  }
  const claimed = { callId, callHash: call.hash, tool: call.name }
  const done = at !== undefined
  return await writes.claims.claim({ sessionId, seq: claimSeqOf(input), ...claimed, fence, done })
}

/**
 * Claims the call and records that it starts; `existing` is the claim of an earlier attempt. The fence alone does not show whose claim it is: after a
 * reset of the activity or the workflow, an attempt has the fence of an earlier one.
 */
const claim = async <Extra>(once: Once<Extra>): Promise<ClaimResult> => {
  const { deps, input, call, fence } = once
  let wasMade = false
  const claimAll = async (writes: WritableStore): Promise<ClaimResult> => {
    const result = await writeStart(writes, once)
    // The store repeats the transaction after an outage: the claim that it finds then is its own, and nothing has run yet.
    const isOwn = wasMade && result.existing?.fence === fence
    wasMade ||= result.claimed
    if (!result.claimed) throw new Claimed(isOwn ? { claimed: true } : result)
    return result
  }
  try {
    // A claim that a power cut took only makes a repetition possible; the result's commit includes what was written before it.
    return await deps.store.transaction(claimAll, call.idempotent ? "crash" : "power-cut")
  } catch (error) {
    if (!(error instanceof Claimed)) throw error
    await writeOutbox(deps.store, input, input.outbox)
    return error.result
  }
}

const ended = <Extra>(end: CallEnd<Extra>): OnceResult<Extra> => ({
  kind: "ended",
  end,
  // A local activity's result is not shown to people: it needs no preview, unless it is compared with that of an equal call.
  preview: activityInfo().isLocal && end.outcome === "ok" ? "" : previewOf(end.content),
})

const asks = <Extra>({ deps, input }: Once<Extra>, question: ToolQuestion): OnceResult<Extra> => ({
  kind: "asks",
  question: { message: startOf(deps.redact(question.message), questionCharacters), round: roundOf(input) + 1 },
})

const withoutSecrets = <Extra>({ deps }: Once<Extra>, end: CallEnd<Extra>): CallEnd<Extra> => ({
  ...end,
  content: deps.redact(end.content),
})

/** Rolls a transaction back. */
const tooLate = new Error("a later attempt has reported the call")

/** Writes how the call ended, with its row. Returns the end as it was written. */
const writeEnd = async <Extra>(
  writes: WritableStore,
  once: Once<Extra>,
  found: { readonly end: CallEnd<Extra>; readonly durationMs: number },
): Promise<CallEnd<Extra>> => {
  const { input, call, fence } = once
  const { sessionId, runId, resultSeq: seq, callId, step } = input
  const end = withoutSecrets(once, (await call.commit?.(writes, found.end)) ?? found.end)
  const data = { call_id: callId, name: call.name, outcome: end.outcome, seq, duration_ms: found.durationMs }
  const finished = { type: "tool-finished" as const, runId, data, messageSeq: seq }
  // First, since it locks the session.
  const claimsAtEnd = once.unclaimedSince !== undefined
  if (!claimsAtEnd) await writes.events.append(sessionId, [finished])
  else if (!(await writeStart(writes, once, [finished])).claimed) throw tooLate
  const row = { seq, runId, step, message: call.toRow(end), fence }
  // A later attempt has already reported the call, so this result is dropped.
  const isWritten = claimsAtEnd
    ? await writes.messages.put(sessionId, row)
    : await writes.claims.finish({ sessionId, seq: claimSeqOf(input) }, row)
  if (!isWritten) throw tooLate
  return end
}

/** Records how the call ended. */
const finish = async <Extra>(
  once: Once<Extra>,
  found: CallEnd<Extra>,
  durationMs: number,
): Promise<OnceResult<Extra>> => {
  const { deps, input, fence } = once
  let written: CallEnd<Extra> | undefined
  let wasTried = false
  try {
    await deps.store.transaction(async (writes) => {
      // Repeated after an outage that took the answer: the event has no ordinal, and would be there twice.
      if (wasTried && (await writes.messages.get(input.sessionId, input.resultSeq))?.fence === fence) return
      wasTried = true
      written = await writeEnd(writes, once, { end: found, durationMs })
    })
  } catch (error) {
    if (error !== tooLate) throw error
  }
  if (written !== undefined)
    deps.metrics?.toolCalled({ tool: once.call.name, outcome: written.outcome, seconds: durationMs / 1_000 })
  return ended(written ?? withoutSecrets(once, found))
}

/** Returns whether the call has ended, in this round or a later one: after a reset to before its questions, it begins with the first round again. */
const hasEnded = async <Extra>(
  { deps, input, call }: Once<Extra>,
  existing: NonNullable<ClaimResult["existing"]>,
): Promise<boolean> => {
  let last: ClaimResult["existing"] = existing
  for (let round = roundOf(input) + 1; last?.done === false; round += 1)
    last = await deps.store.claims.get(input.sessionId, claimSeqOf(input, round))
  return last !== undefined && isClaimOf(last, { callId: input.callId, hash: call.hash })
}

/** Returns the result of an earlier attempt; undefined if the call may run again. */
const earlierResult = async <Extra>(
  once: Once<Extra>,
  existing: NonNullable<ClaimResult["existing"]>,
): Promise<OnceResult<Extra> | undefined> => {
  const { deps, input, call } = once
  const row = (await hasEnded(once, existing))
    ? await deps.store.messages.get(input.sessionId, input.resultSeq)
    : undefined
  const before = row === undefined ? undefined : call.fromRow(row.message)
  if (before !== undefined) return ended(before)
  const question = await loadQuestion(deps.store, { ...input, hash: call.hash })
  if (question !== undefined) return asks(once, question)
  return call.idempotent ? undefined : finish(once, await call.unknown(unknownText(call.name)), 0)
}

/** Counts the start of an attempt after the first. Returns the result if there were too many. */
const countStart = async <Extra>(once: Once<Extra>): Promise<OnceResult<Extra> | undefined> => {
  const { deps, input, call, fence } = once
  const starts = await deps.store.claims.restart({ sessionId: input.sessionId, seq: claimSeqOf(input), fence })
  return starts !== undefined && starts > maxStarts
    ? finish(once, await call.unknown(endsWorkersText(call.name)), 0)
    : undefined
}

/** Takes back the start of an attempt that its worker stopped gracefully. An outage of the store must not hide that it was stopped. */
const uncountStart = ({ deps, input }: Once<unknown>): Promise<void> =>
  deps.store.claims.stopped({ sessionId: input.sessionId, seq: claimSeqOf(input) }).catch(() => undefined)

/**
 * Takes the mark of a first start. Returns whether nothing has to be written before the call runs: it can be repeated, ends at once, and no other start
 * of it needs to be told from this one. What is written at its end is the same.
 */
const takeClaimAtEnd = <Extra>({ deps, input, call }: Once<Extra>): boolean =>
  deps.unstarted.take(input) &&
  activityInfo().isLocal &&
  call.idempotent &&
  roundOf(input) === 0 &&
  isOnlyEvents(input.outbox)

/** Claims the call. Returns what an earlier attempt came to, if it does not run again. */
const begin = async <Extra>(once: Once<Extra>): Promise<OnceResult<Extra> | undefined> => {
  const { claimed, existing } = await claim(once)
  if (claimed || existing === undefined) return undefined
  const { input, call } = once
  if (!isClaimOf(existing, { callId: input.callId, hash: call.hash }))
    throw ApplicationFailure.retryable("another call of the session has this place in the transcript", "superseded")
  return (await earlierResult(once, existing)) ?? (await countStart(once))
}

/**
 * Writes the outbox, and runs a call under a claim: whatever happens to workers, one that must not be repeated runs at most once. The first start of a quick
 * call is recorded with its end.
 */
export const runOnce = async <Extra>(
  deps: AgentDependencies,
  input: RunToolInput,
  call: OnceCall<Extra>,
): Promise<OnceResult<Extra>> => {
  const once = { deps, input, call, fence: activityFence() }
  const claimsAtEnd = takeClaimAtEnd(once)
  const earlier = claimsAtEnd ? undefined : await begin(once)
  if (earlier !== undefined) return earlier
  const startedAt = Date.now()
  const signal = callSignal()
  const result = await call.run()
  if (signal.aborted && isTriedAgain(signal)) {
    if (!claimsAtEnd) await uncountStart(once)
    throw stopped(signal)
  }
  if ("question" in result) {
    if (signal.aborted && limitReached(signal) === undefined) throw new CancelledFailure(`${call.name} was cancelled`)
    if (claimsAtEnd) await claim(once)
    await storeQuestion(deps.store, { ...input, hash: call.hash }, result.question)
    return asks(once, result.question)
  }
  const started = claimsAtEnd ? { ...once, unclaimedSince: startedAt } : once
  const finished = await finish(started, result, Date.now() - startedAt)
  if (signal.aborted && limitReached(signal) === undefined) throw new CancelledFailure(`${call.name} was cancelled`)
  return finished
}
