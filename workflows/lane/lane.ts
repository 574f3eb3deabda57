import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  sleep,
} from "@temporalio/workflow"
import { handleQuery, handleSignal } from "../messages/described-handlers.ts"
import {
  type AcquireMessage,
  checkAcquire,
  checkPlace,
  type LaneAnswer,
  type LaneInput,
  laneSignalNames,
  type LaneSettings,
} from "../../domain/lane/lane-message.ts"
import { emptyLane, isLaneIdle, laneDetails, requestSlot } from "../../domain/lane/lane-queue.ts"
import { isHistoryLong } from "../is-history-long.ts"
import { freePlace, type LaneState, offerSlots, repeatGrants } from "./lane-grants.ts"

const acquireSignal = defineSignal<[unknown]>(laneSignalNames.acquire)
const releaseSignal = defineSignal<[unknown]>(laneSignalNames.release)
const queueQuery = defineQuery<LaneAnswer>("queue")

const defaults: LaneSettings = { checkMs: 15_000, idleMs: 3_600_000, continueAsNewAfterEvents: 0, maxSignals: 200 }
const maxShown = 1_000

const acquire = (
  state: LaneState,
  { checkMs, idleMs, continueAsNewAfterEvents, maxSignals, ...request }: AcquireMessage,
): void => {
  const requested = requestSlot(state.queue, request)
  state.queue = requested.lane
  state.settings = { checkMs, idleMs, continueAsNewAfterEvents, maxSignals }
  repeatGrants(state, requested, request)
  state.changed = true
}

const register = (state: LaneState): void => {
  handleSignal(acquireSignal, (value) => {
    const checked = checkAcquire(value)
    if (checked.ok) acquire(state, checked.value)
  })
  handleSignal(releaseSignal, (value) => {
    const checked = checkPlace(value)
    if (checked.ok) freePlace(state, checked.value)
  })
  handleQuery(queueQuery, () => ({
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
  const isChanged = () => state.changed
  if (isLaneIdle(state.queue)) return (await condition(isChanged, state.settings.idleMs)) || !isLaneIdle(state.queue)
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
  // Never spins: offerSlots clears what ends the wait, and only signals, timers and the check's activity set it again.
  for (let isFresh = true; ; isFresh = false) {
    if (!isFresh && isHistoryLong(state.settings.continueAsNewAfterEvents)) {
      await condition(() => state.inFlight === 0)
      await continueAsNew<typeof lane>({ carried: carriedOf(state) })
    }
    offerSlots(state)
    setCurrentDetails(laneDetails(state.queue))
    if (!(await waitForChange(state)) && state.inFlight === 0) return
  }
}

/**
 * Gives slots to sub-agents in the order in which their runs were accepted; runs that resume after a wait precede those that start
 * (docs/decisions/0014). Requests come by signal-with-start, so that the lane can end when no session needs it. It ignores a cancel, which would lose
 * the holders.
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
