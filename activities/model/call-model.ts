import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { promptCut } from "../../domain/limits/prompt/prompt-cut.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities, CallModelInput } from "../contract/agent-activities.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import { followCall } from "../followed-calls.ts"
import { releaseRate, reserveRate } from "../limits/provider-rate.ts"
import { releaseCall, reserveCall } from "../limits/reserve-call.ts"
import { budgetAfterReset, wholeSpending } from "../limits/reset-spending.ts"
import { turnUsage } from "../limits/turn-usage.ts"
import { inSlot } from "../slots/in-slot.ts"
import { writeShown } from "../transcript/write-outbox.ts"
import { type Asked, askTurn, type TurnAnswer } from "./ask-turn.ts"
import { beginTurn } from "./begin-turn.ts"
import { concludeTurn } from "./conclude-turn.ts"
import { attemptOf } from "./model-failure.ts"
import { refuseMedia, whileLoaded } from "./model-media.ts"
import { planTurn, stepUsage, type PlannedTurn, type TurnStart } from "./plan-turn.ts"
import { recordAnswer, recordUnused } from "./record-answer.ts"

/**
 * Reserves the call. Returns why it is not made now. The rate comes first: a call that waits for its time leaves the whole day to others, and a limit
 * of the day is not reported as near because of it.
 */
const reserveTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { spec, call, view: { messages }, withoutMedia }: PlannedTurn,
): Promise<CallModelResult | undefined> => {
  const reservation = { ...input, failedAttempts: attemptOf(input.failedAttempts) - 1 }
  // A call that waited here would begin again with the request that the provider refused. It counts once it is answered.
  const limited = withoutMedia.size > 0 ? undefined : await reserveRate(deps, reservation, { spec, call, messages })
  if (limited !== undefined) {
    // An attempt that was interrupted can have left one.
    await releaseCall(deps, input)
    return limited
  }
  let isReserved = false
  try {
    const refusal = await reserveCall(deps, reservation, { call, spec })
    isReserved = refusal === undefined
    return refusal?.kind === "budget-exhausted" ? { ...refusal, usage: await stepUsage(deps, input) } : refusal
  } finally {
    if (!isReserved) await releaseRate(deps, input, spec)
  }
}

/** Reserves the call, and makes it. One that waits for the memory of its images and PDF files has reserved nothing yet. */
const askWhenReserved = (deps: AgentDependencies, input: CallModelInput, turn: PlannedTurn): Promise<Asked> =>
  whileLoaded(deps, input, {
    spec: turn.spec,
    messages: turn.view.messages,
    work: async () => {
      const refusal = await reserveTurn(deps, input, turn)
      return refusal === undefined ? await askTurn(deps, input, turn) : { result: refusal }
    },
  })

/** Writes the answer at the place that the workflow assigned, and returns what follows from it. */
const keepAnswer = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { turn, answer }: { readonly turn: PlannedTurn; readonly answer: TurnAnswer },
): Promise<CallModelResult> => {
  const { sessionId, assistantSeq } = input
  const { snapshot, spec, view, call } = turn
  const { message, deltas } = answer
  await refuseMedia(deps, input, turn)
  if (message.stop === "unknown" && toolCallsOf(message).length > 0) {
    await deltas.end()
    const used = await recordUnused(deps, input, { spec, message })
    return { kind: "unknown-end", word: message.stop_word ?? "", usage: turnUsage(used) }
  }
  const usage = turnUsage(await recordAnswer(deps, input, { spec, message, shown: await deltas.take() }))
  const cut = promptCut({ spec, call, messages: view.messages, usage: message.usage })
  const result = await concludeTurn(deps, input, { snapshot, message, usage })
  for (const { id: callId, quick } of result.calls)
    if (quick === true) deps.unstarted.add({ sessionId, assistantSeq, callId })
  return { ...result, ...withoutUndefined({ promptCut: cut, leftOut: turn.prompt.leftOut }) }
}

/** Takes the turn, and again if the provider refuses it because of its images and PDF files: first without new ones, then without any. */
const takeTurn = async (deps: AgentDependencies, input: CallModelInput, start: TurnStart): Promise<CallModelResult> => {
  let { withoutMedia } = start
  for (;;) {
    const planned = await planTurn(deps, input, { ...start, withoutMedia })
    if ("result" in planned) return planned.result
    const { turn } = planned
    const asked = await askWhenReserved(deps, input, turn)
    if ("result" in asked) return asked.result
    if ("answer" in asked) return await keepAnswer(deps, input, { turn, answer: asked.answer })
    withoutMedia = asked.withoutMedia
  }
}

/** Returns what a model turn gets, with what its run used before its workflow was reset. */
const countReset = async (store: AgentDependencies["store"], input: CallModelInput): Promise<CallModelInput> => {
  const budget = await budgetAfterReset(store, input, input.budget)
  return budget === input.budget ? input : { ...input, budget, spending: await wholeSpending(store, input) }
}

/**
 * Creates the activity of one model turn, whose stages are a file each: the texts for the model are written (`begin-turn`), the conversation is read and
 * measured (`plan-turn`), the call is reserved, the model is asked (`ask-turn`), its answer is written (`record-answer`), and its calls are judged
 * (`conclude-turn`). Each stage can end the turn.
 */
export const createCallModel =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["callModel"] =>
  (given) =>
    followCall(deps, given, async () => {
      const input = await countReset(deps.store, given)
      const snapshot = await snapshotOf(input.snapshotHash)
      const begun = await beginTurn(deps, input, snapshot)
      if (begun.kind === "answered") {
        const { message } = begun
        return await concludeTurn(deps, input, { snapshot, message, usage: await stepUsage(deps, input) })
      }
      const { session } = begun
      // A call that waits for its slot has not read the conversation, which can be large.
      const work = () => takeTurn(deps, input, { snapshot, session, withoutMedia: new Set() })
      try {
        return await inSlot(deps, input, { slots: deps.slots.modelCalls, amount: 1, work })
      } finally {
        await writeShown(deps, input.sessionId)
      }
    })
