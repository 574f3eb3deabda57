import type { Logger } from "pino"
import type { MachineActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Stops the background processes that a session has on this machine, whichever worker started them. A failure is only logged. */
export const stopBackgroundHere = async (
  { sandboxFor, logger }: Pick<AgentDependencies, "sandboxFor"> & { readonly logger: Pick<Logger, "warn"> },
  sessionId: string,
): Promise<void> => {
  try {
    for (const mode of ["off", "auto"] as const) await (await sandboxFor(mode)).stopBackground(sessionId)
  } catch (error) {
    logger.warn({ err: error }, "background processes could not be stopped")
  }
}

/** Creates the activity for sessions whose run is closed on another machine. */
export const createStopBackground =
  (deps: Pick<AgentDependencies, "sandboxFor" | "logger">): MachineActivities["stopBackground"] =>
  ({ sessionId }) =>
    stopBackgroundHere(deps, sessionId)
