import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow"
import type { LaneActivities } from "../activities/lane-activities.ts"
import {
  type AcquireMessage,
  checkAcquire,
  checkPlace,
  type LaneAnswer,
  type LaneInput,
  laneSignalNames,
  type LaneSettings,
  type SlotOffer,
} from "../domain/lane-message.ts"
import {
  emptyLane,
  grantSlots,
  isIdle,
  type LanePlace,
  type LaneQueue,
  releaseSlot,
  requestSlot,
  tellPositions,
} from "../domain/lane-queue.ts"
import { laneDetails } from "../domain/lane-details.ts"
import { slotSignal } from "./messages.ts"

const acquireSignal = defineSignal<[unknown]>(laneSignalNames.acquire)
const releaseSignal = defineSignal<[unknown]>(laneSignalNames.release)
const queueQuery = defineQuery<LaneAnswer>("queue")

const { checkHolders } = proxyLocalActivities<LaneActivities>({
  startToCloseTimeout: 30_000,
  retry: { maximumAttempts: 1 },
})

const defaults: LaneSettings = { checkMs: 15_000, idleMs: 3_600_000, continueAsNewAfterEvents: 0 }
const maxShown = 1_000

interface Lane {
  queue: LaneQueue
  settings: LaneSettings
  /** Holders that asked again: their grant may have been lost. */
  unheard: LanePlace[]
  /** Signals on their way to sessions. */
  inFlight: number
  /** Something arrived that has not been looked at. */
  changed: boolean
  /** It is time to look at the holders, if anyone queues. Set by a timer: the clock is not the same in a replay after a local activity. */
  isDue: boolean
  timerRuns: boolean
}

const acquire = (lane: Lane, { checkMs, idleMs, continueAsNewAfterEvents, ...request }: AcquireMessage): void => {
  const taken = requestSlot(lane.queue, request)
  lane.queue = taken.lane
  lane.settings = { checkMs, idleMs, continueAsNewAfterEvents }
  if (taken.isHeld) lane.unheard.push(request)
  lane.changed = true
}

const release = (lane: Lane, place: LanePlace): void => {
  lane.queue = releaseSlot(lane.queue, place)
  lane.changed = true
}

/** Nothing waits for the answer; a session that cannot be reached gives up its slot or its place. */
const tell = (lane: Lane, place: LanePlace, position: number): void => {
  const offer: SlotOffer = { run_id: place.runId, turn: place.turn, position }
  lane.inFlight += 1
  void getExternalWorkflowHandle(place.workflowId)
    .signal(slotSignal, offer)
    .catch(() => release(lane, place))
    .finally(() => {
      lane.inFlight -= 1
    })
}

const giveOut = (lane: Lane, whom: "new" | "all"): void => {
  lane.changed = false
  const { lane: queue, granted } = grantSlots(lane.queue)
  const told = tellPositions(queue, whom)
  lane.queue = told.lane
  for (const place of [...granted, ...lane.unheard]) tell(lane, place, 0)
  for (const place of told.news) tell(lane, place, place.position)
  lane.unheard = []
}

const freeDeadHolders = async (lane: Lane): Promise<void> => {
  lane.isDue = false
  try {
    for (const place of await checkHolders({ holders: lane.queue.holders })) release(lane, place)
  } catch {
    // The engine could not be asked; the next look comes soon.
  }
}

const register = (lane: Lane): void => {
  setHandler(acquireSignal, (value) => {
    const checked = checkAcquire(value)
    if (checked.ok) acquire(lane, checked.value)
  })
  setHandler(releaseSignal, (value) => {
    const checked = checkPlace(value)
    if (checked.ok) release(lane, checked.value)
  })
  setHandler(queueQuery, () => ({
    capacity: lane.queue.capacity,
    holders: lane.queue.holders.slice(0, maxShown).map(({ workflowId }) => workflowId),
    queued: lane.queue.queued
      .slice(0, maxShown)
      .map(({ workflowId, resumes }, index) => ({ workflow_id: workflowId, position: index + 1, resumes })),
    queued_total: lane.queue.queued.length,
  }))
}

const isLong = (lane: Lane): boolean => {
  const limit = lane.settings.continueAsNewAfterEvents
  const info = workflowInfo()
  return limit > 0 ? info.historyLength >= limit : info.continueAsNewSuggested
}

const startTimer = (lane: Lane): void => {
  if (lane.timerRuns) return
  lane.timerRuns = true
  void sleep(Math.max(1, lane.settings.checkMs)).then(() => {
    lane.timerRuns = false
    lane.isDue = true
  })
}

/** Until something arrives, or it is time to look at the holders again; false when the lane has been idle for long. */
const waitForNews = async (lane: Lane): Promise<boolean> => {
  const moves = () => lane.changed
  if (isIdle(lane.queue)) return (await condition(moves, lane.settings.idleMs)) || !isIdle(lane.queue)
  if (lane.queue.queued.length > 0) startTimer(lane)
  await condition(() => lane.changed || (lane.isDue && lane.queue.queued.length > 0))
  return true
}

const carriedOf = ({ queue, settings, unheard }: Lane): NonNullable<LaneInput["carried"]> => ({
  queue,
  settings,
  unheard,
})

const liveLane = async (here: Lane): Promise<void> => {
  for (let isFresh = true; ; isFresh = false) {
    if (!isFresh && isLong(here)) {
      await condition(() => here.inFlight === 0)
      await continueAsNew<typeof lane>({ carried: carriedOf(here) })
    }
    giveOut(here, here.isDue ? "all" : "new")
    if (here.isDue && here.queue.queued.length > 0) {
      await freeDeadHolders(here)
      continue
    }
    setCurrentDetails(laneDetails(here.queue))
    if (!(await waitForNews(here)) && here.inFlight === 0) return
  }
}

/**
 * Gives slots to sub-agents, first in first out; those who come back from a wait go before those who start. Requests come by signal-with-start, so
 * that it may end when nobody needs it. It ignores a cancel: who is at work would be forgotten.
 */
export async function lane(input: LaneInput = {}): Promise<void> {
  const carried = input.carried ?? { queue: emptyLane, settings: defaults, unheard: [] }
  const here: Lane = {
    ...carried,
    unheard: [...carried.unheard],
    inFlight: 0,
    changed: true,
    isDue: true,
    timerRuns: false,
  }
  register(here)
  await CancellationScope.nonCancellable(() => liveLane(here))
}
