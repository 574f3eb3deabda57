import type { EngineClient } from "./engine-client.ts"
import type { WorkflowSignalWithStartOptions, WorkflowStartOptions, WorkflowUpdateOptions } from "@temporalio/client"

/** A poller of a task queue, as the engine reports it. */
export interface TaskQueuePoller {
  readonly identity?: string | null
  readonly lastAccessTime?: { readonly seconds?: unknown; readonly nanos?: number | null } | null
  /** What the worker says of its build. */
  readonly workerVersionCapabilities?: { readonly buildId?: string | null } | null
}

/** What is read of an event of a workflow's history. */
export interface HistoryEvent {
  readonly workflowExecutionSignaledEventAttributes?: object | null
}

export interface SessionHandle extends ReturnType<EngineClient["workflow"]["getHandle"]> {
  executeUpdate<Answer, Args extends [unknown]>(
    name: string,
    options: WorkflowUpdateOptions & { args: Args },
  ): Promise<Answer>
  signal(name: string, ...args: [unknown]): Promise<void>
  cancel(): Promise<unknown>
  terminate(reason?: string): Promise<unknown>
  result<Answer>(): Promise<Answer>
}

type AgentWorkflow = (input: unknown) => Promise<unknown>

export type AgentStartOptions = WorkflowStartOptions<AgentWorkflow>
export type AgentSignalWithStartOptions = WorkflowSignalWithStartOptions<[unknown]> & AgentStartOptions

/** The part of Temporal's `Client` that ends what a signal-with-start has begun. */
export interface StartingClient {
  readonly workflow: {
    getHandle(
      workflowId: string,
      runId: string,
    ): {
      fetchHistory(): Promise<{ readonly events?: readonly HistoryEvent[] | null }>
      terminate(reason: string): Promise<unknown>
    }
  }
}

/** The part of Temporal's `Client` that the use cases need; a `Client` can be used. */
export interface TemporalClient extends EngineClient {
  readonly workflowService: EngineClient["workflowService"] & {
    describeTaskQueue(request: {
      namespace: string
      taskQueue: { name: string }
      taskQueueType: number
    }): Promise<{ readonly pollers: readonly TaskQueuePoller[] }>
    deleteWorkflowExecution(request: {
      namespace: string
      workflowExecution: { workflowId: string; runId: string }
    }): Promise<unknown>
  }
  readonly workflow: StartingClient["workflow"] & {
    start(workflowType: string, options: AgentStartOptions): Promise<unknown>
    signalWithStart(workflowType: string, options: AgentSignalWithStartOptions): Promise<unknown>
    getHandle(workflowId: string): SessionHandle
    list(options: { query: string }): AsyncIterable<{ readonly workflowId: string; readonly runId: string }>
  }
}
