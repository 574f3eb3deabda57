import type { StopReason } from "../../contracts/status.ts"
import type { UsageTotals } from "./usage-totals.ts"

/**
 * How a child came to be, which decides who gets its result: a call that waits for it, or the parent's next step. `session`: it works in the
 * background, stays open between its runs, and is nobody's child in the engine.
 */
export type ChildUse = "task" | "background" | "session"

export interface Reserve {
  readonly microUsd: number | null
  readonly tokens: number | null
}

/** One child of a session, as its parent's workflow knows it. Plain data: it crosses over at continue-as-new. */
export interface ChildState {
  readonly id: string
  /** Spawn order, from 1: the `#n` of `subagents`. */
  readonly ordinal: number
  readonly label: string | null
  readonly agent: string
  readonly use: ChildUse
  runId: string
  status: "running" | "paused" | "ended"
  /** How many reports of pauses and resumptions it has sent in this run; none counts as 0. */
  reportCount?: number
  stopReason: StopReason | null
  /** What it may spend at most; refunded when it ends. */
  reserved: Reserve
  /** What it and those below it had used when its run began. */
  usedBefore?: UsageTotals
  /** Its result has reached the parent's model: by a wait, a details call or an announce. */
  isReported: boolean
  /** It asked not to be announced (`ANNOUNCE_SKIP`, `NO_REPLY`), or was cancelled. */
  isSilent: boolean
}

/** What a child reports about itself before its parent has recorded its start. `runId` is missing where an older version sent it. */
export interface EarlyReport {
  readonly id: string
  readonly runId?: string
  readonly status: "running" | "paused"
}

export const isActive = (child: ChildState): boolean => child.status !== "ended"

export const activeChildren = (children: readonly ChildState[]): readonly ChildState[] => children.filter(isActive)

/** Ended in the background with something to say that nobody has heard yet, in spawn order. */
export const unreportedChildren = (children: readonly ChildState[]): readonly ChildState[] =>
  children
    .filter((child) => child.status === "ended" && child.use !== "task" && !child.isReported && !child.isSilent)
    .toSorted((left, right) => left.ordinal - right.ordinal)

/** What open children may still spend, which their parent cannot. */
export const reservedByChildren = (
  children: readonly ChildState[],
): { readonly microUsd: number; readonly tokens: number } => ({
  microUsd: activeChildren(children).reduce((sum, child) => sum + (child.reserved.microUsd ?? 0), 0),
  tokens: activeChildren(children).reduce((sum, child) => sum + (child.reserved.tokens ?? 0), 0),
})

const share = (left: number | null, slots: number): number | null => (left === null ? null : Math.floor(left / slots))

/** A child's budget where none is named: what the parent has left divided by its free child slots plus one. */
export const defaultReserve = (left: Reserve, freeSlots: number): Reserve => ({
  microUsd: share(left.microUsd, Math.max(0, freeSlots) + 1),
  tokens: share(left.tokens, Math.max(0, freeSlots) + 1),
})
