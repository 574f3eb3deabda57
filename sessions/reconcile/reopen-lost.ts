import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { statusForRun } from "../../domain/engine/missing-sessions.ts"
import type { SessionStatusAnswer } from "../../domain/messages/session-message.ts"
import type { LivingRun, MissingRow, Store } from "../../store/store.ts"
import { type Execution, tryDescribeExecution } from "../../engine/describe-execution.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import type { EngineGuard } from "../../engine/engine-guard.ts"

export interface ReopenDependencies {
  readonly temporal: EngineClient
  readonly store: Pick<Store, "missing" | "runs">
  readonly engine: Pick<EngineGuard, "verify">
}

const requestTimeoutMs = 5_000

/** Undefined where the engine cannot tell just now. */
const describe = async (temporal: EngineClient, sessionId: string): Promise<Execution | undefined> =>
  await temporal.withDeadline(Date.now() + requestTimeoutMs, () =>
    tryDescribeExecution(temporal, sessionWorkflowId(sessionId)),
  )

/** What the session's own workflow says; undefined where no worker answers for it. */
const askWorkflow = async (temporal: EngineClient, sessionId: string): Promise<LivingRun | undefined> => {
  const handle = temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  try {
    const { run_id, status, checkpoint_id } = await temporal.withDeadline(Date.now() + requestTimeoutMs, () =>
      handle.query<SessionStatusAnswer>("status"),
    )
    return { runId: run_id, status: status === "paused" ? "paused" : "running", checkpointId: checkpoint_id }
  } catch {
    return undefined
  }
}

/** The engine has an open execution of the session. */
const reopen = async (deps: ReopenDependencies, { sessionId, runId }: MissingRow): Promise<boolean> => {
  const { store, temporal, engine } = deps
  const living = await askWorkflow(temporal, sessionId)
  if (living === undefined) {
    await store.missing.touch(sessionId)
    return false
  }
  await engine.verify()
  if (living.runId === runId) return await store.missing.reopen(sessionId, living)
  // The workflow has continued with another run, which it records itself.
  await store.missing.clear(sessionId, runId)
  return false
}

/**
 * Opens a session again that was recorded as lost, where the engine executes its run. An execution that has closed since has ended for good. Returns
 * whether the session was opened.
 * @throws AdjutantError `engine_mismatch`
 */
export const reopenLost = async (deps: ReopenDependencies, lost: MissingRow): Promise<boolean> => {
  const { store, temporal, engine } = deps
  const execution = await describe(temporal, lost.sessionId)
  if (execution === undefined) return false
  const run = await store.runs.get(lost.runId)
  const status = statusForRun(execution, { status: "running", runCreatedAt: run?.createdAt })
  if (status === "running") return await reopen(deps, lost)
  await engine.verify()
  if (status === "not_found") await store.missing.touch(lost.sessionId)
  else await store.missing.clear(lost.sessionId, lost.runId)
  return false
}
