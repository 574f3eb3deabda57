import type { ScheduleClient, WorkflowExecutionDescription } from "@temporalio/client"

/** What the engine answers about an execution, as far as it is looked at; stand-ins may leave out the execution's relatives. */
export type ExecutionDescription = Pick<WorkflowExecutionDescription, "status" | "closeTime"> &
  Partial<Pick<WorkflowExecutionDescription, "runId" | "raw">>

/** The part of Temporal's `Client` that tells one engine from another; `Client` itself fits. */
export interface EngineClient {
  readonly options: { readonly namespace: string }
  /** Where it is connected to, as far as it says. */
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
  readonly schedule: Pick<ScheduleClient, "create" | "getHandle">
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>
}
