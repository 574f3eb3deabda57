/** More are not looked for: only positions near the end can belong to transactions that are still open. */
export const mostMissing = 1_000

/**
 * The positions without an event that a follower has passed. A transaction takes its positions before it commits, so that one with lower positions can
 * commit after one with higher ones. Other positions stay without an event: those of events that were in the log already, or were removed.
 */
export class MissingPositions {
  /** With the transactions that were open when the position was first looked for; undefined until then. */
  readonly #missing = new Map<number, ReadonlySet<string> | undefined>()

  get positions(): readonly number[] {
    return [...this.#missing.keys()]
  }

  get lowest(): number | undefined {
    const [first] = this.#missing.keys()
    return first
  }

  /** Notes which positions of a range have no event, and returns whether there are any. `present` has those that have one, in order. */
  note({ from, present }: { readonly from: number; readonly present: readonly number[] }): boolean {
    const last = present.at(-1)
    if (last === undefined) return false
    const known = new Set(present)
    let isAny = false
    for (let position = Math.max(from, last - mostMissing); position < last; position += 1)
      if (!known.has(position) && !this.#missing.has(position)) {
        this.#missing.set(position, undefined)
        isAny = true
      }
    const [...all] = this.#missing.keys()
    for (const position of all.slice(0, Math.max(all.length - mostMissing, 0))) this.#missing.delete(position)
    return isAny
  }

  /** Forgets the positions whose events a read has found. */
  found(positions: readonly number[]): void {
    for (const position of positions) this.#missing.delete(position)
  }

  /** Forgets those that a read would have found: whose transactions had all ended before it. `open` has those that were open right before the read. */
  settle(open: ReadonlySet<string>): void {
    for (const [position, before] of this.#missing) {
      const writers = before ?? open
      if (![...writers].some((writer) => open.has(writer))) this.#missing.delete(position)
      else this.#missing.set(position, writers)
    }
  }
}
