import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine-names.ts"
import { type EngineStatus, reconcileDecision } from "../domain/reconcile-decision.ts"
import type { ReconcileActivities } from "./agent-activities.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import { mendSession } from "./mend-session.ts"

const startGraceMs = 60_000

const engineStatuses: Readonly<Record<string, EngineStatus>> = {
  RUNNING: "running",
  CONTINUED_AS_NEW: "running",
  PAUSED: "running",
  COMPLETED: "completed",
  FAILED: "failed",
  CANCELLED: "cancelled",
  TERMINATED: "terminated",
  TIMED_OUT: "timed_out",
}

/** What the engine says of a session; undefined when it cannot be asked just now. */
const askEngine = async (
  { temporal }: Pick<AgentDependencies, "temporal">,
  sessionId: string,
): Promise<EngineStatus | undefined> => {
  try {
    const description = await temporal.workflow.getHandle(sessionWorkflowId(sessionId)).describe()
    return engineStatuses[description.status.name]
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return "not_found"
    if (isGrpcServiceError(error)) return undefined
    throw error
  }
}

/** Finishes what ended without running any code: a session that was terminated, timed out or lost shows it, and its pause is over. */
export const createReconcileSessions =
  (deps: Pick<AgentDependencies, "store" | "temporal">): ReconcileActivities["reconcileSessions"] =>
  async () => {
    const open = await deps.store.sessions.listOpen()
    let mended = 0
    for (const { id, runId } of open) {
      // A session that waits for its first message has no execution.
      if (runId === null) continue
      const engine = await askEngine(deps, id)
      const row = await deps.store.sessions.get(id)
      if (engine === undefined || row === undefined) continue
      const ending = reconcileDecision({
        rowStatus: row.status,
        engine,
        rowAgeMs: Date.now() - Date.parse(row.updatedAt),
        startGraceMs,
      })
      if (ending === undefined) continue
      await mendSession(deps.store, row, ending)
      mended += 1
    }
    return { checked: open.length, mended }
  }
