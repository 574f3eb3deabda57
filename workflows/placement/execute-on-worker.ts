import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  workflowInfo,
} from "@temporalio/workflow"
import type { AgentActivities, RecordActivities } from "../../activities/contract/agent-activities.ts"
import type { DelegationActivities } from "../../activities/contract/delegation-activities.ts"
import type { WorktreeActivities } from "../../activities/contract/worktree-activities.ts"
import { type Elsewhere, elsewhereOf } from "../../domain/engine/elsewhere.ts"
import { machineQueueOf } from "../../domain/engine/engine-names.ts"
import { workerBusy } from "../../domain/engine/engine-names.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { isStoppedResult } from "../../domain/calls/stopped-result.ts"
import type { SessionContext } from "../session/session-context.ts"
import { isHistoryFull } from "../is-history-long.ts"
import { isNotPickedUp } from "../is-not-picked-up.ts"
import { activitiesOf, mapInputs } from "../activities-of.ts"
import { record } from "../record-activities.ts"
import { showReached, waitForDirectory, waitForMachine } from "./wait-for-machine.ts"

type WorkerActivities = AgentActivities &
  WorktreeActivities &
  Pick<RecordActivities, "proposeCall"> &
  Pick<DelegationActivities, "prepareDelegation">

/** Writes the request to stop, once per run: it stops all of its running calls. */
const requestStop = async (context: SessionContext): Promise<void> => {
  const { run_id: runId } = context.state.run.reference
  if (context.stoppedRun === runId) return
  context.stoppedRun = runId
  await CancellationScope.nonCancellable(() => record.requestStop({ runId })).catch(() => undefined)
}

/**
 * Stops the call through the store when the run is cancelled. Temporal reports a cancel with the next heartbeat only, which comes too rarely on workers that
 * follow the requests of the store. A call that stopped returns data instead of failing, so that this function throws the cancel.
 */
const stopOnCancel = async <Result>(context: SessionContext, call: () => Promise<Result>): Promise<Result> => {
  if (context.settings?.followsStops !== true) return await call()
  const scope = CancellationScope.current()
  let isRunning = true
  scope.cancelRequested.catch(() => {
    if (isRunning && scope.consideredCancelled) void requestStop(context)
  })
  try {
    const result = await call()
    if (isStoppedResult(result)) throw new CancelledFailure("the call was stopped with its run")
    return result
  } finally {
    isRunning = false
  }
}

/** The first hundred offers wait from 5 s up to a minute each. Later ones wait an hour, so that a machine that is gone does not fill the history. */
const shortOffers = 100
const firstWaitMs = 5_000
const longestShort = 12
const longest = 720

const waitMsOf = (offers: number): number =>
  firstWaitMs * (offers < shortOffers ? Math.min(2 ** Math.min(offers, longestShort), longestShort) : longest)

interface Offer {
  readonly options: ActivityOptions
  readonly summary: string
  /** The call is given up after so many offers if the session's machine has no worker; default: never. */
  readonly maxOffers?: number
}

/** Where a call has been offered so far. */
interface Offers {
  /** Offers that no worker took. */
  count: number
  /** It is the turn of all workers, not of the session's machine. */
  isForAll: boolean
  /** Machines that were asked whether they have the directory. */
  readonly asked: Set<string>
  /** The machine to ask next. */
  next: string | undefined
  /** The session's machine did not take the call: the call is offered to it again once a worker of it answers. */
  isMissing: boolean
}

interface Target {
  readonly queue: string
  readonly machine: string | undefined
  /** Null: for as long as it takes. */
  readonly waitMs: number | null
}

const targetOf = ({ state }: SessionContext, { maxOffers }: Offer, offers: Offers): Target => {
  const { taskQueue } = workflowInfo()
  const own = state.machine ?? undefined
  const isLast = maxOffers === undefined && offers.count >= shortOffers && isHistoryFull(undefined)
  const machine = offers.next ?? (offers.isForAll && !isLast ? undefined : own)
  const waitMs = own === undefined || isLast ? null : waitMsOf(offers.count)
  return machine === undefined
    ? { queue: taskQueue, machine, waitMs }
    : { queue: machineQueueOf(taskQueue, machine), machine, waitMs: waitMs ?? (machine === own ? null : firstWaitMs) }
}

