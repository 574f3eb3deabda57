import { activityInfo, ApplicationFailure } from "@temporalio/activity"
import { ApplicationFailureCategory } from "@temporalio/common"
import { workerBusy } from "../../domain/engine/engine-names.ts"
import type { Store } from "../../store/store.ts"
import type { Outbox } from "../contract/agent-activities.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { callSignal } from "../running-calls.ts"
import { appendOutbox } from "../transcript/write-outbox.ts"
import type { Slots, WorkerSlots } from "./worker-slots.ts"

/**
 * How long a call waits in a worker before it is offered to all workers again, and the share of its time that it can use up: what is left has to be
 * enough for the call.
 */
const waitInWorkerMs = 60_000
const waitShare = 0.1

interface SlotDependencies {
  readonly store: Pick<Store, "transaction">
  readonly slots: WorkerSlots
}

type SlotInput = RunScope & { readonly outbox: Outbox }

/** Notes that one more call of the session waits, or one less. */
const count = ({ waiting }: WorkerSlots, sessionId: string, change: 1 | -1): void => {
  const calls = (waiting.get(sessionId) ?? 0) + change
  if (calls > 0) waiting.set(sessionId, calls)
  else waiting.delete(sessionId)
}

/** Shows that the session waits, and what happened before. That its sub-agents need a person is more important. */
const showWait = (
  { store }: SlotDependencies,
  input: SlotInput,
  wait: { readonly since: string; readonly reason: string },
): Promise<void> =>
  store.transaction(async (writes) => {
    await appendOutbox(writes, input, input.outbox)
    const row = await writes.sessions.get(input.sessionId)
    if (row?.blockedBy?.type !== "child_paused")
      await writes.sessions.patch(input.sessionId, { blockedBy: { type: "worker_busy", ...wait } })
  }, "crash")

const showNoWait = async ({ store, slots }: SlotDependencies, { sessionId }: SlotInput): Promise<void> => {
  if (slots.waiting.has(sessionId)) return
  await store.transaction(async (writes) => {
    const row = await writes.sessions.get(sessionId)
    if (row?.blockedBy?.type === "worker_busy") await writes.sessions.patch(sessionId, { blockedBy: null })
  }, "crash")
}

/** Nothing is wrong: it is no failure in logs and metrics. */
const busyFailure = (reason: string, since: string): ApplicationFailure =>
  ApplicationFailure.create({
    message: `the worker is busy: ${reason}`,
    type: workerBusy,
    nonRetryable: true,
    details: [since],
    category: ApplicationFailureCategory.BENIGN,
  })

/** Waits for a slot, which the session shows. */
const waitInSlot = async <T>(
  deps: SlotDependencies,
  input: SlotInput,
  { slots: { semaphore, reason }, amount, work }: SlotWork<T>,
): Promise<T> => {
  const since = input.busySince ?? new Date().toISOString()
  const isCalled = callSignal()
  const waitMs = Math.min(waitInWorkerMs, activityInfo().startToCloseTimeoutMs * waitShare)
  const handsBack = AbortSignal.any([AbortSignal.timeout(waitMs), deps.slots.ending])
  let isWaiting = true
  const leave = (): void => {
    if (isWaiting) count(deps.slots, input.sessionId, -1)
    isWaiting = false
  }
  count(deps.slots, input.sessionId, 1)
  try {
    await showWait(deps, input, { since, reason })
    return await semaphore.hold(amount, AbortSignal.any([isCalled, handsBack]), async () => {
      leave()
      await showNoWait(deps, input)
      return await work()
    })
  } catch (error) {
    if (!isWaiting) throw error
    leave()
    if (handsBack.aborted && !isCalled.aborted) throw busyFailure(reason, since)
    await showNoWait(deps, input)
    throw error
  }
}

interface SlotWork<T> {
  readonly slots: Slots
  readonly amount: number
  readonly work: () => Promise<T>
}

/**
 * Runs the work of a call in a slot of this worker. A call that has to wait shows it; it has taken nothing else yet, and a cancel ends the wait. If the wait
 * takes long, or the worker stops, the call fails with `worker_busy`, and the workflow offers it to all workers again. A call inside a workflow task needs no slot.
 */
export const inSlot = async <T>(deps: SlotDependencies, input: SlotInput, wanted: SlotWork<T>): Promise<T> => {
  const { slots, amount, work } = wanted
  const { attempt, isLocal } = activityInfo()
  if (isLocal) return await work()
  if (!slots.semaphore.isFree(amount)) return await waitInSlot(deps, input, wanted)
  return await slots.semaphore.hold(amount, callSignal(), async () => {
    // An earlier attempt can have left it.
    if (input.busySince !== undefined || attempt > 1) await showNoWait(deps, input)
    return await work()
  })
}
