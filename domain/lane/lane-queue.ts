/**
 * One part of a session's work that needs a slot. `runId` is the first run of the session's execution, the same after each
 * continue-as-new; `turn` counts the session's requests, so that a late message about an earlier one is recognised.
 */
export interface LanePlace {
  readonly workflowId: string
  readonly runId: string
  readonly turn: number
}

export interface Queued extends LanePlace {
  /** It comes back from a wait in the middle of its run. */
  readonly resumes: boolean
  /** The position that was last sent to the session; null: none. */
  readonly told: number | null
}

/** Who has a slot and who waits for one. Plain data: continue-as-new passes it on. */
export interface LaneQueue {
  /** 0: as many as come. */
  readonly capacity: number
  readonly holders: readonly LanePlace[]
  /** In the order in which slots are given out. */
  readonly queued: readonly Queued[]
}

export interface LaneRequest extends LanePlace {
  readonly resumes: boolean
  readonly capacity: number
}

export const emptyLane: LaneQueue = { capacity: 0, holders: [], queued: [] }

/** Far below what an execution's input may hold. Who is turned away asks again within a minute. */
export const maxQueued = 8_000

const isSame = (left: LanePlace, right: LanePlace): boolean =>
  left.workflowId === right.workflowId && left.runId === right.runId && left.turn === right.turn

/** Of one session there is one place at most; a request replaces what is left of an earlier one. */
const isLate = (known: LanePlace, request: LanePlace): boolean =>
  known.workflowId === request.workflowId && known.runId === request.runId && known.turn > request.turn

const without = (lane: LaneQueue, workflowId: string): LaneQueue => ({
  ...lane,
  holders: lane.holders.filter((holder) => holder.workflowId !== workflowId),
  queued: lane.queued.filter((queued) => queued.workflowId !== workflowId),
})

const enqueue = (lane: LaneQueue, entry: Queued): LaneQueue => {
  if (lane.queued.length >= maxQueued) return lane
  const firstStarter = entry.resumes ? lane.queued.findIndex(({ resumes }) => !resumes) : -1
  const at = firstStarter === -1 ? lane.queued.length : firstStarter
  return { ...lane, queued: [...lane.queued.slice(0, at), entry, ...lane.queued.slice(at)] }
}

/**
 * Adds a request to the queue: resumed runs after other resumed runs and before all that start. `isHeld`: the requester has a slot already, and its
 * grant may have been lost.
 */
export const requestSlot = (
  lane: LaneQueue,
  { capacity, resumes, ...place }: LaneRequest,
): { readonly lane: LaneQueue; readonly isHeld: boolean } => {
  const resized = { ...lane, capacity }
  if (resized.holders.some((holder) => isSame(holder, place))) return { lane: resized, isHeld: true }
  const known = [...resized.holders, ...resized.queued]
  if (known.some((other) => isLate(other, place))) return { lane: resized, isHeld: false }
  if (resized.queued.some((other) => isSame(other, place))) {
    const queued = resized.queued.map((other) => (isSame(other, place) ? { ...other, told: null } : other))
    return { lane: { ...resized, queued }, isHeld: false }
  }
  return { lane: enqueue(without(resized, place.workflowId), { ...place, resumes, told: null }), isHeld: false }
}

/** Frees the slot or the place in the queue; an earlier turn's, too, but never a later one's. */
export const releaseSlot = (lane: LaneQueue, place: LanePlace): LaneQueue => {
  const isReleased = (other: LanePlace): boolean =>
    other.workflowId === place.workflowId && other.runId === place.runId && other.turn <= place.turn
  return {
    ...lane,
    holders: lane.holders.filter((holder) => !isReleased(holder)),
    queued: lane.queued.filter((queued) => !isReleased(queued)),
  }
}

/** Gives free slots to the first in the queue. */
export const grantSlots = (lane: LaneQueue): { readonly lane: LaneQueue; readonly granted: readonly LanePlace[] } => {
  const free = lane.capacity === 0 ? lane.queued.length : Math.max(0, lane.capacity - lane.holders.length)
  const granted = lane.queued
    .slice(0, free)
    .map(({ workflowId, runId, turn }): LanePlace => ({ workflowId, runId, turn }))
  if (granted.length === 0) return { lane, granted }
  return { lane: { ...lane, holders: [...lane.holders, ...granted], queued: lane.queued.slice(free) }, granted }
}

/** Records and returns the positions to send, counted from 1. `new`: to those who were sent none; `all`: also to those whose position has changed. */
export const updatePositions = (
  lane: LaneQueue,
  whom: "new" | "all",
): { readonly lane: LaneQueue; readonly news: readonly (LanePlace & { readonly position: number })[] } => {
  const news: (LanePlace & { readonly position: number })[] = []
  const queued = lane.queued.map((entry, index): Queued => {
    const position = index + 1
    if (entry.told === position || (whom === "new" && entry.told !== null)) return entry
    const { workflowId, runId, turn } = entry
    news.push({ workflowId, runId, turn, position })
    return { ...entry, told: position }
  })
  return news.length === 0 ? { lane, news } : { lane: { ...lane, queued }, news }
}

export const isIdle = (lane: LaneQueue): boolean => lane.holders.length === 0 && lane.queued.length === 0

const maxListed = 20

const listed = (ids: readonly { readonly workflowId: string }[]): readonly string[] => [
  ...ids.slice(0, maxListed).map(({ workflowId }, index) => `${index + 1}. \`${workflowId}\``),
  ...(ids.length > maxListed ? [`… and ${ids.length - maxListed} more`] : []),
]

/** Returns the text about the lane that operators read in the engine's UI. */
export const laneDetails = ({ capacity, holders, queued }: LaneQueue): string =>
  [
    `**Slots:** ${holders.length} of ${capacity === 0 ? "any number" : capacity} taken · ${queued.length} queued`,
    ...(holders.length === 0 ? [] : ["", "**At work:**", ...listed(holders)]),
    ...(queued.length === 0 ? [] : ["", "**Queued:**", ...listed(queued)]),
  ].join("\n")
