import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine-names.ts"
import { type EngineStatus, type MissingEnding, reconcileDecision } from "../domain/reconcile-decision.ts"
import type { SessionRow } from "../store/store.ts"
import type { ReconcileActivities } from "./agent-activities.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import { lastText } from "./last-text.ts"
import { runFinishedOrdinal } from "./open-run.ts"

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

const mend = async (
  { store }: Pick<AgentDependencies, "store">,
  row: SessionRow,
  ending: MissingEnding,
): Promise<void> => {
  const rows = await store.messages.read(row.id, { fromSeq: Math.max(1, row.headSeq - 500), headSeq: row.headSeq })
  const runId = row.runId ?? (await store.runs.latest(row.id))?.runId
  const finalMessage = runId === undefined ? "" : lastText(rows, runId)
  const outcome = { status: ending.status, stopReason: ending.stopReason, error: ending.error, finalMessage }
  const pause = await store.pauses.current(row.id)
  if (pause !== undefined) await store.pauses.close(row.id, pause.checkpointId)
  if (runId !== undefined) {
    await store.runs.patch(runId, { ...outcome, finishedAt: new Date().toISOString() })
    await store.events.append(row.id, [
      {
        type: "run-finished",
        runId,
        ordinal: runFinishedOrdinal,
        data: {
          status: ending.status,
          stop_reason: ending.stopReason,
          final_message: finalMessage,
          error: ending.error,
          steps_taken: row.stepsTaken,
        },
      },
    ])
  }
  await store.sessions.patch(row.id, outcome)
}

/** Finishes what ended without running any code: a session that was terminated, timed out or lost shows it, and its pause is over. */
export const createReconcileSessions =
  (deps: Pick<AgentDependencies, "store" | "temporal">): ReconcileActivities["reconcileSessions"] =>
  async () => {
    const open = await deps.store.sessions.listOpen()
    let mended = 0
    for (const { id } of open) {
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
      await mend(deps, row, ending)
      mended += 1
    }
    return { checked: open.length, mended }
  }
