import type { StopReason } from "../../contracts/status.ts"
import type { UsageTotals } from "./usage-totals.ts"

/**
 * How a child was started, which decides where its result goes: to a call that waits for it, or to the parent's next step. `session`: it works in the
 * background, stays open between its runs, and is not a child in the engine.
 */
export type ChildUse = "task" | "background" | "session"

export interface Reserve {
  readonly microUsd: number | null
  readonly tokens: number | null
}

/** One child of a session in the state of its parent's workflow. Plain data: continue-as-new passes it on. */
export interface ChildState {
  readonly id: string
  /** Spawn order, from 1: the `#n` of `subagents`. */
  readonly ordinal: number
  readonly label: string | null
  readonly agent: string
  readonly use: ChildUse
  runId: string
  status: "running" | "paused" | "ended"
  /** It runs, but waits for its provider, or for children that do. */
  isAway?: boolean
  /** How many reports of pauses and resumptions it has sent in this run; none counts as 0. */
  reportCount?: number
  /** What that count was when a wait returned its pause to the parent's model. */
  toldPause?: number
  stopReason: StopReason | null
  /** The most that it may spend; the rest is refunded when it ends. */
  reserved: Reserve
  /** What it and its descendants had used when its run began. */
  usedBefore?: UsageTotals
  /** Its result has been reported to the parent's model: by a wait, a details call or an announcement. */
  isReported: boolean
  /** It asked for no announcement (`ANNOUNCE_SKIP`, `NO_REPLY`), or was cancelled. */
  isSilent: boolean
}

/** What a child reports about itself before its parent has recorded its start. */
export interface EarlyReport {
  readonly id: string
  readonly runId: string
  readonly status: "running" | "paused"
  readonly isAway?: boolean
}

export const isActive = (child: ChildState): boolean => child.status !== "ended"

/** Returns whether a wait has already returned the pause of this child: a further one waits until something has changed. */
export const isToldPause = ({ status, reportCount = 0, toldPause }: ChildState): boolean =>
  status === "paused" && toldPause === reportCount

/**
 * Returns whether a wait for these children has ended: all are final or paused, and, unless `endsForOld`, not every pause among them was returned by a
 * wait before.
 */
export const isWaitOver = (
  children: readonly ChildState[],
  { endsForOld }: { readonly endsForOld: boolean },
): boolean =>
  children.every(({ status }) => status !== "running") &&
  (endsForOld ||
    !children.some(isToldPause) ||
    children.some((child) => !isToldPause(child) && !(child.status === "ended" && child.isReported)))

export const activeChildren = (children: readonly ChildState[]): readonly ChildState[] => children.filter(isActive)

/**
 * Returns what the children of a run wait for if none of them works: all for people, or at least one for its provider. Undefined if one works, and without
 * children.
 */
export const waitOfChildren = (children: readonly ChildState[]): "people" | "provider" | undefined => {
  const active = activeChildren(children)
  if (active.length === 0 || active.some(({ status, isAway }) => status === "running" && isAway !== true))
    return undefined
  return active.every(({ status }) => status === "paused") ? "people" : "provider"
}

/** Returns the ended background children whose results have not been reported yet, in spawn order. */
export const unreportedChildren = (children: readonly ChildState[]): readonly ChildState[] =>
  children
    .filter((child) => child.status === "ended" && child.use !== "task" && !child.isReported && !child.isSilent)
    .toSorted((left, right) => left.ordinal - right.ordinal)

/** Ended children that a run remembers, besides those whose results are still to be reported. */
const maxEnded = 100

/** Returns the children without the oldest that have ended and need nothing more: the list is part of what continue-as-new carries over. */
export const withoutOldChildren = (children: readonly ChildState[]): ChildState[] => {
  const unreported = new Set(unreportedChildren(children))
  const isOver = (child: ChildState): boolean => child.status === "ended" && !unreported.has(child)
  let tooMany = children.filter(isOver).length - maxEnded
  return children.filter((child) => !isOver(child) || (tooMany -= 1) < 0)
}

/** Returns the part of the parent's budget that is reserved for its open children. */
export const reservedByChildren = (
  children: readonly ChildState[],
): { readonly microUsd: number; readonly tokens: number } => ({
  microUsd: activeChildren(children).reduce((sum, child) => sum + (child.reserved.microUsd ?? 0), 0),
  tokens: activeChildren(children).reduce((sum, child) => sum + (child.reserved.tokens ?? 0), 0),
})

const share = (left: number | null, slots: number): number | null => (left === null ? null : Math.floor(left / slots))

/** Returns the budget of a child without a requested one: what the parent has left, divided by its free child slots plus one. */
export const defaultReserve = (left: Reserve, freeSlots: number): Reserve => ({
  microUsd: share(left.microUsd, Math.max(0, freeSlots) + 1),
  tokens: share(left.tokens, Math.max(0, freeSlots) + 1),
})
