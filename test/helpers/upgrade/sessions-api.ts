import { Webhook } from "standardwebhooks"
import { z } from "zod"
import { eventually } from "../eventually.ts"

const sessionSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  status: z.string(),
  stop_reason: z.string().nullable(),
  parent_session_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  final_message: z.string().nullable(),
  steps_taken: z.number(),
})
export type SessionState = z.infer<typeof sessionSchema>

const pendingSchema = z.object({
  run_id: z.string(),
  checkpoint_id: z.string(),
  pending: z.array(z.object({ id: z.string() })),
})
const messageSchema = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  text: z.string().optional(),
  source: z.string().optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  outcome: z.string().optional(),
  parts: z.array(z.object({ call: z.object({ id: z.string() }).optional() })).optional(),
})
export type TranscriptMessage = z.infer<typeof messageSchema>
const transcriptSchema = z.object({ items: z.array(z.object({ message: messageSchema })) })

const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next_cursor: z.null() })
const approvalsSchema = list(z.object({ session_id: z.string(), checkpoint_id: z.string() }).loose())

type Decisions = Readonly<Record<string, "accept" | "reject">>

/** What the upgrade tests request from a version's HTTP API: only what both versions have. */
export interface SessionsApi {
  request(method: "GET" | "POST", route: string, body?: unknown): Promise<unknown>
  /** Starts a run in a new session. Returns the session's id. */
  start(message: string, options?: { readonly agent?: string } & Readonly<Record<string, unknown>>): Promise<string>
  send(id: string, message: string, more?: Readonly<Record<string, unknown>>): Promise<void>
  session(id: string): Promise<SessionState>
  sessions(): Promise<readonly SessionState[]>
  /** Oldest first. */
  children(id: string): Promise<readonly SessionState[]>
  transcript(id: string): Promise<readonly TranscriptMessage[]>
  /** Returns everything that is waiting for a decision. */
  approvals(): Promise<z.infer<typeof approvalsSchema>["items"]>
  /** Decides calls of the session's pause: every pending call, unless ids are given. Returns what it decided. */
  decide(id: string, decisions?: Decisions): Promise<Decisions>
  /** Waits until the session matches. */
  waitUntil(id: string, isThere: (session: SessionState) => boolean): Promise<SessionState>
  waitForStatus(id: string, status: string): Promise<SessionState>
  /** Writes a signed message in a thread of the channel `team`. Returns the id of the session that receives it. */
  writeInThread(threadKey: string, text: string, secret: string): Promise<string>
}

const readAnswer = async (response: Response, request: string): Promise<unknown> => {
  const text = await response.text()
  if (!response.ok) throw new Error(`${request} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Creates a client of a version; `every` are headers of each request, such as a token. */
export const createSessionsApi = (url: string, every: Readonly<Record<string, string>> = {}): SessionsApi => {
  const request: SessionsApi["request"] = async (method, route, body) => {
    const sent = {
      method,
      headers: { ...every, "content-type": "application/json" },
      body: JSON.stringify(body ?? {}),
    }
    return readAnswer(await fetch(`${url}${route}`, method === "GET" ? { headers: every } : sent), `${method} ${route}`)
  }
  const session: SessionsApi["session"] = async (id) => sessionSchema.parse(await request("GET", `/v1/sessions/${id}`))
  const listSessions = async (query: string) =>
    list(sessionSchema).parse(await request("GET", `/v1/sessions?limit=200${query}`)).items
  const send: SessionsApi["send"] = async (id, message, more = {}) => {
    await request("POST", `/v1/sessions/${id}/messages`, { message, ...more })
  }
  const waitUntil: SessionsApi["waitUntil"] = async (id, isThere) => {
    let last = await session(id)
    const look = async () => isThere((last = await session(id)))
    await eventually(look).catch((error: unknown) => {
      throw new Error(`the session stays ${JSON.stringify(last)}`, { cause: error })
    })
    return last
  }
  return {
    request,
    send,
    session,
    waitUntil,
    waitForStatus: (id, status) => waitUntil(id, (state) => state.status === status),
    sessions: () => listSessions(""),
    children: async (id) => (await listSessions(`&parent_session_id=${id}`)).toReversed(),
    async start(message, { agent, ...more } = {}) {
      const { id } = sessionSchema.parse(await request("POST", "/v1/sessions", { title: message, agent }))
      await send(id, message, more)
      return id
    },
    async transcript(id) {
      const answer = await request("GET", `/v1/sessions/${id}/messages?limit=1000`)
      return transcriptSchema.parse(answer).items.map(({ message }) => message)
    },
    approvals: async () => approvalsSchema.parse(await request("GET", "/v1/approvals")).items,
    async decide(id, decisions) {
      const answer = pendingSchema.parse(await request("GET", `/v1/sessions/${id}/tools/pending`))
      const { pending, ...pause } = answer
      const decided = decisions ?? Object.fromEntries(pending.map(({ id: call }) => [call, "accept" as const]))
      const actions = Object.entries(decided)
      await request("POST", `/v1/sessions/${id}/tools/decisions`, {
        ...pause,
        decisions: Object.fromEntries(actions.map(([call, action]) => [call, { action }])),
      })
      return decided
    },
    async writeInThread(threadKey, text, secret) {
      const id = `${threadKey} ${text}`
      const body = JSON.stringify({ thread_key: threadKey, text, message_id: id })
      const at = new Date()
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(secret).sign(id, at, body),
      }
      const response = await fetch(`${url}/v1/channels/team`, { method: "POST", headers, body })
      return z.object({ session_id: z.string() }).parse(await readAnswer(response, "a message in a thread")).session_id
    },
  }
}
