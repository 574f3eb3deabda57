import { type Client, isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { EngineStatus } from "../../domain/engine/reconcile-decision.ts"

export interface Execution {
  readonly status: EngineStatus
  /** When it closed; null while it is open. */
  readonly closedAtMs: number | null
  readonly runId: string
  /** The execution that started it as its child. */
  readonly parentWorkflowId: string | null
  /** Open children as `workflowId`, with their run ids where the engine knows them yet. */
  readonly children: ReadonlyMap<string, string>
}

const statuses: Readonly<Record<string, EngineStatus>> = {
  RUNNING: "running",
  CONTINUED_AS_NEW: "running",
  PAUSED: "running",
  COMPLETED: "completed",
  FAILED: "failed",
  CANCELLED: "cancelled",
  TERMINATED: "terminated",
  TIMED_OUT: "timed_out",
}

const notFound: Execution = {
  status: "not_found",
  closedAtMs: null,
  runId: "",
  parentWorkflowId: null,
  children: new Map(),
}

/** What the engine says of a workflow's latest execution; undefined when it cannot be asked just now. */
export const describeExecution = async (temporal: Client, workflowId: string): Promise<Execution | undefined> => {
  try {
    const { status, runId, closeTime, raw } = await temporal.workflow.getHandle(workflowId).describe()
    const known = statuses[status.name]
    if (known === undefined) return undefined
    const parentWorkflowId = raw.workflowExecutionInfo?.parentExecution?.workflowId ?? ""
    return {
      status: known,
      closedAtMs: closeTime?.getTime() ?? null,
      runId,
      parentWorkflowId: parentWorkflowId === "" ? null : parentWorkflowId,
      children: new Map((raw.pendingChildren ?? []).map((child) => [child.workflowId ?? "", child.runId ?? ""])),
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return notFound
    if (isGrpcServiceError(error)) return undefined
    throw error
  }
}

export const describeSession = (temporal: Client, sessionId: string): Promise<Execution | undefined> =>
  describeExecution(temporal, sessionWorkflowId(sessionId))
