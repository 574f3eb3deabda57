import { getExternalWorkflowHandle } from "@temporalio/workflow"
import type { LaneActivities } from "../../activities/contract/lane-activities.ts"
import type { LaneSettings, SlotOffer } from "../../domain/lane/lane-message.ts"
import {
  grantSlots,
  type LanePlace,
  type LaneQueue,
  releasePlace,
  type Requested,
} from "../../domain/lane/lane-queue.ts"
import { slotSignal } from "../messages/messages.ts"
import { activitiesOf, localActivitiesOf } from "../activities-of.ts"
import { isNotPickedUp } from "../is-not-picked-up.ts"

/** What the lane knows while its execution runs. */
export interface LaneState {
  queue: LaneQueue
  settings: LaneSettings
  /** Holders that requested again: their grant may have been lost. */
  unheard: LanePlace[]
  /** Signals on their way to sessions. */
  inFlight: number
  /** Something arrived that has not been processed, or a signal made room for the next one. */
  changed: boolean
  /** It is time to check the holders, if any session is queued. */
  isDue: boolean
  timerRuns: boolean
}

const onWorker = activitiesOf<LaneActivities>({
  scheduleToStartTimeout: 3_000,
  startToCloseTimeout: 30_000,
  retry: { maximumAttempts: 1 },
})

const insideTask = localActivitiesOf<LaneActivities>({ startToCloseTimeout: 30_000, retry: { maximumAttempts: 1 } })

/** A worker that `adjutant run` started does not poll the lane's queue for activities. */
const findEndedHolders = async (holders: readonly LanePlace[]): Promise<readonly LanePlace[]> => {
  try {
    return await onWorker.findEndedHolders({ holders })
  } catch (error) {
    if (!isNotPickedUp(error)) throw error
    return await insideTask.findEndedHolders({ holders })
  }
}

export const freePlace = (state: LaneState, place: LanePlace): void => {
  state.queue = releasePlace(state.queue, place)
  state.changed = true
}

/** Puts the holders on the list of grants that are sent again. */
export const repeatGrants = (state: LaneState, { isHeld, heldLater }: Requested, place: LanePlace): void => {
  if (isHeld) state.unheard.push(place)
  else if (heldLater !== undefined) state.unheard.push(heldLater)
}

/** Nothing waits for the signal. A session that cannot be reached loses its slot or its place. */
const sendOffer = (state: LaneState, place: LanePlace): void => {
  const offer: SlotOffer = { run_id: place.runId, turn: place.turn }
  state.inFlight += 1
  void getExternalWorkflowHandle(place.workflowId)
    .signal(slotSignal, offer)
    .catch(() => freePlace(state, place))
    .finally(() => {
      state.inFlight -= 1
      if (state.unheard.length > 0 || grantSlots(state.queue, 1).granted.length > 0) state.changed = true
    })
}

/** The engine refuses a task that would have too many signals on their way: what has no room is sent as soon as others have arrived. */
const grantFreeSlots = (state: LaneState): void => {
  const room = Math.max(0, Math.max(1, state.settings.maxSignals) - state.inFlight)
  const again = state.unheard.splice(0, room)
  const { lane, granted } = grantSlots(state.queue, room - again.length)
  state.queue = lane
  for (const place of [...again, ...granted]) sendOffer(state, place)
}

/** Frees the slots of holders that have ended. A check that fails is followed by the next one. */
const freeEndedHolders = async (state: LaneState, holders: readonly LanePlace[]): Promise<void> => {
  try {
    for (const place of await findEndedHolders(holders)) freePlace(state, place)
  } catch {
    // The next check comes by itself.
  }
}

/** Grants what is free, and checks the holders when that is due. */
export const offerSlots = (state: LaneState): void => {
  state.changed = false
  const isCheck = state.isDue && state.queue.queued.length > 0
  if (isCheck) state.isDue = false
  const { holders } = state.queue
  if (isCheck && holders.length > 0) void freeEndedHolders(state, holders)
  grantFreeSlots(state)
}
