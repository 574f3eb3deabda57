import { ActivityFailure, isCancellation, sleep, workflowInfo } from "@temporalio/workflow"
import type { MachineActivities } from "../../activities/contract/agent-activities.ts"
import { machineQueueOf } from "../../domain/engine/engine-names.ts"
import { activitiesOf } from "../activities-of.ts"
import { reachOptions } from "../activity-options.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showDetails, withOutbox } from "../session/session-context.ts"
import { storeActivities } from "../store-activities.ts"

const writeBlocked = async (context: SessionContext): Promise<void> => {
  const { state, missingMachines } = context
  const blockedBy = missingMachines === null ? null : ({ type: "machine", ...missingMachines } as const)
  await withOutbox(state, (outbox) => storeActivities.showBlocked({ ...runScope(context), blockedBy, outbox }))
}

/** Shows in the store for which machines the session waits: since the first of its calls began to wait, whichever machines it was told of since. */
const showBlocked = async (context: SessionContext, machines: readonly string[]): Promise<void> => {
  const shown = context.missingMachines
  const isShown = shown !== null && shown.machines.join() === machines.join()
  if (isShown) return
  context.missingMachines = { since: shown?.since ?? new Date().toISOString(), machines: [...machines] }
  await writeBlocked(context)
}

/** Shows in the store that the session waits for no machine any more, once none of its calls does. */
export const showReached = async (context: SessionContext): Promise<void> => {
  if (context.missingMachines === null || context.machineWaits > 0) return
  context.missingMachines = null
  await writeBlocked(context)
}

/** Shows the wait, and stops the run's clock during it. */
const waitVisibly = async <T>(
  context: SessionContext,
  machines: readonly string[],
  wait: () => Promise<T>,
): Promise<T> => {
  const { state } = context
  context.machineWaits += 1
  context.clock?.stop()
  state.missingMachines = machines
  showDetails(context)
  try {
    await showBlocked(context, machines)
    return await wait()
  } finally {
    context.machineWaits -= 1
    if (context.machineWaits === 0) {
      context.clock?.start()
      state.missingMachines = []
      showDetails(context)
    }
  }
}

/** Returns whether a worker of the machine answered within the time. */
const isReached = async (machine: string, waitMs: number): Promise<boolean> => {
  const taskQueue = machineQueueOf(workflowInfo().taskQueue, machine)
  const options = { ...reachOptions, taskQueue, scheduleToStartTimeout: waitMs, summary: `wait for ${machine}` }
  try {
    await activitiesOf<MachineActivities>(options).reachMachine()
    return true
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    return false
  }
}

/** Waits until a worker of the machine is there, or the time has passed. Returns whether one is there. */
export const waitForMachine = (context: SessionContext, machine: string, waitMs: number): Promise<boolean> =>
  waitVisibly(context, [machine], () => isReached(machine, waitMs))

/** Waits before all machines are asked again, of which none had the directory. */
export const waitForDirectory = (context: SessionContext, machines: readonly string[], waitMs: number): Promise<void> =>
  waitVisibly(context, machines, () => sleep(waitMs))
