import type { Compaction, Message } from "../../contracts/message.ts"
import { isLongResult, referenceTo } from "./result-reference.ts"

/** A row of a transcript, as far as a prompt depends on it. */
export interface PromptRow {
  readonly seq: number
  readonly message: Message
}

type CompactionMessage = Extract<Message, { role: "user" }> & { readonly compaction: Compaction }

const compactionOf = (message: Message): CompactionMessage | undefined =>
  message.role === "user" && message.compaction !== undefined
    ? { ...message, compaction: message.compaction }
    : undefined

/** What a model gets of a transcript. */
export interface PromptView {
  readonly messages: readonly Message[]
  /** The messages that a summary replaces, in order. */
  readonly hidden: readonly Message[]
  /** How many of `messages` an answer's token counts do not cover, because they changed after it was counted. */
  readonly uncounted: number
  readonly summarised: number
  readonly referenced: number
  /** The number of the last compaction's row; 0 if there is none. */
  readonly compactedAt: number
}

/** Returns whether a model got a row as it is: an answer follows, and no compaction before the answer made it a reference. */
const wasShown = (
  seq: number,
  { answers, marks }: { readonly answers: readonly number[]; readonly marks: readonly PromptRow[] },
): boolean => {
  const answered = answers.find((answer) => answer > seq)
  if (answered === undefined) return false
  return !marks.some((mark) => {
    const referenced = compactionOf(mark.message)?.compaction.referenced ?? 0
    return mark.seq > seq && mark.seq < answered && referenced >= seq
  })
}

/** Returns the messages after a row, with references instead of long results up to another one. */
export const visibleMessages = (
  rows: readonly PromptRow[],
  { summarised, referenced }: Pick<Compaction, "summarised" | "referenced">,
): readonly Message[] => {
  const marks = rows.filter(({ message }) => compactionOf(message) !== undefined)
  const answers = rows.filter(({ message }) => message.role === "assistant").map(({ seq }) => seq)
  return rows.flatMap(({ seq, message }) => {
    if (seq <= summarised || compactionOf(message) !== undefined) return []
    const isReference = message.role === "tool" && seq <= referenced && isLongResult(message)
    return [isReference ? referenceTo(message, wasShown(seq, { answers, marks })) : message]
  })
}

/**
 * Returns what a model gets of a transcript: its rows, or, after a compaction, the last summary and the rows that follow those which it replaces. Depends
 * on the rows alone, so that it changes with a compaction and at no other time.
 */
export const promptView = (rows: readonly PromptRow[]): PromptView => {
  const marks = rows.flatMap(({ seq, message }) => {
    const mark = compactionOf(message)
    return mark === undefined ? [] : [{ seq, mark }]
  })
  const last = marks.at(-1)
  if (last === undefined)
    return {
      messages: rows.map(({ message }) => message),
      hidden: [],
      uncounted: 0,
      summarised: 0,
      referenced: 0,
      compactedAt: 0,
    }
  const { summarised, referenced } = last.mark.compaction
  const summary = marks.findLast(({ mark }) => mark.compaction.kind === "summary")?.mark
  const before = visibleMessages(
    rows.filter(({ seq }) => seq < last.seq),
    { summarised, referenced },
  )
  const after = visibleMessages(
    rows.filter(({ seq }) => seq > last.seq),
    { summarised, referenced },
  )
  const start = summary === undefined ? [] : [summary]
  return {
    messages: [...start, ...before, ...after],
    hidden: rows.flatMap(({ seq, message }) =>
      seq <= summarised && compactionOf(message) === undefined ? [message] : [],
    ),
    uncounted: start.length + before.length,
    summarised,
    referenced,
    compactedAt: last.seq,
  }
}
