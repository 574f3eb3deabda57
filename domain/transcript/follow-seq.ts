/** A row of a transcript, as far as its place goes. */
interface Placed {
  readonly seq: number
  readonly message: { readonly role: string }
}

/**
 * Returns after which row a reader who follows a session reads on: the last one, or the last before a gap that can still be filled. Calls of one answer
 * end in any order, and each result has its place already. Once a row of another kind follows, no call before it is still running.
 */
export const followSeq = (rows: readonly Placed[], after = 0): number => {
  const lastOther = rows.findLastIndex(({ message }) => message.role !== "tool")
  // The answer whose calls these are, or the message after which nothing is missing.
  let settled = rows[lastOther]?.seq ?? after
  for (const { seq } of rows.slice(lastOther + 1)) {
    if (seq > settled + 1) return settled
    settled = seq
  }
  return settled
}