/** Follows the answer of a worker that does not have the session's working directory. */
const follow = async (context: SessionContext, offers: Offers, answer: Elsewhere["elsewhere"]) => {
  const [machine] = answer.machines
  if (answer.isKnown && machine !== undefined) {
    context.state.machine = machine
    offers.isForAll = false
    offers.next = undefined
    return
  }
  offers.next = answer.machines.find((name) => !offers.asked.has(name))
  if (offers.next !== undefined) {
    offers.asked.add(offers.next)
    return
  }
  offers.asked.clear()
  offers.count += 1
  await waitForDirectory(context, answer.machines, waitMsOf(offers.count))
}

/** Notes that no worker took the call in time. */
const noteUntaken = ({ maxOffers }: Offer, offers: Offers, { machine }: Target): void => {
  offers.count += 1
  if (offers.next !== undefined) offers.next = undefined
  else if (machine !== undefined && maxOffers === undefined) offers.isMissing = true
  else offers.isForAll = !offers.isForAll
}

/** Waits for a worker of the session's machine. After the time, all workers are offered the call: another machine may share the directory. */
const waitForOwn = async (context: SessionContext, offers: Offers, machine: string): Promise<void> => {
  offers.count += 1
  if (await waitForMachine(context, machine, waitMsOf(offers.count))) offers.isMissing = false
  else offers.isForAll = true
}

/** Returns since when a call has waited that a worker handed back because it had no slot for it; undefined for any other failure. */
const busySinceOf = (error: unknown): string | undefined => {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure) || cause.type !== workerBusy) return undefined
  const [since] = cause.details ?? []
  return typeof since === "string" ? since : undefined
}

/** Returns the activities with an input that says since when the call has waited, so that the worker that begins it ends what the session shows. */
const withBusySince = <A extends object>(activities: A, busySince: string | undefined): A =>
  busySince === undefined
    ? activities
    : mapInputs(activities, (_, input) => (isRecord(input) ? { ...input, busySince } : input))

/**
 * Runs an activity on a worker that has the session's working directory. The first offer goes to the store's queue, which all workers poll. A worker of
 * another machine answers which machine has the directory, and from then on the call is offered there (docs/decisions/0016). While no worker takes it, the
 * offers go to that machine and to the store's queue in turn, and wait longer each time. A worker that has no slot hands the call back after a while, and
 * all workers are offered it again (docs/decisions/0027).
 */
export const executeOnWorker = async <Result>(
  context: SessionContext,
  offer: Offer,
  call: (activities: WorkerActivities) => Promise<Result>,
): Promise<Result> => {
  const { state } = context
  const offers: Offers = { count: 0, isForAll: false, asked: new Set(), next: undefined, isMissing: false }
  let busySince: string | undefined
  // Never spins: each round offers an activity or waits for a timer.
  for (;;) {
    const target = targetOf(context, offer, offers)
    if (offers.isMissing && offers.next === undefined && target.machine !== undefined) {
      await waitForOwn(context, offers, target.machine)
      continue
    }
    const waits = target.waitMs === null ? {} : { scheduleToStartTimeout: target.waitMs }
    const options = { ...offer.options, ...waits, taskQueue: target.queue, summary: offer.summary }
    try {
      const activities = withBusySince(activitiesOf<WorkerActivities>(options), busySince)
      const result = await stopOnCancel(context, () => call(activities))
      const answer = elsewhereOf(result)
      if (answer !== undefined) {
        await follow(context, offers, answer)
        continue
      }
      state.machine = target.machine ?? null
      await showReached(context)
      return result
    } catch (error) {
      const since = busySinceOf(error)
      if (since !== undefined) {
        await showReached(context)
        busySince = since
        continue
      }
      if (!isNotPickedUp(error)) {
        if (!isCancellation(error)) await showReached(context)
        throw error
      }
      if (target.machine !== undefined && offers.count + 1 >= (offer.maxOffers ?? Infinity)) throw error
      noteUntaken(offer, offers, target)
    }
  }
}
