import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import { reopenLost } from "../../sessions/reconcile/reopen-lost.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type JobRun, tryRow } from "./job-run.ts"

type ReopenDependencies = Pick<AgentDependencies, "store" | "temporal" | "engine" | "logger">

/** The sessions that were checked longest ago come first: with more of them, each waits for some passes. */
const mostPerPass = 50

const wouldReopen = async ({ temporal }: ReopenDependencies, id: string, run: JobRun): Promise<boolean> => {
  if ((await tryDescribeExecution(temporal, sessionWorkflowId(id)))?.status !== "running") return false
  run.plan({ id, action: "open again if its run is the one that was lost" })
  return true
}

/**
 * Opens sessions again that were recorded as lost because the engine did not know them, and that it executes. Returns how many.
 * @throws AdjutantError `engine_mismatch`
 */
export const reopenLiving = async (deps: ReopenDependencies, run: JobRun): Promise<number> => {
  let reopened = 0
  for (const lost of await deps.store.missing.listEnded(mostPerPass)) {
    const { sessionId, runId } = lost
    const reopen = () => (run.dryRun ? wouldReopen(deps, sessionId, run) : reopenLost(deps, lost))
    if ((await tryRow(run, sessionId, reopen)) !== true) continue
    reopened += 1
    if (!run.dryRun)
      deps.logger.warn(
        { session_id: sessionId, run_id: runId },
        "a session that was recorded as lost runs: it is open again",
      )
  }
  return reopened
}
