import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow"
import {
  type AcquireMessage,
  checkAcquire,
  checkPlace,
  type LaneAnswer,
  type LaneInput,
  laneSignalNames,
  type LaneSettings,
  type SlotOffer,
} from "../../domain/lane/lane-message.ts"
import {
  emptyLane,
  grantSlots,
  isIdle,
  laneDetails,
  type LanePlace,
  type LaneQueue,
  releaseSlot,
  requestSlot,
  updatePositions,
} from "../../domain/lane/lane-queue.ts"
import { slotSignal } from "../messages/messages.ts"

const acquireSignal = defineSignal<[unknown]>(laneSignalNames.acquire)
const releaseSignal = defineSignal<[unknown]>(laneSignalNames.release)
const queueQuery = defineQuery<LaneAnswer>("queue")

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
  /** It is time to look at the holders, if anyone queues. */
  isDue: boolean
  timerRuns: boolean
}

const acquire = (here: Lane, { checkMs, idleMs, continueAsNewAfterEvents, ...request }: AcquireMessage): void => {
  const taken = requestSlot(here.queue, request)
  here.queue = taken.lane
  here.settings = { checkMs, idleMs, continueAsNewAfterEvents }
  if (taken.isHeld) here.unheard.push(request)
  here.changed = true
}

const release = (here: Lane, place: LanePlace): void => {
  here.queue = releaseSlot(here.queue, place)
  here.changed = true
}

/** Nothing waits for the answer; a session that cannot be reached gives up its slot or its place. */
const tell = (here: Lane, place: LanePlace, position: number): void => {
  const offer: SlotOffer = { run_id: place.runId, turn: place.turn, position }
  here.inFlight += 1
  void getExternalWorkflowHandle(place.workflowId)
    .signal(slotSignal, offer)
    .catch(() => release(here, place))
    .finally(() => {
      here.inFlight -= 1
    })
}

const giveOut = (here: Lane, whom: "new" | "all"): void => {
  here.changed = false
  const { lane: queue, granted } = grantSlots(here.queue)
  const told = updatePositions(queue, whom)
  here.queue = told.lane
  for (const place of [...granted, ...here.unheard]) tell(here, place, 0)
  for (const place of told.news) tell(here, place, place.position)
  here.unheard = []
}

/**
 * Tells the holders of their slot again, which asks the engine and the session at once: of one whose execution is over the signal fails, and one that
 * wants the slot no more gives it back. No activity: all that the lane goes by is in its history, in the order in which it came.
 */
const checkHolders = (here: Lane): void => {
  here.isDue = false
  for (const place of here.queue.holders) tell(here, place, 0)
}

const register = (here: Lane): void => {
  setHandler(acquireSignal, (value) => {
    const checked = checkAcquire(value)
    if (checked.ok) acquire(here, checked.value)
  })
  setHandler(releaseSignal, (value) => {
    const checked = checkPlace(value)
    if (checked.ok) release(here, checked.value)
  })
  setHandler(queueQuery, () => ({
    capacity: here.queue.capacity,
    holders: here.queue.holders.slice(0, maxShown).map(({ workflowId }) => workflowId),
    queued: here.queue.queued
      .slice(0, maxShown)
      .map(({ workflowId, resumes }, index) => ({ workflow_id: workflowId, position: index + 1, resumes })),
    queued_total: here.queue.queued.length,
  }))
}

const isLong = (here: Lane): boolean => {
  const limit = here.settings.continueAsNewAfterEvents
  const info = workflowInfo()
  return limit > 0 ? info.historyLength >= limit : info.continueAsNewSuggested
}

const startTimer = (here: Lane): void => {
  if (here.timerRuns) return
  here.timerRuns = true
  void sleep(Math.max(1, here.settings.checkMs)).then(() => {
    here.timerRuns = false
    here.isDue = true
  })
}

/** Until something arrives, or it is time to look at the holders again; false when the lane has been idle for long. */
const waitForNews = async (here: Lane): Promise<boolean> => {
  const moves = () => here.changed
  if (isIdle(here.queue)) return (await condition(moves, here.settings.idleMs)) || !isIdle(here.queue)
  if (here.queue.queued.length > 0) startTimer(here)
  await condition(() => here.changed || (here.isDue && here.queue.queued.length > 0))
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
    const isCheck = here.isDue && here.queue.queued.length > 0
    if (isCheck) checkHolders(here)
    giveOut(here, isCheck ? "all" : "new")
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
