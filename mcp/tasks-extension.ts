import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import type { RemoteActor } from "../sessions/actor.ts"
import type { TaskReport } from "../sessions/view/task-report.ts"
import { assertNever } from "../domain/assert-never.ts"
import { applyResponses } from "./resume/apply-responses.ts"
import { clientTraits, tasksExtension } from "./transport/client-traits.ts"
import { findTask } from "./find-session.ts"
import type { ContextAccess, McpContext, McpSettings } from "./mcp-context.ts"
import { parseRequestKey, pauseRequests } from "./resume/pause-requests.ts"
import { spawnedResult } from "./answers/spawned-result.ts"
import { clientSurface } from "./tools/offered-tools.ts"
import { toCallResult } from "./answers/to-call-result.ts"

const pollIntervalMs = 1_000

type TaskFields = Record<string, unknown>

const common = (report: TaskReport, statusMessage: string): TaskFields => ({
  taskId: report.facts.id,
  statusMessage,
  createdAt: report.createdAt,
  lastUpdatedAt: report.updatedAt,
  // A session outlives the connection. Archiving hides it from lists but does not delete it.
  ttlMs: null,
  pollIntervalMs,
})

/** Returns the status of a paused task. The client can answer the pause, unless it is an approval and this server does not accept approvals. */
const pausedFields = ({ noApprove }: McpContext, { facts }: TaskReport): TaskFields => {
  const isOpen = facts.pause !== null && !(noApprove && facts.pause.type === "tool_approval_required")
  return isOpen ? { status: "input_required", inputRequests: pauseRequests(facts) } : { status: "working" }
}

/** Returns a session as a task of the extension. A failed run is a completed task with an error result; `failed` is for errors of the protocol. */
export const taskFields = (context: McpContext, report: TaskReport): TaskFields => {
  const { facts } = report
  const steps = `${facts.stepsTaken} steps`
  switch (facts.status) {
    case "pending":
    case "running":
      return { ...common(report, `${facts.status}, ${steps}`), status: "working" }
    case "paused":
      return { ...common(report, `waiting for a person, ${steps}`), ...pausedFields(context, report) }
    case "cancelled":
      return { ...common(report, `cancelled after ${steps}`), status: "cancelled" }
    case "completed":
    case "failed":
    case "timed_out":
      return {
        ...common(report, `${facts.status} after ${steps}`),
        status: "completed",
        result: { ...toCallResult(spawnedResult(report, clientSurface(context))) },
      }
    default:
      return assertNever(facts.status)
  }
}

/** Returns the first answer of a call that became a task, without the fields that only `tasks/get` returns. */
export const createdTask = (context: McpContext, report: TaskReport): TaskFields => {
  const { inputRequests: _requests, result: _result, ...fields } = taskFields(context, report)
  return { ...fields, resultType: "task", content: [] }
}

const idSchema = z.object({ taskId: z.string().max(200) })

const requireRun = ({ readOnly }: McpSettings): void => {
  if (readOnly)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "this request needs a token with the scope run")
}

const requireTask = async (
  context: McpContext,
  taskId: string,
  checkpointIds: readonly string[] = [],
): Promise<string> => {
  const found = await Promise.all([undefined, ...checkpointIds].map((each) => findTask(context, taskId, each)))
  const id = found.find((each) => each !== undefined)
  if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "task not found")
  return id
}

/** Refuses a request of the extension from a client that did not declare the extension. */
const requireExtension = (mcp: McpServer, ctx: ServerContext): void => {
  if (!clientTraits(mcp, ctx).wantsTask)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
}

/** Serves the extension `io.modelcontextprotocol/tasks`. A task's id is the id of its session. */
export const serveTasks = (
  mcp: McpServer,
  access: McpSettings & ContextAccess,
  actorOf: (ctx: ServerContext) => RemoteActor,
): void => {
  const { server } = mcp
  server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  server.setRequestHandler("tasks/get", { params: idSchema }, async ({ taskId }, ctx) => {
    requireExtension(mcp, ctx)
    const context = await access.open(ctx)
    return taskFields(context, await context.client.report(await requireTask(context, taskId)))
  })
  server.setRequestHandler("tasks/update", { params: idSchema }, async ({ taskId }, ctx) => {
    requireExtension(mcp, ctx)
    requireRun(access)
    const context = await access.open(ctx)
    const responses = ctx.mcpReq.inputResponses ?? {}
    const named = Object.keys(responses).map((key) => parseRequestKey(key).checkpointId)
    const row = await context.store.sessions.get(await requireTask(context, taskId, named))
    const rootIds = new Set(row === undefined ? [] : [row.rootId])
    const { refused, late } = await applyResponses(context, responses, { rootIds, actor: actorOf(ctx) })
    if (refused.length > 0)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "this server does not accept approvals; a person must decide",
      )
    if (late.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, late.join("\n"))
    return {}
  })
  server.setRequestHandler("tasks/cancel", { params: idSchema }, async ({ taskId }, ctx) => {
    requireExtension(mcp, ctx)
    requireRun(access)
    const context = await access.open(ctx)
    await context.client.cancel(await requireTask(context, taskId), actorOf(ctx))
    return {}
  })
}
