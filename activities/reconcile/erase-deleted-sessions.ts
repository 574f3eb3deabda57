import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { deleteOfSession } from "../../sessions/control/prune.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type JobRun, quietRun, tryRow } from "./job-run.ts"

type EraseDependencies = Pick<AgentDependencies, "store" | "temporal" | "logger">

const eraseSession = async (
  { store, temporal, logger }: EraseDependencies,
  id: string,
  run: JobRun,
): Promise<boolean> => {
  const execution = await tryDescribeExecution(temporal, sessionWorkflowId(id))
  if (execution === undefined) return false
  const isRunning = execution.status === "running"
  if (run.dryRun) {
    run.plan({ id, action: isRunning ? "cancel a deleted session" : "erase" })
    return !isRunning
  }
  if (isRunning) {
    await temporal.workflow.getHandle(sessionWorkflowId(id)).cancel()
    return false
  }
  await deleteOfSession({ store, temporal, request: (call) => call() }, id).catch((error: unknown) =>
    logger.warn({ err: error, session_id: id }, "Temporal keeps traces of a deleted session until its retention ends"),
  )
  await store.sessions.erase(id)
  return true
}

/** Finishes deletions that were interrupted: cancels what still runs, erases the texts of what has ended. Returns how many were erased. */
export const eraseDeletedSessions = async (
  deps: EraseDependencies,
  run: JobRun = quietRun("erase"),
): Promise<number> => {
  let erased = 0
  for (const id of await deps.store.sessions.listUnerased())
    if ((await tryRow(run, id, () => eraseSession(deps, id, run))) === true) erased += 1
  return erased
}
