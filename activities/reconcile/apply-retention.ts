import { applyRetention } from "../../sessions/control/prune.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type JobRun, reportProgress } from "./job-run.ts"

/** Erases what the retention of the configuration no longer keeps. Returns how many tasks. */
export const applyRetentionOf = async (
  { store, temporal, retention }: Pick<AgentDependencies, "store" | "temporal" | "retention">,
  run: JobRun,
): Promise<number> => {
  if (retention === undefined) return 0
  const { tasks, ids } = await applyRetention(
    {
      store,
      temporal,
      request: (call) => call(),
      onProgress: (erased) => reportProgress(run, String(erased.sessions)),
    },
    retention,
    { nowMs: Date.now(), dryRun: run.dryRun },
  )
  for (const id of ids) run.plan({ id, action: "erase" })
  return tasks
}
