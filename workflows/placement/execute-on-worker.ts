import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  workflowInfo,
} from "@temporalio/workflow"
import type { AgentActivities, RunStoreActivities } from "../../activities/contract/agent-activities.ts"
import type { DelegationActivities } from "../../activities/contract/delegation-activities.ts"
import type { WorktreeActivities } from "../../activities/contract/worktree-activities.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { type Elsewhere, elsewhereOf } from "../../domain/engine/elsewhere.ts"
import { machineQueueOf, workerBusy } from "../../domain/engine/engine-names.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { isStoppedResult } from "../../domain/calls/stopped-result.ts"
import type { SessionContext } from "../session/session-context.ts"
import { isHistoryFull } from "../is-history-long.ts"
import { isNotPickedUp } from "../is-not-picked-up.ts"
import { activitiesOf, mapInputs } from "../activities-of.ts"
import { storeActivities } from "../store-activities.ts"
import { showReached, waitForDirectory, waitForMachine } from "./wait-for-machine.ts"

type WorkerActivities = AgentActivities &
  WorktreeActivities &
  Pick<RunStoreActivities, "proposeCall"> &
  Pick<DelegationActivities, "prepareDelegation">

interface Offer {
  readonly options: ActivityOptions
  readonly summary: string
  /** The call is given up after so many offers if the session's machine has no worker; default: never. */
  readonly maxOffers?: number
}

/**
 * Runs an activity on a worker that has the session's working directory (docs/decisions/0016).
 *
 * Most stores have one machine. So the first offer goes to the store's queue, which the workers of all machines poll, and with one machine it is the only
 * one. A worker of another machine does nothing and answers which machine has the directory; from then on, the session's calls are offered to that machine.
 * If no worker takes the call, it is offered to that machine and to all workers in turn, because another machine may share the directory.
 */
export const executeOnWorker = async <Result>(
  context: SessionContext,
  offer: Offer,
  call: (activities: WorkerActivities) => Promise<Result>,
): Promise<Result> => {
  const search: Search = { rounds: 0, isTurnOfAll: false, asked: new Set(), candidate: undefined, isOwnAway: false }
  let busySince: string | undefined
  // Never spins: each round offers an activity or waits for a timer.
  for (;;) {
    const target = nextTarget(context, offer, search)
    // Its machine is away. This wait, unlike an offer, is shown to people and stops the run's clock.
    if (search.isOwnAway && search.candidate === undefined && target.machine !== undefined) {
      await waitForOwn(context, search, target.machine)
      continue
    }
    const answer = await offerTo(context, () => call(activitiesAt(target, offer, busySince)))
    switch (answer.kind) {
      case "done":
        context.state.machine = target.machine ?? null
        await showReached(context)
        return answer.result
      case "failed":
        await showReached(context)
        throw answer.error
      case "busy":
        await showReached(context)
        busySince = answer.since
        break
      case "elsewhere":
        await followAnswer(context, search, answer.elsewhere)
        break
      case "untaken":
        if (isGivenUp(offer, search, target)) throw answer.error
        noteUntaken(offer, search, target)
        break
      default:
        return assertNever(answer)
    }
  }
}

/** Where a call has been offered, and where it is offered next. */
interface Search {
  /** The offers and waits that brought no worker. The more they are, the longer the next one waits. */
  rounds: number
  /** It is the turn of all workers, not of the session's machine. */
  isTurnOfAll: boolean
  /** Machines that were asked whether they have the directory. */
  readonly asked: Set<string>
  /** The machine to ask next whether it has the directory. */
  candidate: string | undefined
  /** The session's machine did not take the call: it gets no offer until a worker of it answers. */
  isOwnAway: boolean
}

interface Target {
  readonly queue: string
  /** Undefined: the workers of all machines. */
  readonly machine: string | undefined
  /** How long the offer stands. Null: until a worker takes it. */
  readonly waitMs: number | null
}

const firstWaitMs = 5_000
const minuteMs = 60_000
const hourMs = 3_600_000

/** Each offer leaves events in the history. After so many, the waits are long, so that a machine that is gone does not fill it. */
const shortRounds = 100

const waitMsOf = (rounds: number): number =>
  rounds < shortRounds ? Math.min(firstWaitMs * 2 ** rounds, minuteMs) : hourMs

const nextTarget = ({ state }: SessionContext, { maxOffers }: Offer, search: Search): Target => {
  const { taskQueue } = workflowInfo()
  const own = state.machine ?? undefined
  // The history has no room for more offers: this one stands until the session's machine takes it.
  const isLast = maxOffers === undefined && search.rounds >= shortRounds && isHistoryFull(undefined)
  const machine = search.candidate ?? (search.isTurnOfAll && !isLast ? undefined : own)
  const queue = machine === undefined ? taskQueue : machineQueueOf(taskQueue, machine)
  if (own !== undefined && !isLast) return { queue, machine, waitMs: waitMsOf(search.rounds) }
  // An offer to all workers stands, too, while no machine of the session is known: there is nobody else to offer the call to. A machine that is only asked
  // whether it has the directory is not waited for.
  return { queue, machine, waitMs: machine === own ? null : firstWaitMs }
}

