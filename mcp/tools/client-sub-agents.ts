import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { Session } from "../../contracts/session/session.ts"
import { needsPerson } from "../../domain/approval/only-a-person.ts"
import type { Listed } from "../../domain/delegation/answers/list-answers.ts"
import type { SentMessage } from "../../domain/delegation/answers/sent-answer.ts"
import type { Stopped } from "../../domain/delegation/answers/stopped-answer.ts"
import { notRunning, refusalFor } from "../../domain/delegation/delegation-refusal.ts"
import type { DelegationErrorCode } from "../../domain/delegation/error-result.ts"
import { allowedAgents } from "../../domain/delegation/spawn-refusals.ts"
import { outsideCallerAgent, outsideSubagents } from "../../domain/profiles/builtin-profiles.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import {
  type DecisionFor,
  replyLater,
  type ListOptions,
  mostOwn,
  type MessageTo,
  replyNow,
  sentMessage,
  type SubAgents,
} from "../../sessions/delegation-tools/sub-agents.ts"
import { awaitSessions } from "./await-sessions.ts"
import { findSession, findTask, openSpawned, reachable } from "../find-session.ts"
import {
  answered,
  type ClientLater,
  type McpContext,
  type ClientToolCall,
  type McpToolHandler,
} from "../mcp-context.ts"
import { writeRoundState } from "../resume/round-state.ts"
import { profileToolHandlers } from "./profiles.ts"
import { toolHandlers } from "../../sessions/delegation-tools/tool-handlers.ts"
import { clientSurface } from "./offered-tools.ts"
import { spawnForClient, untilTaskEnds } from "./start-for-client.ts"

/** Turns expected failures into refusals with the code of the tool. */
const orRefuse = async <T>(context: McpContext, code: DelegationErrorCode, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    throw refusalFor(error, error.code === "session_not_found" ? "TASK_NOT_FOUND" : code, clientSurface(context))
  }
}

const listed = async ({ client }: McpContext, sessions: readonly Session[]): Promise<readonly Listed[]> => {
  const rows = await client.taskRows({ ids: sessions.map(({ id }) => id) })
  return sessions.flatMap((session) => {
    const row = rows.find(({ id }) => id === session.id)
    return row === undefined ? [] : [{ session, row }]
  })
}

const listSessions = async (context: McpContext, { limit, parentId, ...options }: ListOptions) => {
  const page = await context.client.list({
    limit,
    ...withoutUndefined({ ...options, parent: parentId }),
    ...(parentId === undefined ? reachable(context) : {}),
  })
  return {
    sessions: await listed(context, page.items),
    isCut: page.next_cursor !== null,
    cursor: page.next_cursor,
  }
}

const spawnable = async ({ client, loaded }: McpContext) => {
  const { agents, subagents } = loaded.config
  const profiles = await client.profiles.list()
  const { allowAgents } = outsideSubagents(subagents, agents)
  const names = allowedAgents(
    allowAgents,
    outsideCallerAgent,
    profiles.map(({ id }) => id),
  )
  return profiles.filter(({ id }) => names.includes(id)).map(({ id, type, description }) => ({ id, type, description }))
}

const cancel = async (context: McpContext, { actor }: ClientToolCall, id: string): Promise<Stopped> => {
  const { client, store } = context
  const before = await store.sessions.get(id)
  const { status } = await orRefuse(context, "CANCEL_TASK_ERROR", () => client.cancel(id, actor))
  return { id, status, hadEnded: before !== undefined && isFinal(before.status) }
}

const send = async (context: McpContext, { actor }: ClientToolCall, message: MessageTo): Promise<SentMessage> => {
  const { id, text, type, checkpointId } = message
  try {
    const request = { sessionId: id, text, type, actor, ...withoutUndefined({ checkpointId }) }
    return sentMessage(message, await context.client.send(request))
  } catch (error) {
    if (isAdjutantError(error) && error.code === "session_not_running") throw notRunning(id, clientSurface(context))
    throw error
  }
}

const accept = { action: "accept" } as const

const acceptedOf = (ids: readonly string[]): Readonly<Record<string, CallDecision>> =>
  Object.fromEntries(ids.map((id) => [id, accept]))

