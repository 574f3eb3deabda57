import { answerText, type TextRow } from "./last-text.ts"
import { toolCallsOf } from "./tool-calls.ts"

export interface TranscriptPlace extends TextRow {
  readonly seq: number
  readonly step: number
}

/** The point where a transcript is cut so that it ends with a whole step. */
export interface ForkPoint {
  /** The last row that is kept; 0: none. */
  readonly lastSeq: number
  readonly runId: string | undefined
  /** Calls of the step without a result: providers do not accept a call without one. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[]
  /** The model's text in that step. */
  readonly text: string
}

/**
 * Returns a function that numbers the steps of a session over all its runs. It is given the run and the step of each answer, in the order of the
 * transcript: an answer that continues another one is of the same step.
 */
export const stepCounter = (): ((runId: string, step: number) => number) => {
  const numbers = new Map<string, number>()
  return (runId, step) => {
    const key = `${runId} ${step}`
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return number
  }
}

/**
 * Returns the end of the session's nth step, counted over all its runs: the model turn and the results that follow it. Undefined if there is no such
 * step. Step 0 is before the first row.
 */
export const forkPoint = (rows: readonly TranscriptPlace[], atStep: number): ForkPoint | undefined => {
  if (atStep === 0) return { lastSeq: 0, runId: undefined, unanswered: [], text: "" }
  const turns = rows.filter(({ message }) => message.role === "assistant")
  const numberOf = stepCounter()
  const numbers = turns.map(({ runId, step }) => numberOf(runId, step))
  const turn = turns[numbers.lastIndexOf(atStep)]
  if (turn === undefined) return undefined
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
    text: turn.message.role === "assistant" ? answerText(turn.message) : "",
  }
}
