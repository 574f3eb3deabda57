import type { z } from "zod"
import type { AuditEntry } from "../../contracts/http/audit.ts"
import { maxOutcomeWaitSeconds } from "../../contracts/http/session-events.ts"
import type { transcriptSchema } from "../../contracts/http/sessions.ts"
import type { DecisionsAnswer } from "../../contracts/http/tool-decisions.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { Session } from "../../contracts/session/session.ts"
import type { AuditQuery } from "../../sessions/audit/read-audit.ts"
import type { Sent } from "../../sessions/send-request.ts"
import type { Started } from "../../sessions/start-request.ts"
import type { StartTaskRequest } from "../../sessions/start/start-task.ts"
import type { ListFilter } from "../../sessions/view/list-sessions.ts"
import type { Page } from "../../sessions/rows/page.ts"
import { messageOfTranscript } from "../../domain/transcript/transcript-message.ts"
import type { TranscriptSource } from "../../sessions/view/transcript-row.ts"
import type { TaskClient } from "../task-client.ts"
import { answers } from "./answers.ts"
import { askServer, createOutage } from "./ask-server.ts"
import { followEvents } from "./follow-events.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import { remoteProfiles } from "./remote-profiles.ts"
import { remoteSchedules } from "./remote-schedules.ts"
import type { ServerConnection } from "./server-connection.ts"

/** A new task on a server: in its project, unless a directory of the server is named. */
export interface RemoteTask extends Pick<StartTaskRequest, "agent" | "model" | "title" | "label" | "text" | "limits"> {
  readonly cwd?: string | undefined
}

/** The client of a server. The server knows the caller by the token, so that actors in requests have no effect. */
export interface RemoteClient extends TaskClient {
  startTask(task: RemoteTask): Promise<Started>
}

const sessionPath = (id: string, rest = ""): string => `/v1/sessions/${encodeURIComponent(id)}${rest}`

const sessionsPerPage = 200
const rowsPerPage = 1_000
/** How long a server may take to cancel everything, beyond the time for any other answer. */
const stopWaitMs = 60_000

const readOutcome = (
  connection: ServerConnection,
  sessionId: string,
  { waitSeconds, signal }: { readonly waitSeconds: number; readonly signal?: AbortSignal | undefined },
): Promise<OutcomeDocument | null> =>
  askServer(connection, {
    path: sessionPath(sessionId, "/outcome"),
    query: { wait_seconds: waitSeconds },
    answer: answers.outcome,
    extraMs: waitSeconds * 1_000,
    signal,
  })

/** Waits in requests of bounded length. A server that restarts interrupts the wait, and does not end it. */
const wait = async (
  connection: ServerConnection,
  sessionId: string,
  { timeoutSeconds = Number.POSITIVE_INFINITY, signal }: { timeoutSeconds?: number; signal?: AbortSignal } = {},
): Promise<OutcomeDocument | undefined> => {
  const untilMs = performance.now() + timeoutSeconds * 1_000
  const outage = createOutage(connection, signal)
  for (;;) {
    signal?.throwIfAborted()
    const leftSeconds = Math.max(0, (untilMs - performance.now()) / 1_000)
    try {
      const waitSeconds = Math.min(maxOutcomeWaitSeconds, leftSeconds)
      const document = await readOutcome(connection, sessionId, { waitSeconds, signal })
      outage.reached()
      if (document !== null) return document
    } catch (error) {
      signal?.throwIfAborted()
      await outage.tolerate(error)
    }
    if (performance.now() >= untilMs) return undefined
  }
}

/** Reads as many pages as the limit requires: the limit of a command can be higher than that of a page of the server. */
const list = async (connection: ServerConnection, filter: Omit<ListFilter, "caller">): Promise<Page<Session>> => {
  const { parent: parent_session_id, root: root_session_id, limit = 50, cursor, archived, ...rest } = filter
  const items: Session[] = []
  let next: string | null | undefined = cursor
  do {
    const page: Page<Session> = await askServer(connection, {
      path: "/v1/sessions",
      query: {
        ...rest,
        archived: archived === undefined ? undefined : String(archived),
        parent_session_id,
        root_session_id,
        limit: Math.min(sessionsPerPage, limit - items.length),
        cursor: next,
      },
      answer: answers.sessions,
    })
    items.push(...page.items)
    next = page.next_cursor
  } while (next !== null && items.length < limit)
  return { items, next_cursor: next }
}

const messages = async (
  connection: ServerConnection,
  sessionId: string,
  { afterSeq = 0, limit = Number.POSITIVE_INFINITY }: { readonly afterSeq?: number; readonly limit?: number } = {},
): Promise<readonly TranscriptSource[]> => {
  const rows: TranscriptSource[] = []
  let cursor: string | null = String(afterSeq)
  while (cursor !== null && rows.length < limit) {
    const page: z.infer<typeof transcriptSchema> = await askServer(connection, {
      path: sessionPath(sessionId, "/messages"),
      query: { cursor, limit: Math.min(rowsPerPage, limit - rows.length) },
      answer: answers.transcript,
    })
    rows.push(
      ...page.items.map(({ run_id: runId, message, ...row }) => ({
        ...row,
        runId,
        message: messageOfTranscript(message),
      })),
    )
    cursor = page.next_cursor
  }
  return rows
}

const entriesPerPage = 1_000

/** Reads as many pages as the limit requires. */
const audit = async (
  connection: ServerConnection,
  { sessionId: session_id, limit = 100, cursor, ...range }: AuditQuery,
): Promise<Page<AuditEntry>> => {
  const items: AuditEntry[] = []
  let next: string | null | undefined = cursor
  do {
    const page: Page<AuditEntry> = await askServer(connection, {
      path: "/v1/audit",
      query: { session_id, ...range, limit: Math.min(entriesPerPage, limit - items.length), cursor: next ?? undefined },
      answer: answers.audit,
    })
    items.push(...page.items)
    next = page.next_cursor
  } while (next !== null && items.length < limit)
  return { items, next_cursor: next }
}