/** Returns the activities as a worker of the target runs them. `busySince` lets the worker that begins a busy call end what the session shows. */
const activitiesAt = (
  { queue, waitMs }: Target,
  { options, summary }: Offer,
  busySince: string | undefined,
): WorkerActivities => {
  const waits = waitMs === null ? {} : { scheduleToStartTimeout: waitMs }
  const activities = activitiesOf<WorkerActivities>({ ...options, ...waits, taskQueue: queue, summary })
  return busySince === undefined
    ? activities
    : mapInputs(activities, (_, input) => (isRecord(input) ? { ...input, busySince } : input))
}

/** What became of an offer. */
type Answer<Result> =
  | { readonly kind: "done"; readonly result: Result }
  /** The call itself failed. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** The worker does not have the directory. It has done nothing. */
  | { readonly kind: "elsewhere"; readonly elsewhere: Elsewhere["elsewhere"] }
  /** The worker had no slot for the call, and hands it back for others (docs/decisions/0027). */
  | { readonly kind: "busy"; readonly since: string }
  /** No worker took the call in time. */
  | { readonly kind: "untaken"; readonly error: unknown }

/** Offers the call, and returns what became of it. Throws only if it was cancelled. */
const offerTo = async <Result>(context: SessionContext, call: () => Promise<Result>): Promise<Answer<Result>> => {
  const stops = context.settings?.followsStops === true
  const ended = stops ? stopOnCancel(context) : undefined
  try {
    const result = await call()
    if (stops && isStoppedResult(result)) throw new CancelledFailure("the call was stopped with its run")
    const elsewhere = elsewhereOf(result)
    return elsewhere === undefined ? { kind: "done", result } : { kind: "elsewhere", elsewhere }
  } catch (error) {
    if (isCancellation(error)) throw error
    if (isNotPickedUp(error)) return { kind: "untaken", error }
    const since = busySinceOf(error)
    return since === undefined ? { kind: "failed", error } : { kind: "busy", since }
  } finally {
    ended?.()
  }
}

/**
 * Lets a cancel of the run stop the call through the store. Temporal reports a cancel with the next heartbeat only, which comes too rarely on workers
 * that follow the requests of the store. Returns the function to call when the call has ended.
 */
const stopOnCancel = (context: SessionContext): (() => void) => {
  const scope = CancellationScope.current()
  let isRunning = true
  scope.cancelRequested.catch(() => {
    if (isRunning && scope.consideredCancelled) void requestStop(context)
  })
  return () => {
    isRunning = false
  }
}

/** Writes the request to stop, once per run: it stops all of its running calls. */
const requestStop = async (context: SessionContext): Promise<void> => {
  const { run_id: runId } = context.state.run.reference
  if (context.stoppedRun === runId) return
  context.stoppedRun = runId
  await CancellationScope.nonCancellable(() => storeActivities.requestStop({ runId })).catch(() => undefined)
}

/** Returns since when a call has waited that a worker handed back because it had no slot for it; undefined for any other failure. */
const busySinceOf = (error: unknown): string | undefined => {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure) || cause.type !== workerBusy) return undefined
  const [since] = cause.details ?? []
  return typeof since === "string" ? since : undefined
}

/** Turns to the machine that has the directory. If the worker does not know it, those that may have it are asked one by one. */
const followAnswer = async (
  context: SessionContext,
  search: Search,
  { machines, isKnown }: Elsewhere["elsewhere"],
): Promise<void> => {
  const [home] = machines
  if (isKnown && home !== undefined) {
    context.state.machine = home
    search.isTurnOfAll = false
    search.candidate = undefined
    return
  }
  search.candidate = machines.find((name) => !search.asked.has(name))
  if (search.candidate !== undefined) {
    search.asked.add(search.candidate)
    return
  }
  // None of them has it. The directory may be mounted or created later: after a wait, all are asked again.
  search.asked.clear()
  search.rounds += 1
  await waitForDirectory(context, machines, waitMsOf(search.rounds))
}

/** Returns whether this was the last offer of a call that the run can do without, such as a preview. Only offers to the session's machine count. */
const isGivenUp = ({ maxOffers = Infinity }: Offer, { rounds }: Search, { machine }: Target): boolean =>
  machine !== undefined && rounds + 1 >= maxOffers

const noteUntaken = ({ maxOffers }: Offer, search: Search, { machine }: Target): void => {
  search.rounds += 1
  if (search.candidate !== undefined) search.candidate = undefined
  else if (machine !== undefined && maxOffers === undefined) search.isOwnAway = true
  else search.isTurnOfAll = !search.isTurnOfAll
}

/** Waits for a worker of the session's machine. If none comes in time, all workers are offered the call. */
const waitForOwn = async (context: SessionContext, search: Search, machine: string): Promise<void> => {
  search.rounds += 1
  if (await waitForMachine(context, machine, waitMsOf(search.rounds))) search.isOwnAway = false
  else search.isTurnOfAll = true
}
