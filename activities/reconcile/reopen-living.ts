import { reopenLost } from "../../sessions/reconcile/reopen-lost.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

type ReopenDependencies = Pick<AgentDependencies, "store" | "temporal" | "engine" | "logger">

/** Those that were looked at longest ago come first: with more of them, each waits for some passes. */
const mostPerPass = 50

/**
 * Opens sessions again that were recorded as lost because the engine did not know them, and that it executes. Returns how many.
 * @throws AdjutantError `engine_mismatch`
 */
export const reopenLiving = async (deps: ReopenDependencies): Promise<number> => {
  let reopened = 0
  for (const lost of await deps.store.missing.listEnded(mostPerPass)) {
    if (!(await reopenLost(deps, lost))) continue
    reopened += 1
    const { sessionId, runId } = lost
    deps.logger.warn(
      { session_id: sessionId, run_id: runId },
      "a session that was recorded as lost lives: it is open again",
    )
  }
  return reopened
}
