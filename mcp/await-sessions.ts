import type { InputRequests } from "@modelcontextprotocol/server"
import type { TaskReport } from "../sessions/view/task-report.ts"
import { applyResponses } from "./resume/apply-responses.ts"
import type { McpContext, ToolCall } from "./mcp-context.ts"
import { pauseRequests } from "./resume/pause-requests.ts"
import { readRoundState, type RoundState } from "./resume/round-state.ts"
import { withProgress } from "./answers/with-progress.ts"

export type Awaited =
  | { readonly kind: "settled"; readonly reports: readonly TaskReport[]; readonly timedOut: boolean }
  | { readonly kind: "ask"; readonly requests: InputRequests; readonly state: RoundState }

const isOpen = ({ facts }: TaskReport): boolean => facts.status === "pending" || facts.status === "running"

/** Applies the person's answers from the previous round. Returns the state with every question that the person left open. */
const takeAnswers = async (context: McpContext, call: ToolCall, ids: readonly string[]): Promise<RoundState> => {
  const state = readRoundState(call.requestState)
  if (Object.keys(call.inputResponses).length === 0) return state
  const rows = await Promise.all(ids.map((id) => context.store.sessions.get(id)))
  const rootIds = new Set(rows.flatMap((row) => (row === undefined ? [] : [row.rootId])))
  const { dismissed, refused } = await applyResponses(context, call.inputResponses, { rootIds, actor: call.actor })
  return { ...state, dismissed: [...new Set([...state.dismissed, ...dismissed, ...refused])] }
}

/** Returns the questions about these tasks that the person at the client can answer. */
const questions = (
  { noApprove }: McpContext,
  { canElicit }: ToolCall,
  { reports, state }: { readonly reports: readonly TaskReport[]; readonly state: RoundState },
): InputRequests => {
  if (!canElicit || noApprove) return {}
  const all = reports.flatMap(({ facts }) => Object.entries(pauseRequests(facts)))
  return Object.fromEntries(all.filter(([key]) => !state.dismissed.includes(key)))
}

/**
 * Waits until all sessions are final or paused, or until the timeout, which cancels nothing. If the client can show forms, returns open pauses as
 * questions to its person first.
 */
export const awaitSessions = async (
  context: McpContext,
  call: ToolCall,
  { ids, timeoutSeconds }: { readonly ids: readonly string[]; readonly timeoutSeconds?: number | undefined },
): Promise<Awaited> => {
  const state = await takeAnswers(context, call, ids)
  await withProgress(context, { call, ids }, () =>
    Promise.all(
      ids.map((id) =>
        context.client.wait(id, { signal: call.signal, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) }),
      ),
    ),
  )
  const reports = await Promise.all(ids.map((id) => context.client.report(id)))
  const requests = questions(context, call, { reports, state })
  if (Object.keys(requests).length > 0) return { kind: "ask", requests, state }
  return { kind: "settled", reports, timedOut: reports.some(isOpen) }
}