/** Returns the run that a decision without a checkpoint is for. */
const currentRun = async (connection: ServerConnection, sessionId: string): Promise<string | undefined> =>
  (await askServer(connection, { path: sessionPath(sessionId), answer: answers.session })).run_id ?? undefined

const sentOf = ({ state, run_id: runId, protected_pending: left, counted, undecided }: DecisionsAnswer): Sent => ({
  ...{ state, runId },
  ...(left === undefined ? {} : { protectedPending: left }),
  ...(counted === undefined ? {} : { counted }),
  ...(undecided === undefined ? {} : { undecided }),
})

const grantCalls = (connection: ServerConnection): Pick<TaskClient, "grant" | "grants" | "revokeGrant"> => ({
  grant: ({ sessionId, tool, patterns, expiresInSeconds: expires_in_seconds }) => {
    const body = { tool, arguments: patterns, expires_in_seconds }
    return askServer(connection, { path: sessionPath(sessionId, "/grants"), body, answer: answers.grant })
  },
  grants: (sessionId) => askServer(connection, { path: sessionPath(sessionId, "/grants"), answer: answers.grants }),
  revokeGrant: (sessionId, grantId) => {
    const path = sessionPath(sessionId, `/grants/${encodeURIComponent(grantId)}/revoke`)
    return askServer(connection, { path, body: {}, answer: answers.grant })
  },
})

const previewPath = (sessionId: string, callId: string): string =>
  sessionPath(sessionId, `/tools/${encodeURIComponent(callId)}/preview`)

/** Creates a client that asks a server over the HTTP API. It needs neither Temporal nor the database. */
export const createRemoteClient = (connection: ServerConnection): RemoteClient => {
  const ask: <Answer>(request: Parameters<typeof askServer<Answer>>[1]) => Promise<Answer> = (request) =>
    askServer(connection, request)
  return {
    startTask: async ({ text, limits, ...session }) => {
      const body = { ...pickRunOptions(limits ?? {}), ...session, message: text }
      const { session_id: sessionId, run_id: runId } = await ask({ path: "/v1/runs", body, answer: answers.started })
      return { sessionId, runId }
    },
    inspectTarget: (target) => ask({ path: `/v1/targets/${encodeURIComponent(target)}`, answer: answers.target }),
    send: async ({ sessionId, text, type, runId: run_id, checkpointId: checkpoint_id, limits }) => {
      const body = { ...pickRunOptions(limits ?? {}), message: text, type, run_id, checkpoint_id }
      const sent = await ask({ path: sessionPath(sessionId, "/messages"), body, answer: answers.sent })
      return { state: sent.state, runId: sent.run_id, ...(sent.effect === undefined ? {} : { effect: sent.effect }) }
    },
    withdraw: async (sessionId, messageId) => {
      const path = sessionPath(sessionId, `/messages/${encodeURIComponent(messageId)}`)
      await ask({ method: "DELETE", path, answer: answers.nothing })
    },
    decide: async ({ sessionId, runId, checkpointId: checkpoint_id, decisions, all, unlisted }) => {
      const run_id = runId ?? (checkpoint_id === undefined ? await currentRun(connection, sessionId) : undefined)
      const body = { run_id, checkpoint_id, decisions, all, unlisted }
      const path = sessionPath(sessionId, "/tools/decisions")
      return sentOf(await ask({ path, body, answer: answers.decisions }))
    },
    cancel: async (sessionId, _actor, run_id) => {
      const body = run_id === undefined ? {} : { run_id }
      const { status } = await ask({ path: sessionPath(sessionId, "/cancel"), body, answer: answers.cancel })
      return { status }
    },
    delete: async (sessionId) => {
      await ask({ method: "DELETE", path: sessionPath(sessionId), answer: answers.nothing })
    },
    retry: async (sessionId) => {
      const { status } = await ask({ path: sessionPath(sessionId, "/retry"), body: {}, answer: answers.retry })
      return { status }
    },
    ...grantCalls(connection),
    stopAll: () => ask({ path: "/v1/stop", body: { all: true }, answer: answers.stop, extraMs: stopWaitMs }),
    wait: (sessionId, options) => wait(connection, sessionId, options),
    outcome: async (sessionId) => (await readOutcome(connection, sessionId, { waitSeconds: 0 })) ?? undefined,
    watch: (sessionId, options) => followEvents(connection, sessionId, options),
    info: (sessionId) => ask({ path: sessionPath(sessionId), answer: answers.sessionDetail }),
    diff: (sessionId) => ask({ path: sessionPath(sessionId, "/diff"), answer: answers.diff }),
    list: (filter) => list(connection, filter),
    search: ({ q, limit }) => ask({ path: "/v1/search", query: { q, limit }, answer: answers.search }),
    approvals: ({ root } = {}) =>
      ask({ path: "/v1/approvals", query: { root_session_id: root }, answer: answers.approvals }),
    preview: (sessionId, callId) => ask({ path: previewPath(sessionId, callId), answer: answers.preview }),
    messages: (sessionId, range) => messages(connection, sessionId, range),
    audit: (query = {}) => audit(connection, query),
    usage: ({ groupBy, ...range } = {}) =>
      ask({ path: "/v1/usage", query: { ...range, group_by: groupBy?.join(",") }, answer: answers.usage }),
    profiles: remoteProfiles(connection),
    schedules: remoteSchedules(connection),
    hasWorker: async () => (await ask({ path: "/readyz", answer: answers.ready, alsoAnswers: [503] })).worker,
    close: async () => undefined,
  }
}
