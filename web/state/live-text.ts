import type { SessionEvent } from "../../contracts/event.ts"

/** An answer that is being written. Its pieces can come in any order, those of the past among them. */
export interface LiveText {
  readonly seq: number
  readonly attempt: number
  readonly pieces: readonly { readonly id: number; readonly text: string }[]
}

export const liveTextOf = ({ pieces }: LiveText): string => pieces.map(({ text }) => text).join("")

/** Returns the answer after one more piece of text. A retried answer begins anew; pieces of answers that the transcript has are ignored. */
export const withDelta = (
  live: LiveText | undefined,
  event: SessionEvent,
  settledSeq: number,
): LiveText | undefined => {
  const { id, seq, attempt, text, whole } = event
  if (typeof seq !== "number" || typeof text !== "string" || seq <= settledSeq || whole === true) return live
  const at = { seq, attempt: typeof attempt === "number" ? attempt : 0 }
  const isOlder = live !== undefined && (live.seq > at.seq || (live.seq === at.seq && live.attempt > at.attempt))
  if (isOlder) return live
  const isSame = live?.seq === at.seq && live.attempt === at.attempt
  const before = isSame ? live.pieces : []
  const isNext = (before.at(-1)?.id ?? 0) < id
  const pieces = [...before, { id, text }]
  return { ...at, pieces: isNext ? pieces : pieces.toSorted((left, right) => left.id - right.id) }
}
