import type { z } from "zod"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { MediaReference } from "../../contracts/message.ts"
import type { Agent, agentListSchema, Choices } from "../../contracts/http/agents.ts"
import type { approvalListSchema, callerSchema } from "../../contracts/http/approvals.ts"
import type { SendMessageBody, StartRunBody } from "../../contracts/http/send-message.ts"
import type { retryAnswerSchema, SearchAnswer, transcriptSchema } from "../../contracts/http/sessions.ts"
import type { stopAnswerSchema } from "../../contracts/http/stop.ts"
import type { Target } from "../../contracts/http/targets.ts"
import type { DecisionsAnswer, ToolDecisionsBody } from "../../contracts/http/tool-decisions.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { Session } from "../../contracts/session/session.ts"
import type { UsageReport } from "../../contracts/usage.ts"
import type { GrantTerms } from "../../domain/approval/grant-terms.ts"
import { readBytes, request } from "./request.ts"
import type { Approval, SessionList, SessionTree } from "./shapes.ts"

const at = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`

const profileAt = (name: string): string => `/v1/agents/${encodeURIComponent(name)}`

const query = (fields: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])),
  ).toString()

interface SessionFilter {
  readonly q?: string
  readonly status?: string
  readonly archived?: string
  readonly cursor?: string
}

const transcriptPage = 500

/** What the page asks of the server, with the shapes of its contracts. */
export const server = {
  sessions: (filter: SessionFilter) =>
    request<SessionList>("GET", `/v1/sessions?${query({ limit: "100", ...filter })}`),
  /** All sub-agents of a session, page by page. */
  children: async (id: string): Promise<readonly Session[]> => {
    const found: Session[] = []
    for (let cursor: string | undefined; ;) {
      const fields = query({ parent_session_id: id, limit: "100", cursor })
      const page: SessionList = await request<SessionList>("GET", `/v1/sessions?${fields}`)
      found.push(...page.items)
      if (page.next_cursor === null) return found
      cursor = page.next_cursor
    }
  },
  search: (q: string) => request<SearchAnswer>("GET", `/v1/search?${query({ q })}`),
  session: (id: string) => request<SessionDetail>("GET", at(id)),
  tree: (id: string) => request<SessionTree>("GET", `${at(id)}/tree`),
  messages: (id: string, after: number) =>
    request<z.infer<typeof transcriptSchema>>("GET", `${at(id)}/messages?limit=${transcriptPage}&cursor=${after}`),
  /** Has the type of the reference, which is one of few, and none that a browser executes, whatever the answer says. */
  media: async (id: string, { id: mediaId, media_type: type }: MediaReference) =>
    new Blob([await readBytes(`${at(id)}/media/${encodeURIComponent(mediaId)}`)], { type }),
  caller: () => request<z.infer<typeof callerSchema>>("GET", "/v1/caller"),
  target: (id: string) => request<Target>("GET", `/v1/targets/${encodeURIComponent(id)}`),
  approvals: () => request<z.infer<typeof approvalListSchema>>("GET", "/v1/approvals"),
  preview: (id: string, callId: string) =>
    request<CallPreview>("GET", `${at(id)}/tools/${encodeURIComponent(callId)}/preview`),
  decide: (
    approval: Pick<Approval, "session_id" | "run_id" | "checkpoint_id">,
    decided: Pick<ToolDecisionsBody, "decisions" | "all">,
  ) =>
    request<DecisionsAnswer>("POST", `${at(approval.session_id)}/tools/decisions`, {
      run_id: approval.run_id,
      checkpoint_id: approval.checkpoint_id,
      ...decided,
    }),
  grant: (id: string, terms: GrantTerms, seconds: number) =>
    request("POST", `${at(id)}/grants`, {
      tool: terms.tool,
      arguments: terms.arguments,
      expires_in_seconds: seconds,
    }),
  say: (id: string, body: Partial<SendMessageBody>) => request("POST", `${at(id)}/messages`, body),
  withdraw: (id: string, messageId: string) => request("DELETE", `${at(id)}/messages/${encodeURIComponent(messageId)}`),
  start: (body: StartRunBody) => request<{ readonly session_id: string }>("POST", "/v1/runs", body),
  cancel: (id: string) => request("POST", `${at(id)}/cancel`, {}),
  retry: (id: string) => request<z.infer<typeof retryAnswerSchema>>("POST", `${at(id)}/retry`, {}),
  stopAll: () => request<z.infer<typeof stopAnswerSchema>>("POST", "/v1/stop", { all: true }),
  choices: () => request<Choices>("GET", "/v1/choices"),
  profiles: () => request<z.infer<typeof agentListSchema>>("GET", "/v1/agents"),
  profile: (name: string) => request<Agent>("GET", profileAt(name)),
  createProfile: (name: string, profile: object) => request<Agent>("POST", "/v1/agents", { name, profile }),
  updateProfile: (name: string, profile: object, version: number) =>
    request<Agent>("PUT", profileAt(name), { profile, version }),
  deleteProfile: (name: string, version: number) => request("DELETE", `${profileAt(name)}?version=${version}`),
  usage: (fields: { readonly group_by: string; readonly from: string | undefined }) =>
    request<UsageReport>("GET", `/v1/usage?${query({ ...fields })}`),
  fork: (id: string, step: number, message: string) =>
    request<Session>("POST", `${at(id)}/fork`, { at_step: step, message }),
}
