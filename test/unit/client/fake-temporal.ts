import {
  ApplicationFailure,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client"
import type { ErrorCode } from "../../../contracts/error-code.ts"
import type { EngineGuard } from "../../../engine/engine-guard.ts"
import { refusedFailureType } from "../../../domain/session/session-message.ts"
import type {
  AgentSignalWithStartOptions,
  AgentStartOptions,
  SessionHandle,
  StartingClient,
  TaskQueuePoller,
  TemporalClient,
} from "../../../engine/temporal-client.ts"

type EngineStatusName = Awaited<ReturnType<SessionHandle["describe"]>>["status"]["name"]

export interface FakeExecution {
  status: EngineStatusName
  closeTime?: Date
  readonly workflowType: string
  readonly options: AgentStartOptions
  readonly signals: { readonly name: string; readonly payload: unknown }[]
  readonly updates: { readonly name: string; readonly payload: unknown; readonly id: string | undefined }[]
}

/** Returns an error as gRPC does. */
export const grpcError = (code: number, message = "engine"): Error =>
  Object.assign(new Error(message), { code, details: message, metadata: { get: () => [] } })

export const unavailable = (): Error => grpcError(14, "connection refused")

/** Returns a rejection as the workflow's validators raise it. */
export const refusal = (code: ErrorCode, message: string): Error =>
  new WorkflowUpdateFailedError(
    "Workflow Update failed",
    ApplicationFailure.create({ type: refusedFailureType, message, nonRetryable: true, details: [code] }),
  )

/** Returns the error of an update whose deadline passed because no worker accepted it. */
export const noWorker = (): Error => new WorkflowUpdateRPCTimeoutOrCancelledError("deadline exceeded")

/** A guard that accepts every engine. */
export const anyEngine: EngineGuard = {
  compare: () => Promise.reject(new Error("not asked")),
  verify: () =>
    Promise.resolve({
      ...{ namespaceId: "namespace-1", namespace: "default", address: "here" },
      ...{ claimId: "c", since: "", scheduleCreatedAt: null },
    }),
  verifyFromTimeToTime: () => Promise.resolve(),
  learnSchedule: () => Promise.resolve(),
}

/** The part of Temporal's client that the use cases call, with executions in memory. */
export class FakeTemporal implements TemporalClient {
  readonly options = { namespace: "default" }
  readonly executions = new Map<string, FakeExecution>()
  readonly deadlines: number[] = []
  pollers: TaskQueuePoller[] = []
  /** Answers an update, or throws what the engine would throw. */
  onUpdate: (
    name: string,
    payload: unknown,
    execution: FakeExecution,
  ) => { run_id: string } | Promise<{ run_id: string }> = () => ({ run_id: "run_of_workflow" })
  onCancel: (execution: FakeExecution) => void | Promise<void> = () => undefined
  onQuery: (name: string) => unknown = () => {
    throw grpcError(9, "no poller")
  }
  /** Called before every request; throws to make it fail. */
  before: (request: string) => void = () => undefined
  /** Called after a request took effect; throws to lose its answer. */
  after: (request: string) => void = () => undefined

  /** A different value means another engine; null if namespaces may not be described. */
  namespaceId: string | null = "namespace-1"
  /** When the store's reconcile schedule was created; null if there is none. */
  scheduleCreatedAt: string | null = null

  readonly schedule = {
    create: async () => {
      this.scheduleCreatedAt ??= new Date().toISOString()
    },
    getHandle: () => ({
      describe: async () => {
        if (this.scheduleCreatedAt === null) throw new ScheduleNotFoundError("not found", "reconcile")
        return { info: { createdAt: new Date(this.scheduleCreatedAt) } }
      },
    }),
  } as unknown as TemporalClient["schedule"]

  readonly workflowService = {
    // Not counted among the requests of the use cases.
    describeNamespace: async () => {
      if (this.namespaceId === null) throw grpcError(7, "no permission")
      return { namespaceInfo: { id: this.namespaceId } }
    },
    deleteWorkflowExecution: async ({ workflowExecution }: { workflowExecution: { workflowId: string } }) =>
      await this.#request("delete", () => void this.executions.delete(workflowExecution.workflowId)),
    describeTaskQueue: async () => this.#request("describeTaskQueue", () => ({ pollers: this.pollers })),
  }

  readonly workflow = {
    start: async (workflowType: string, options: AgentStartOptions): Promise<unknown> =>
      await this.#request("start", () => {
        if (this.executions.has(options.workflowId))
          throw new WorkflowExecutionAlreadyStartedError("exists", options.workflowId, workflowType)
        this.#put(workflowType, options)
      }),
    signalWithStart: async (workflowType: string, options: AgentSignalWithStartOptions): Promise<unknown> =>
      await this.#request("signalWithStart", () => {
        const open = this.#open(options.workflowId)
        const execution = open ?? this.#put(workflowType, options)
        execution.signals.push({
          name: typeof options.signal === "string" ? options.signal : options.signal.name,
          payload: options.signalArgs[0],
        })
      }),
    getHandle: (workflowId: string) => this.#handle(workflowId),
    list: ({ query }: { query: string }) => this.#list(query),
  }

  async withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T> {
    this.deadlines.push(deadline)
    return await call()
  }

  async *#list(query: string): AsyncGenerator<{ workflowId: string; runId: string }> {
    for (const workflowId of this.executions.keys())
      if (query.includes(`"${workflowId}"`)) yield { workflowId, runId: "r" }
  }

  execution(sessionId: string): FakeExecution {
    const execution = this.executions.get(`subagent/${sessionId}`)
    if (execution === undefined) throw new Error(`no execution of ${sessionId}`)
    return execution
  }

  #put(workflowType: string, options: AgentStartOptions): FakeExecution {
    const execution: FakeExecution = { status: "RUNNING", workflowType, options, signals: [], updates: [] }
    this.executions.set(options.workflowId, execution)
    return execution
  }

  #open(workflowId: string): FakeExecution | undefined {
    const execution = this.executions.get(workflowId)
    return execution?.status === "RUNNING" ? execution : undefined
  }

  #requireOpen(workflowId: string): FakeExecution {
    const execution = this.#open(workflowId)
    if (execution === undefined)
      throw new WorkflowNotFoundError("workflow execution already completed", workflowId, undefined)
    return execution
  }

  async #request<T>(name: string, take: () => T | Promise<T>): Promise<T> {
    this.before(name)
    const answer = await take()
    this.after(name)
    return answer
  }

  #handle(workflowId: string): SessionHandle & ReturnType<StartingClient["workflow"]["getHandle"]> {
    return {
      executeUpdate: async <Answer>(name: string, options: { args: [unknown]; updateId?: string }): Promise<Answer> =>
        await this.#request("update", async () => {
          const execution = this.#requireOpen(workflowId)
          execution.updates.push({ name, payload: options.args[0], id: options.updateId })
          return (await this.onUpdate(name, options.args[0], execution)) as Answer
        }),
      signal: async (name: string, payload: unknown): Promise<void> =>
        await this.#request("signal", () => {
          this.#requireOpen(workflowId).signals.push({ name, payload })
        }),
      query: async <Answer>(name: string): Promise<Answer> =>
        this.#request("query", () => this.onQuery(name) as Answer),
      cancel: async (): Promise<unknown> =>
        await this.#request("cancel", async () => await this.onCancel(this.#requireOpen(workflowId))),
      terminate: async (): Promise<unknown> =>
        await this.#request("terminate", () => {
          this.#requireOpen(workflowId).status = "TERMINATED"
        }),
      result: () => Promise.reject(new Error("no workflow runs here")),
      fetchHistory: () => Promise.reject(new Error("no history is kept here")),
      describe: async () =>
        await this.#request("describe", () => {
          const execution = this.executions.get(workflowId)
          if (execution === undefined) throw new WorkflowNotFoundError("not found", workflowId, undefined)
          return { status: { code: 1, name: execution.status }, closeTime: execution.closeTime }
        }),
    }
  }
}
