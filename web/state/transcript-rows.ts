import { followSeq } from "../../domain/transcript/follow-seq.ts"
import type { TranscriptRow } from "../api/shapes.ts"

type Rows = readonly TranscriptRow[]

interface RowPage {
  readonly items: Rows
  readonly next_cursor: string | null
}

/** Returns rows with others that were read later, in their order; the same list if all of them are known. */
const withRows = (rows: Rows, read: Rows): Rows => {
  const known = new Set(rows.map(({ seq }) => seq))
  const fresh = read.filter(({ seq }) => !known.has(seq))
  return fresh.length === 0 ? rows : [...rows, ...fresh].toSorted((left, right) => left.seq - right.seq)
}

/** Reads the rows that may be new, and returns all. Results of one answer are stored in the order in which its calls end: it begins at their first gap. */
export const readRows = async (known: Rows, readPage: (after: number) => Promise<RowPage>): Promise<Rows> => {
  const read: TranscriptRow[] = []
  let after = followSeq(known)
  for (;;) {
    const { items, next_cursor: next } = await readPage(after)
    read.push(...items)
    after = items.at(-1)?.seq ?? after
    if (next === null) return withRows(known, read)
  }
}
