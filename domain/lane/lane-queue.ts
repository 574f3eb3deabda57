import { inlineCode } from "../text/shown/markdown.ts"
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
  /** It continues its run after a wait. */
  readonly resumes: boolean
  /** Number of its run in the order in which the store accepted runs. */
  readonly ticket: number
}

/** The sessions that have a slot or wait for one. Plain data: continue-as-new passes it on. */
export interface LaneQueue {
  /** Number of slots; 0: unlimited. */
  readonly capacity: number
  readonly holders: readonly LanePlace[]
  /** In the order in which slots are granted. */
  readonly queued: readonly Queued[]
}

export interface LaneRequest extends LanePlace {
  readonly resumes: boolean
  readonly capacity: number
  readonly ticket: number
}

export const emptyLane: LaneQueue = { capacity: 0, holders: [], queued: [] }

/** Far below the size limit of an execution's input. A request beyond it is dropped; its session requests again later. */
export const maxQueued = 8_000

const isSamePlace = (left: LanePlace, right: LanePlace): boolean =>
  left.workflowId === right.workflowId && left.runId === right.runId && left.turn === right.turn

/** A session has at most one place. A request replaces the place of an earlier one. */
const isLate = (known: LanePlace, request: LanePlace): boolean =>
  known.workflowId === request.workflowId && known.runId === request.runId && known.turn > request.turn

const without = (lane: LaneQueue, workflowId: string): LaneQueue => ({
  ...lane,
  holders: lane.holders.filter((holder) => holder.workflowId !== workflowId),
  queued: lane.queued.filter((queued) => queued.workflowId !== workflowId),
})

const precedes = (entry: Queued, other: Queued): boolean =>
  entry.resumes === other.resumes ? entry.ticket < other.ticket : entry.resumes

const enqueue = (lane: LaneQueue, entry: Queued): LaneQueue => {
  if (lane.queued.length >= maxQueued) return lane
  const firstAfter = lane.queued.findIndex((other) => precedes(entry, other))
  const at = firstAfter === -1 ? lane.queued.length : firstAfter
  return { ...lane, queued: [...lane.queued.slice(0, at), entry, ...lane.queued.slice(at)] }
}

export interface Requested {
  readonly lane: LaneQueue
  /** The requester has a slot already: its grant may have been lost. */
  readonly isHeld: boolean
  /** The slot of a later turn of the same execution, which was reset since: the session returns the slot when it is granted again. */
  readonly heldLater?: LanePlace
}

/** Adds a request to the queue: runs that resume before those that start, each in the order of their tickets. */
export const requestSlot = (lane: LaneQueue, { capacity, resumes, ticket, ...place }: LaneRequest): Requested => {
  const resized = { ...lane, capacity }
  if (resized.holders.some((holder) => isSamePlace(holder, place))) return { lane: resized, isHeld: true }
  const known = [...resized.holders, ...resized.queued]
  if (known.some((other) => isLate(other, place))) {
    const heldLater = resized.holders.find((other) => isLate(other, place))
    return { lane: resized, isHeld: false, ...(heldLater === undefined ? {} : { heldLater }) }
  }
  if (resized.queued.some((other) => isSamePlace(other, place))) return { lane: resized, isHeld: false }
  return { lane: enqueue(without(resized, place.workflowId), { ...place, resumes, ticket }), isHeld: false }
}

/** Frees the slot or the place in the queue, also of an earlier turn, but never of a later one. */
export const releasePlace = (lane: LaneQueue, place: LanePlace): LaneQueue => {
  const isReleased = (other: LanePlace): boolean =>
    other.workflowId === place.workflowId && other.runId === place.runId && other.turn <= place.turn
  return {
    ...lane,
    holders: lane.holders.filter((holder) => !isReleased(holder)),
    queued: lane.queued.filter((queued) => !isReleased(queued)),
  }
}

/** Gives free slots to the first in the queue, at most so many. */
export const grantSlots = (
  lane: LaneQueue,
  most = lane.queued.length,
): { readonly lane: LaneQueue; readonly granted: readonly LanePlace[] } => {
  const slots = lane.capacity === 0 ? lane.queued.length : lane.capacity - lane.holders.length
  const free = Math.max(0, Math.min(slots, most))
  const granted = lane.queued
    .slice(0, free)
    .map(({ workflowId, runId, turn }): LanePlace => ({ workflowId, runId, turn }))
  if (granted.length === 0) return { lane, granted }
  return { lane: { ...lane, holders: [...lane.holders, ...granted], queued: lane.queued.slice(free) }, granted }
}

export const isLaneIdle = (lane: LaneQueue): boolean => lane.holders.length === 0 && lane.queued.length === 0

const maxListed = 20

const listed = (ids: readonly { readonly workflowId: string }[]): readonly string[] => [
  ...ids.slice(0, maxListed).map(({ workflowId }, index) => `${index + 1}. ${inlineCode(workflowId)}`),
  ...(ids.length > maxListed ? [`… and ${ids.length - maxListed} more`] : []),
]

/** Returns the text about the lane that operators read in the engine's UI. */
export const laneDetails = ({ capacity, holders, queued }: LaneQueue): string =>
  [
    `**Slots:** ${holders.length} of ${capacity === 0 ? "any number" : capacity} taken · ${queued.length} queued`,
    ...(holders.length === 0 ? [] : ["", "**At work:**", ...listed(holders)]),
    ...(queued.length === 0 ? [] : ["", "**Queued:**", ...listed(queued)]),
  ].join("\n")
