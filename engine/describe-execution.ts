import { isGrpcServiceError, type WorkflowExecutionDescription, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { ExecutionFacts } from "../domain/engine/missing-sessions.ts"
import type { EngineStatus } from "../domain/engine/reconcile-decision.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineClient } from "./engine-client.ts"
import type { EngineContext } from "./engine-context.ts"

/** The engine's description of a workflow's latest execution. */
export interface EngineExecution extends ExecutionFacts {
  readonly runId: string
  /** Run id of the first execution in its continue-as-new chain; empty if the engine does not report it. */
  readonly firstRunId?: string
  /** The execution that started it as its child. */
  readonly parentWorkflowId: string | null
  readonly parentRunId?: string | null
  /** Run ids of open children by workflow id; empty if the engine does not know the run id yet. */
  readonly children: ReadonlyMap<string, string>
}

/** Returns the status; undefined for one that the engine or this client does not know. */
const engineStatusOf = (name: WorkflowExecutionDescription["status"]["name"]): EngineStatus | undefined => {
  switch (name) {
    case "RUNNING":
    case "PAUSED":
    case "CONTINUED_AS_NEW":
      return "running"
    case "COMPLETED":
      return "completed"
    case "FAILED":
      return "failed"
    case "CANCELLED":
      return "cancelled"
    case "TERMINATED":
      return "terminated"
    case "TIMED_OUT":
      return "timed_out"
    case "UNSPECIFIED":
    case "UNKNOWN":
      return undefined
  }
}

const notFound: EngineExecution = {
  status: "not_found",
  closedAtMs: null,
  runId: "",
  parentWorkflowId: null,
  children: new Map(),
}

/** Describes a workflow's latest execution. Returns undefined if its status is unknown. Rejects with the gRPC error if the engine does not answer. */
export const describeExecution = async (
  temporal: Pick<EngineClient, "workflow">,
  workflowId: string,
): Promise<EngineExecution | undefined> => {
  try {
    const { status: state, runId = "", closeTime, raw } = await temporal.workflow.getHandle(workflowId).describe()
    const status = engineStatusOf(state.name)
    if (status === undefined) return undefined
    const parent = raw?.workflowExecutionInfo?.parentExecution
    const parentWorkflowId = parent?.workflowId ?? ""
    return {
      status,
      closedAtMs: closeTime?.getTime() ?? null,
      runId,
      firstRunId: raw?.workflowExecutionInfo?.firstRunId ?? "",
      parentWorkflowId: parentWorkflowId === "" ? null : parentWorkflowId,
      parentRunId: parentWorkflowId === "" ? null : (parent?.runId ?? ""),
      children: new Map((raw?.pendingChildren ?? []).map((child) => [child.workflowId ?? "", child.runId ?? ""])),
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return notFound
    throw error
  }
}

/** Describes a workflow's latest execution for a caller that tries again later: also returns undefined if the engine does not answer. */
export const tryDescribeExecution = async (
  temporal: Pick<EngineClient, "workflow">,
  workflowId: string,
): Promise<EngineExecution | undefined> => {
  try {
    return await describeExecution(temporal, workflowId)
  } catch (error) {
    if (isGrpcServiceError(error)) return undefined
    throw error
  }
}

/**
 * Describes a session's latest execution, with retries. Returns undefined if its status is unknown.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const describeSession = async (
  context: EngineContext,
  sessionId: string,
): Promise<EngineExecution | undefined> =>
  await callEngine(context, () => describeExecution(context.temporal, sessionWorkflowId(sessionId)))

/** Returns the context with a short deadline, for requests whose answer is optional. */
export const withShortDeadline = <Context extends EngineContext>(context: Context): Context => ({
  ...context,
  timing: { ...context.timing, engineTimeoutMs: context.timing.engineTimeoutMs / 5 },
})

/** Returns whether the engine has an open or closed execution of the session. */
export const knowsSession = async (temporal: Pick<EngineClient, "workflow">, sessionId: string): Promise<boolean> =>
  (await describeExecution(temporal, sessionWorkflowId(sessionId)))?.status !== "not_found"

/** How many executions are described concurrently. */
export const describedAtOnce = 10

/** Counts the sessions that the engine knows; stops when it has found `enough` of them. */
export const countKnown = async (
  temporal: Pick<EngineClient, "workflow">,
  sessionIds: readonly string[],
  enough = Number.POSITIVE_INFINITY,
): Promise<number> => {
  let known = 0
  for (let start = 0; start < sessionIds.length && known < enough; start += describedAtOnce) {
    const found = await Promise.all(
      sessionIds.slice(start, start + describedAtOnce).map((sessionId) => knowsSession(temporal, sessionId)),
    )
    known += found.filter(Boolean).length
  }
  return known
}
