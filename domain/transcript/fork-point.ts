import { textOf, type TextRow } from "./last-text.ts"
import { toolCallsOf } from "./tool-calls.ts"

export interface TranscriptPlace extends TextRow {
  readonly seq: number
  readonly step: number
}

/** Where a transcript is cut so that it ends with a whole step. */
export interface ForkPoint {
  /** Rows up to here belong to it; 0: none does. */
  readonly lastSeq: number
  readonly runId: string | undefined
  /** Calls of the step that have no result: a provider accepts no call without one. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[]
  /** What the model said in that step. */
  readonly text: string
}

/**
 * The end of the session's nth step, counted over all its runs: the model's turn and the results that follow it. Undefined where there is no
 * such step. 0 is before everything.
 */
export const forkPoint = (rows: readonly TranscriptPlace[], atStep: number): ForkPoint | undefined => {
  if (atStep === 0) return { lastSeq: 0, runId: undefined, unanswered: [], text: "" }
  const turns = rows.filter(({ message }) => message.role === "assistant")
  const steps = [...new Set(turns.map(({ runId, step }) => `${runId} ${step}`))]
  const wanted = steps[atStep - 1]
  const turn = turns.findLast(({ runId, step }) => `${runId} ${step}` === wanted)
  if (wanted === undefined || turn === undefined) return undefined
  const after = rows.slice(rows.indexOf(turn) + 1)
  const end = after.findIndex(({ message }) => message.role !== "tool")
  const results = end === -1 ? after : after.slice(0, end)
  const answered = new Set(results.flatMap(({ message }) => (message.role === "tool" ? [message.call_id] : [])))
  return {
    lastSeq: results.at(-1)?.seq ?? turn.seq,
    runId: turn.runId,
    unanswered: toolCallsOf(turn.message)
      .filter(({ id }) => !answered.has(id))
      .map(({ id, name }) => ({ id, name })),
    text: turn.message.role === "assistant" ? textOf(turn.message) : "",
  }
}
