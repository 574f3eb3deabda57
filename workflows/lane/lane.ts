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
import { isHistoryLong } from "../is-history-long.ts"
import { slotSignal } from "../messages/messages.ts"

const acquireSignal = defineSignal<[unknown]>(laneSignalNames.acquire)
const releaseSignal = defineSignal<[unknown]>(laneSignalNames.release)
const queueQuery = defineQuery<LaneAnswer>("queue")

const defaults: LaneSettings = { checkMs: 15_000, idleMs: 3_600_000, continueAsNewAfterEvents: 0 }
const maxShown = 1_000

interface LaneState {
  queue: LaneQueue
  settings: LaneSettings
  /** Holders that asked again: their grant may have been lost. */
  unheard: LanePlace[]
  /** Signals on their way to sessions. */
  inFlight: number
  /** Something arrived that has not been processed. */
  changed: boolean
  /** It is time to look at the holders, if anyone queues. */
  isDue: boolean
  timerRuns: boolean
}

const acquire = (state: LaneState, { checkMs, idleMs, continueAsNewAfterEvents, ...request }: AcquireMessage): void => {
  const requested = requestSlot(state.queue, request)
  state.queue = requested.lane
  state.settings = { checkMs, idleMs, continueAsNewAfterEvents }
  if (requested.isHeld) state.unheard.push(request)
  state.changed = true
}

const release = (state: LaneState, place: LanePlace): void => {
  state.queue = releaseSlot(state.queue, place)
  state.changed = true
}

/** Nothing waits for the signal; a session that cannot be reached loses its slot or its place. */
const sendOffer = (state: LaneState, place: LanePlace, position: number): void => {
  const offer: SlotOffer = { run_id: place.runId, turn: place.turn, position }
  state.inFlight += 1
  void getExternalWorkflowHandle(place.workflowId)
    .signal(slotSignal, offer)
    .catch(() => release(state, place))
    .finally(() => {
      state.inFlight -= 1
    })
}

const offerSlots = (state: LaneState, whom: "new" | "all"): void => {
  state.changed = false
  const { lane: queue, granted } = grantSlots(state.queue)
  const positions = updatePositions(queue, whom)
  state.queue = positions.lane
  for (const place of [...granted, ...state.unheard]) sendOffer(state, place, 0)
  for (const place of positions.news) sendOffer(state, place, place.position)
  state.unheard = []
}

/**
 * Offers the holders their slot again, which checks the engine and the session at once: the signal fails for an execution that is over, and a session
 * that no longer needs the slot returns it. No activity: all that the lane depends on is in its history, in order of arrival.
 */
const checkHolders = (state: LaneState): void => {
  state.isDue = false
  for (const place of state.queue.holders) sendOffer(state, place, 0)
}

const register = (state: LaneState): void => {
  setHandler(acquireSignal, (value) => {
    const checked = checkAcquire(value)
    if (checked.ok) acquire(state, checked.value)
  })
  setHandler(releaseSignal, (value) => {
    const checked = checkPlace(value)
    if (checked.ok) release(state, checked.value)
  })
  setHandler(queueQuery, () => ({
    capacity: state.queue.capacity,
    holders: state.queue.holders.slice(0, maxShown).map(({ workflowId }) => workflowId),
    queued: state.queue.queued
      .slice(0, maxShown)
      .map(({ workflowId, resumes }, index) => ({ workflow_id: workflowId, position: index + 1, resumes })),
    queued_total: state.queue.queued.length,
  }))
}

const startTimer = (state: LaneState): void => {
  if (state.timerRuns) return
  state.timerRuns = true
  void sleep(Math.max(1, state.settings.checkMs)).then(() => {
    state.timerRuns = false
    state.isDue = true
  })
}

/** Until something arrives, or it is time to look at the holders again; false when the lane has been idle for long. */
const waitForChange = async (state: LaneState): Promise<boolean> => {
  const hasChanged = () => state.changed
  if (isIdle(state.queue)) return (await condition(hasChanged, state.settings.idleMs)) || !isIdle(state.queue)
  if (state.queue.queued.length > 0) startTimer(state)
  await condition(() => state.changed || (state.isDue && state.queue.queued.length > 0))
  return true
}

const carriedOf = ({ queue, settings, unheard }: LaneState): NonNullable<LaneInput["carried"]> => ({
  queue,
  settings,
  unheard,
})

const runLane = async (state: LaneState): Promise<void> => {
  for (let isFresh = true; ; isFresh = false) {
    if (!isFresh && isHistoryLong(state.settings.continueAsNewAfterEvents)) {
      await condition(() => state.inFlight === 0)
      await continueAsNew<typeof lane>({ carried: carriedOf(state) })
    }
    const isCheck = state.isDue && state.queue.queued.length > 0
    if (isCheck) checkHolders(state)
    offerSlots(state, isCheck ? "all" : "new")
    setCurrentDetails(laneDetails(state.queue))
    if (!(await waitForChange(state)) && state.inFlight === 0) return
  }
}

/**
 * Gives slots to sub-agents, first in first out; those that come back from a wait precede those that start. Requests come by signal-with-start, so
 * that the lane may end when nobody needs it. It ignores a cancel: it would forget who has a slot.
 */
export async function lane(input: LaneInput = {}): Promise<void> {
  const carried = input.carried ?? { queue: emptyLane, settings: defaults, unheard: [] }
  const state: LaneState = {
    ...carried,
    unheard: [...carried.unheard],
    inFlight: 0,
    changed: true,
    isDue: true,
    timerRuns: false,
  }
  register(state)
  await CancellationScope.nonCancellable(() => runLane(state))
}
