import type { AssistantMessage, Message, ToolCall } from "../../contracts/message.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { nextCallOf } from "../../activities/model/next-call.ts"
import { answerTokens } from "../../domain/compaction/prompt-limit.ts"
import type { PromptRow, PromptView } from "../../domain/compaction/prompt-view.ts"
import { costMicroUsd, affordableCall, type Remaining } from "../../domain/limits/usage-cost.ts"
import { addUsage, countedTokens, noUsage, toUsage, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import { resultNotice } from "../../domain/prompts/result-guidance.ts"
import { recordedCallKey, createOracle, type Oracle } from "../../domain/replay/recorded-results.ts"
import type { PlayedCall, PlayedEnd, PlayedRun } from "../../domain/replay/compare-runs.ts"
import { endProblem } from "../../domain/run/answer-end.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { readFinishResult, readResult } from "../../domain/transcript/read-result.ts"
import { limitCalls, toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import type { RecordedTurn, Recording } from "./read-recording.ts"
import type { ModelPrompt } from "../../activities/model/model-prompt.ts"

/** One model call of a replay. */
export type AskModel = (view: PromptView, prompt: ModelPrompt) => Promise<AssistantMessage>

export interface ReplayOptions {
  readonly model: string
  readonly spec: ModelSpec
  readonly snapshot: RunSnapshot
  readonly prompt: ModelPrompt
  /** The first turn that is made again. */
  readonly from: RecordedTurn
  readonly caps: Remaining
  readonly ask: AskModel
  /** Returns the rows as the model gets them: without images and PDF files that it does not take. */
  readonly viewOf: (rows: readonly PromptRow[]) => Promise<PromptView>
}

/** A call for which the recording has no result: the replay cannot continue after it. */
export interface UnrecordedCall extends PlayedCall {
  /** How often the recording made this call. */
  readonly made: number
}

export interface Replayed {
  readonly run: PlayedRun
  readonly unrecorded: UnrecordedCall | null
}

/** Returns the turns of the run that contains the first turn, from that one on. */
export const turnsFrom = ({ turns }: Recording, from: RecordedTurn): readonly RecordedTurn[] =>
  turns.filter(({ runId, step }) => runId === from.runId && step >= from.step)

export const playedCall = (call: ToolCall, step: number): PlayedCall => ({
  step,
  name: call.name,
  arguments: call.arguments,
  key: recordedCallKey(call),
})

/** Returns the texts that came between a turn's results and the next turn of its run. */
const textsAfter = ({ rows, turns }: Recording, turn: RecordedTurn | undefined): readonly Message[] => {
  if (turn === undefined) return []
  const next = turns.find(({ step }) => step === turn.step + 1)
  const between = rows.slice(turn.index + 1, next?.index)
  return between.flatMap(({ runId, message }) =>
    message.role === "user" && message.compaction === undefined && runId === turn.runId ? [message] : [],
  )
}

const leftOf = (caps: Remaining, used: UsageTotals): Remaining => ({
  microUsd: caps.microUsd === null ? null : caps.microUsd - (used.costMicroUsd ?? 0),
  tokens: caps.tokens === null ? null : caps.tokens - countedTokens(used),
})

type Turned =
  | { readonly kind: "continue"; readonly append: readonly Message[] }
  | { readonly kind: "end"; readonly end: PlayedEnd; readonly finalMessage: string | null }

const notRun = ({ id, name }: ToolCall, problem: string): Message => ({
  ...{ role: "tool", call_id: id, name, outcome: "error", content: problem, executed: false },
})

const isFinish = (call: ToolCall, { pauseOnText, outputSchema }: RunSnapshot): boolean =>
  call.name === "finish" && (pauseOnText || outputSchema !== undefined)

const noticeMessage = (text: string): Message => ({ role: "user", source: "notice", text })

/** Returns what follows an answer without calls. `texts`: what people wrote after the recorded answer. */
const afterText = async (
  answer: AssistantMessage,
  texts: readonly Message[],
  { snapshot, isRepeatedlyEmpty }: { readonly snapshot: RunSnapshot; readonly isRepeatedlyEmpty: boolean },
): Promise<Turned> => {
  const text = answerText(answer)
  if (answer.stop === "refusal") return { kind: "end", end: "refusal", finalMessage: text }
  if (answer.stop === "context_exceeded") return { kind: "end", end: "error", finalMessage: text }
  if (answer.stop === "pause_turn") return { kind: "continue", append: [] }
  if (answer.stop === "unknown" && toolCallsOf(answer).length > 0)
    return { kind: "end", end: "error", finalMessage: text }
  if (texts.length > 0) return { kind: "continue", append: texts }
  if (answer.stop === "max_tokens") return { kind: "end", end: "max_tokens", finalMessage: text }
  if (text.trim() === "" && !isRepeatedlyEmpty) return { kind: "continue", append: [] }
  if (snapshot.pauseOnText) return { kind: "end", end: "paused", finalMessage: text }
  const problem = snapshot.outputSchema === undefined ? undefined : await resultProblem(snapshot, readResult(text))
  return problem === undefined
    ? { kind: "end", end: "completed", finalMessage: text }
    : { kind: "continue", append: [noticeMessage(resultNotice(problem))] }
}

/** Returns the end of a run by `finish`; undefined if its result does not validate. */
const afterFinish = async (call: ToolCall, snapshot: RunSnapshot): Promise<Turned | undefined> => {
  const result = call.arguments?.["result"]
  const problem =
    snapshot.outputSchema === undefined ? undefined : await resultProblem(snapshot, readFinishResult(result))
  if (problem !== undefined) return undefined
  return { kind: "end", end: "completed", finalMessage: typeof result === "string" ? result : JSON.stringify(result) }
}

interface AnsweredCalls {
  readonly results: readonly Message[]
  /** The first call without a recorded result. */
  readonly unrecorded?: UnrecordedCall
  /** Set if one of the calls ended the run. */
  readonly finished?: Turned
}

/** Answers the calls of one step with recorded results, up to the first one that has none. */
const answerCalls = async (
  proposed: readonly ToolCall[],
  played: readonly PlayedCall[],
  { oracle, snapshot }: { readonly oracle: Oracle; readonly snapshot: RunSnapshot },
): Promise<AnsweredCalls> => {
  const results: Message[] = []
  let finished: Turned | undefined
  for (const [index, call] of proposed.entries()) {
    const ending = isFinish(call, snapshot) ? await afterFinish(call, snapshot) : undefined
    finished ??= ending
    if (ending !== undefined) continue
    const found = oracle.answer(call)
    const unrecorded = played[index]
    if (found.kind === "recorded") results.push({ ...found.result, call_id: call.id })
    else if (unrecorded !== undefined) return { results, unrecorded: { ...unrecorded, made: found.made } }
  }
  return finished === undefined ? { results } : { results, finished }
}

/**
 * Makes the model calls of a recorded run again from one turn on, in this process, and answers their tool calls with the recorded results: nothing is
 * executed, and nothing is written. The replay ends with the run, at a call without a recorded result, or at a limit.
 */
export const replayRun = async (recording: Recording, options: ReplayOptions): Promise<Replayed> => {
  const { snapshot, prompt, from, spec } = options
  const recordedTurns = turnsFrom(recording, from)
  const rows: PromptRow[] = recording.rows.slice(0, from.index).map(({ seq, message }) => ({ seq, message }))
  const add = (...messages: readonly Message[]): void => {
    for (const message of messages) rows.push({ seq: (rows.at(-1)?.seq ?? 0) + 1, message })
  }
  const oracle = createOracle(
    recording.rows.map(({ message }) => message),
    rows.map(({ message }) => message),
  )
  const stepsBefore = recording.turns.filter(({ runId, step }) => runId === from.runId && step < from.step).length
  const calls: PlayedCall[] = []
  let usage = noUsage
  let steps = 0
  let isRepeatedlyEmpty = false
  const ended = (
    end: PlayedEnd,
    finalMessage: string | null = null,
    unrecorded: UnrecordedCall | null = null,
  ): Replayed => ({
    run: { model: options.model, steps, calls, usage: toUsage(usage), end, finalMessage },
    unrecorded,
  })

  for (;;) {
    if (stepsBefore + steps >= snapshot.limits.maxSteps) return ended("max_steps")
    const view = await options.viewOf(rows)
    const nextCall = nextCallOf(view, { spec, models: snapshot.models, prompt }, answerTokens(spec))
    if (affordableCall(nextCall, spec.price, leftOf(options.caps, usage)) === undefined) return ended("budget")
    const answer = limitCalls(await options.ask(view, prompt))
    const recordedTurn = recordedTurns[steps]
    steps += 1
    const cost = costMicroUsd(answer.usage, spec.price)
    usage = addUsage(usage, { ...answer.usage, costMicroUsd: cost })
    add(answer)
    const proposed = toolCallsOf(answer)
    const played = proposed.map((call) => playedCall(call, from.step + steps - 1))
    calls.push(...played)
    const problem = endProblem(answer)
    const { results, unrecorded, finished }: AnsweredCalls =
      problem === undefined
        ? await answerCalls(proposed, played, { oracle, snapshot })
        : { results: proposed.map((call) => notRun(call, problem)) }
    add(...results)
    if (unrecorded !== undefined) return ended("unrecorded_call", null, unrecorded)
    if (finished?.kind === "end") return ended(finished.end, finished.finalMessage)
    const texts = textsAfter(recording, recordedTurn)
    if (proposed.length > 0 && (problem === undefined || answer.stop === "max_tokens")) {
      isRepeatedlyEmpty = false
      add(...texts)
      continue
    }
    const next = await afterText(answer, texts, { snapshot, isRepeatedlyEmpty })
    if (next.kind === "end") return ended(next.end, next.finalMessage)
    isRepeatedlyEmpty = answerText(answer).trim() === ""
    add(...next.append)
  }
}
