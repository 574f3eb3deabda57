import type { Reserve } from "./child-state.ts"

/** What a run has used besides its own model calls, and what makes those calls, as its workflow last reported it. */
export interface RunSpending {
  /** Running time, without waits. */
  readonly ranMs: number
  /** Usage of the sub-agents that have ended; null if a price is unknown. */
  readonly childrenMicroUsd: number | null
  readonly childrenTokens: number
  /** How often its conversation was shortened; absent: never. */
  readonly compacted?: number
  /** A budget that a person raised, which replaces the one of the settings. */
  readonly budget?: Reserve
  /** The fallback model that takes the run's steps; absent while its own model does. */
  readonly fallback?: string
}

/** What the workflow of a run that was reset counts as used. The store has what was used besides, before the reset. */
export interface CountedUsage {
  /** Of the run and of its sub-agents that have ended. */
  readonly microUsd: number
  readonly tokens: number
  /** The sub-agents for which it holds a part of the budget, whatever they have used. */
  readonly openChildren: readonly string[]
}
