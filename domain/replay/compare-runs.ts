import type { StopReason } from "../../contracts/status.ts"
import type { Usage } from "../../contracts/usage.ts"

/** Why a replay ended, or the stop reason of a recorded run; `open` if that run has not ended. */
export type PlayedEnd = StopReason | "paused" | "open" | "unrecorded_call" | "max_tokens"

export interface PlayedCall {
  readonly step: number
  readonly name: string
  /** Null if the model wrote no valid JSON. */
  readonly arguments: Readonly<Record<string, unknown>> | null
  /** Equal for equal calls. */
  readonly key: string
}

/** A run from one step on, as it was recorded or as it was replayed. */
export interface PlayedRun {
  readonly model: string
  readonly steps: number
  readonly calls: readonly PlayedCall[]
  readonly usage: Usage
  readonly end: PlayedEnd
  readonly finalMessage: string | null
}

type ShownCall = Pick<PlayedCall, "step" | "name" | "arguments">

/** One place where the calls differ; null where one of the runs made no more calls. */
export interface CallDifference {
  /** Number among the calls, counted from 1. */
  readonly call: number
  readonly recorded: ShownCall | null
  readonly replayed: ShownCall | null
}

export interface RunComparison {
  /** Whether the calls and the outcome are the same. Texts, tokens and costs may differ. */
  readonly same: boolean
  readonly sameOutcome: boolean
  readonly sameFinalMessage: boolean
  readonly calls: readonly CallDifference[]
  /** Null if a price is unknown. */
  readonly costDifferenceUsd: number | null
}

const shown = (call: PlayedCall | undefined): ShownCall | null =>
  call === undefined ? null : { step: call.step, name: call.name, arguments: call.arguments }

/** Compares a replay with what was recorded, from the same step on. */
export const compareRuns = (recorded: PlayedRun, replayed: PlayedRun): RunComparison => {
  const count = Math.max(recorded.calls.length, replayed.calls.length)
  const calls = Array.from({ length: count }, (_, index) => index).flatMap((index): readonly CallDifference[] => {
    const [left, right] = [recorded.calls[index], replayed.calls[index]]
    return left?.key === right?.key ? [] : [{ call: index + 1, recorded: shown(left), replayed: shown(right) }]
  })
  const [before, after] = [recorded.usage.cost_usd, replayed.usage.cost_usd]
  const sameOutcome = recorded.end === replayed.end
  return {
    same: sameOutcome && calls.length === 0,
    sameOutcome,
    sameFinalMessage: recorded.finalMessage === replayed.finalMessage,
    calls,
    costDifferenceUsd: before === null || after === null ? null : Number((after - before).toFixed(6)),
  }
}
