import type { Limits } from "../../contracts/run/limit-schemas.ts"
import type { Reserve } from "./child-state.ts"
import { tighter } from "./narrow-limits.ts"

/** What a parent has left for a child when the child starts. */
export interface ChildShare {
  readonly reserve: Reserve
  /** The rest of the parent's own time limit; 0: it has none. */
  readonly timeLeftMs: number
}

const secondsWithin = (timeLeftMs: number, wantedSeconds: number): number => {
  if (timeLeftMs === 0) return wantedSeconds
  const left = Math.max(1, Math.floor(timeLeftMs / 1_000))
  return wantedSeconds === 0 ? left : Math.min(wantedSeconds, left)
}

/** Narrows a child's own limits to its share: it spends at most what is reserved for it, and ends before its parent's time limit. */
export const limitsWithinShare = (wanted: Limits, { reserve, timeLeftMs }: ChildShare): Limits => ({
  ...wanted,
  timeoutSeconds: secondsWithin(timeLeftMs, wanted.timeoutSeconds),
  budgetMicroUsd: tighter(reserve.microUsd, wanted.budgetMicroUsd),
  budgetTokens: tighter(reserve.tokens, wanted.budgetTokens),
})

/** Returns the part of its parent's budget that is reserved for a child with these limits. */
export const reserveOf = ({ budgetMicroUsd, budgetTokens }: Limits): Reserve => ({
  microUsd: budgetMicroUsd,
  tokens: budgetTokens,
})
