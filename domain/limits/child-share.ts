import type { Limits } from "../../contracts/run-snapshot.ts"
import type { Reserve } from "./child-state.ts"
import { tighter } from "./narrow-limits.ts"

/** What a parent has left for a child at the moment of its start. */
export interface ChildShare {
  readonly reserve: Reserve
  /** What is left of the parent's own time limit; 0: it has none. */
  readonly timeLeftMs: number
}

const secondsWithin = (timeLeftMs: number, wantedSeconds: number): number => {
  if (timeLeftMs === 0) return wantedSeconds
  const left = Math.max(1, Math.floor(timeLeftMs / 1_000))
  return wantedSeconds === 0 ? left : Math.min(wantedSeconds, left)
}

/** Cuts a child's own limits down to its share: it spends no more than is reserved for it and does not outlive its parent. */
export const limitsWithinShare = (wanted: Limits, { reserve, timeLeftMs }: ChildShare): Limits => ({
  maxSteps: wanted.maxSteps,
  timeoutSeconds: secondsWithin(timeLeftMs, wanted.timeoutSeconds),
  budgetMicroUsd: tighter(reserve.microUsd, wanted.budgetMicroUsd),
  budgetTokens: tighter(reserve.tokens, wanted.budgetTokens),
})

/** What a child with these limits holds of its parent's budget. */
export const reserveOf = ({ budgetMicroUsd, budgetTokens }: Limits): Reserve => ({
  microUsd: budgetMicroUsd,
  tokens: budgetTokens,
})
