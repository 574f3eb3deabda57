import type { ScheduleClient, WorkflowExecutionDescription } from "@temporalio/client"

/** The parts of an execution's description that are used; test doubles may omit the execution's relatives. */
export type ExecutionDescription = Pick<WorkflowExecutionDescription, "status" | "closeTime"> &
  Partial<Pick<WorkflowExecutionDescription, "runId" | "raw">>

/** The part of Temporal's `Client` that identifies an engine; a `Client` can be used. */
export interface EngineClient {
  readonly options: { readonly namespace: string }
  /** The connection, if the client exposes it. */
  readonly connection?: object
  readonly workflowService: {
    describeNamespace(request: {
      namespace: string
    }): Promise<{ readonly namespaceInfo?: { readonly id?: string | null } | null }>
  }
  readonly workflow: {
    getHandle(workflowId: string): {
      describe(): Promise<ExecutionDescription>
      query<Answer>(name: string): Promise<Answer>
    }
  }
  readonly schedule: Pick<ScheduleClient, "create" | "getHandle" | "list">
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>
}
