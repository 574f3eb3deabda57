import { ActivityFailure, isCancellation, workflowInfo } from "@temporalio/workflow"
import type { MachineActivities } from "../../activities/contract/agent-activities.ts"
import { machineQueueOf } from "../../domain/engine/engine-names.ts"
import { activitiesOf } from "../activities-of.ts"
import { stopBackgroundOptions } from "../activity-options.ts"
import type { SessionContext } from "../session/session-context.ts"

/** How long a run that has ended waits for a machine. */
const patienceMs = 60_000

/** Stops the run's background processes on other machines. Returns the machines that no worker answered for. */
export const stopBackgroundOn = async (
  { state }: SessionContext,
  machines: readonly string[],
): Promise<readonly string[]> => {
  const unreached = await Promise.all(
    machines.map(async (machine) => {
      const taskQueue = machineQueueOf(workflowInfo().taskQueue, machine)
      const options = { ...stopBackgroundOptions, taskQueue, scheduleToStartTimeout: patienceMs }
      try {
        await activitiesOf<MachineActivities>(options).stopBackground({ sessionId: state.sessionId })
        return []
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
        return [machine]
      }
    }),
  )
  return unreached.flat()
}
