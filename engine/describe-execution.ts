import { isGrpcServiceError, type WorkflowExecutionDescription, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { ExecutionFacts } from "../domain/engine/missing-sessions.ts"
import type { EngineStatus } from "../domain/engine/reconcile-decision.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineClient } from "./engine-client.ts"
import type { EngineContext } from "./engine-context.ts"

/** What the engine says of a workflow's latest execution. */
export interface Execution extends ExecutionFacts {
  readonly runId: string
  /** The first of the executions that continued as new into it; empty where the engine does not say. */
  readonly firstRunId?: string
  /** The execution that started it as its child. */
  readonly parentWorkflowId: string | null
  readonly parentRunId?: string | null
  /** Open children as `workflowId`, with their run ids where the engine knows them yet. */
  readonly children: ReadonlyMap<string, string>
}

/** Undefined for a state that the engine cannot tell, or that this client does not know yet. */
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

const notFound: Execution = {
  status: "not_found",
  closedAtMs: null,
  runId: "",
  parentWorkflowId: null,
  children: new Map(),
}

/** Describes a workflow's latest execution. Undefined where the engine cannot tell its state. Rejects with the error of gRPC where nothing answers. */
export const describeExecution = async (
  temporal: Pick<EngineClient, "workflow">,
  workflowId: string,
): Promise<Execution | undefined> => {
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

/** The same for a caller that comes again later: undefined also where nothing answers. */
export const tryDescribeExecution = async (
  temporal: Pick<EngineClient, "workflow">,
  workflowId: string,
): Promise<Execution | undefined> => {
  try {
    return await describeExecution(temporal, workflowId)
  } catch (error) {
    if (isGrpcServiceError(error)) return undefined
    throw error
  }
}

/**
 * Describes a session's latest execution, with retries. Undefined where the engine cannot tell its state.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const describeSession = async (context: EngineContext, sessionId: string): Promise<Execution | undefined> =>
  await callEngine(context, () => describeExecution(context.temporal, sessionWorkflowId(sessionId)))

/** The same for a doubt that has to be settled soon: undefined also where the engine does not answer. */
export const describeSoon = async (context: EngineContext, sessionId: string): Promise<Execution | undefined> => {
  try {
    return await describeSession(withShortDeadline(context), sessionId)
  } catch {
    return undefined
  }
}

/** For requests whose answer is welcome, but not needed. */
export const withShortDeadline = <Context extends EngineContext>(context: Context): Context => ({
  ...context,
  timing: { ...context.timing, engineTimeoutMs: context.timing.engineTimeoutMs / 5 },
})

/** Whether the engine has, or remembers, an execution of the session. */
export const knowsSession = async (temporal: Pick<EngineClient, "workflow">, sessionId: string): Promise<boolean> =>
  (await describeExecution(temporal, sessionWorkflowId(sessionId)))?.status !== "not_found"

/** How many executions are described side by side. */
export const describedAtOnce = 10

/** How many of the sessions the engine knows; looks at no more than it takes to find `enough` of them. */
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
