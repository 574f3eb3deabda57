import { randomUUID } from "node:crypto"
import type { ReconcileInput, ReconcilePass } from "../../domain/engine/reconcile-pass.ts"
import type { Actor } from "../actor.ts"
import { callEngine, requestWork } from "../../engine/call-engine.ts"
import type { SessionsContext } from "../sessions-context.ts"

export interface ReconcileRequest {
  /** Counts the sessions that the engine did not know so far as lost, however many they are. */
  readonly acceptMissing?: boolean
  /** Writes nothing, and lists what each job would do. */
  readonly dryRun?: boolean
}

type Reported = "missing" | "stopped"

/** What one pass of the reconciler did, and which sessions are missing after it. */
export interface ReconcileReport extends Omit<ReconcilePass, Reported>, Required<Pick<ReconcilePass, Reported>> {
  readonly dry_run: boolean
  /** Sessions that were accepted as lost by this request. */
  readonly accepted: readonly string[]
  readonly missing_sessions: readonly {
    readonly session_id: string
    readonly run_id: string
    readonly first_seen_at: string
  }[]
}

const longestPassMs = 600_000

/**
 * Runs one pass of the reconciler on a worker, and waits for it.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const runReconciler = async (
  context: SessionsContext,
  { acceptMissing = false, dryRun = false }: ReconcileRequest,
  actor: Actor,
): Promise<ReconcileReport> => {
  const { store, temporal, taskQueue, engine } = context
  const { claimId } = await engine.verify()
  const accepted = acceptMissing && !dryRun ? await store.missing.accept(claimId, actor) : []
  const workflowId = `reconcile/${taskQueue}/${randomUUID()}`
  const input: ReconcileInput = { dryRun }
  await requestWork(context, () =>
    temporal.workflow.start("reconcile", {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdConflictPolicy: "USE_EXISTING",
    }),
  )
  const pass = await callEngine(
    context,
    () => temporal.workflow.getHandle(workflowId).result<ReconcilePass>(),
    longestPassMs,
  )
  const missing = await store.missing.list(claimId)
  return {
    ...pass,
    missing: pass.missing ?? 0,
    stopped: pass.stopped ?? null,
    dry_run: dryRun,
    accepted,
    missing_sessions: missing.map(({ sessionId, runId, firstSeenAt }) => ({
      session_id: sessionId,
      run_id: runId,
      first_seen_at: firstSeenAt,
    })),
  }
}