const unlessForbidden = (error: unknown): void => {
  if (!isAdjutantError(error) || error.code !== "forbidden") throw error
}

const decisionsOf = ({ approved, rejected }: DecisionFor): Readonly<Record<string, CallDecision>> =>
  Object.fromEntries<CallDecision>([
    ...Object.entries(acceptedOf(approved)),
    ...rejected.map((id): [string, CallDecision] => [id, { action: "reject" }]),
  ])

/** What a client manages: waiting asks its person, if it can show forms. */
const managing = (context: McpContext, call: ClientToolCall) => {
  const { client, caller } = context
  const { actor } = call
  const open = () => openSpawned(context)
  return {
    open,
    stoppable: open,
    cancel: (id) => cancel(context, call, id),
    send: (message) => orRefuse(context, "RESUME_TASK_ERROR", async () => replyNow(await send(context, call, message))),
    wait: (wait) =>
      orRefuse(context, "AWAIT_TASKS_ERROR", async () => {
        const awaited = await awaitSessions(context, call, wait)
        if (awaited.kind === "ask")
          return replyLater({ kind: "ask", requests: awaited.requests, state: writeRoundState(awaited.state) })
        const { reports, timedOut, notes } = awaited
        return replyNow({ tasks: reports.map(({ facts }) => facts), timedOut, notes })
      }),
    needsPerson: (pending) =>
      pending.approval_by !== undefined || needsPerson({ ...pending, isProtected: pending.protected }),
    decide: (decision) =>
      orRefuse(context, "RESUME_TASK_ERROR", () =>
        client.decide({
          ...{ sessionId: decision.id, checkpointId: decision.checkpointId, decisions: decisionsOf(decision), actor },
          unlisted: decision.left.length === 0 ? "reject" : "pending",
        }),
      ),
    decideTree: ({ id, ...decision }) =>
      orRefuse(context, "RESUME_TASK_ERROR", async () => {
        const sent = await client.decide({ ...decision, sessionId: id, unlisted: "pending", actor })
        const { runId, protectedPending = [], undecided = [] } = sent
        return { runId, protectedPending, undecided }
      }),
    refusedApproval: async ({ id, checkpointId, calls }) => {
      const asked = calls === "all" ? { all: accept } : { decisions: acceptedOf(calls) }
      const request = { sessionId: id, ...withoutUndefined({ checkpointId }), ...asked, unlisted: "pending" as const }
      // The use case refuses it by the authority of the caller, and the audit log has the refusal.
      await client.decide({ ...request, actor }).catch(unlessForbidden)
    },
    spawn: (asked) => spawnForClient(context, call, asked),
    result: (id) => untilTaskEnds(context, call, id),
    own: async () => {
      const all = await client.spawned(caller)
      return { sessions: await listed(context, all.slice(-mostOwn)), isCut: all.length > mostOwn }
    },
  } satisfies Partial<SubAgents<ClientLater>>
}

/** Returns the sub-agents of a client from outside, for one call. */
const clientSubAgents = (context: McpContext, call: ClientToolCall): SubAgents<ClientLater> => {
  const { client, cwd } = context
  return {
    ...managing(context, call),
    surface: clientSurface(context),
    cwd,
    find: (name, use) => (use.for === "task" ? findTask(context, name, use.checkpointId) : findSession(context, name)),
    facts: (id) => orRefuse(context, "TASK_NOT_FOUND", async () => (await client.report(id)).facts),
    detail: (id) => client.info(id),
    history: async (id) => (await client.messages(id)).map(historyRow),
    tasks: (most) => client.taskRows({ limit: most, ...reachable(context) }),
    list: (options) => listSessions(context, options),
    profiles: () => spawnable(context),
    profile: async (id) => (await client.profiles.read(id)).profile,
  }
}

/** Returns what carries out a tool for callers from outside any run; undefined if there is no such tool. */
export const handlerOf = (name: string): McpToolHandler | undefined => {
  const handler = toolHandlers[name]
  if (handler === undefined) return profileToolHandlers[name]
  return async (context, call) => {
    const reply = await handler(clientSubAgents(context, call), call.args)
    return reply.kind === "later" ? reply.later : answered(reply.value)
  }
}
