import type { InputRequests } from "@modelcontextprotocol/server"
import type { TaskReport } from "../../sessions/view/task-report.ts"
import { applyResponses } from "../resume/apply-responses.ts"
import type { McpContext, ClientToolCall } from "../mcp-context.ts"
import { pauseRequests } from "../resume/pause-requests.ts"
import { readRoundState, type RoundState } from "../resume/round-state.ts"
import { withProgress } from "../answers/with-progress.ts"

export type Awaited =
  | {
      readonly kind: "settled"
      readonly reports: readonly TaskReport[]
      readonly timedOut: boolean
      /** Whether the call has asked as often as it may, and more is open. */
      readonly isAskedOut: boolean
      readonly state: RoundState
      /** What became of forms that decided nothing. */
      readonly notes: readonly string[]
    }
  | { readonly kind: "ask"; readonly requests: InputRequests; readonly state: RoundState }

/** How often one call asks. Clients of newer protocol revisions give up a call that asks more than ten times. */
const maxRounds = 8

const askedOut = `One call asks at most ${maxRounds} times: wait again, and your user is asked about what is pending.`

const isOpen = ({ facts }: TaskReport): boolean => facts.status === "pending" || facts.status === "running"

/** Applies the person's answers from the previous round. Returns the state with every question that the person left open, and every answer that came too late. */
const takeAnswers = async (context: McpContext, call: ClientToolCall, ids: readonly string[]): Promise<RoundState> => {
  const state = readRoundState(call.requestState)
  if (Object.keys(call.inputResponses).length === 0) return state
  const rows = await Promise.all(ids.map((id) => context.store.sessions.get(id)))
  const rootIds = new Set(rows.flatMap((row) => (row === undefined ? [] : [row.rootId])))
  const { dismissed, refused, late } = await applyResponses(context, call.inputResponses, {
    rootIds,
    actor: call.actor,
  })
  return {
    ...state,
    dismissed: [...new Set([...state.dismissed, ...dismissed, ...refused])],
    late: [...state.late, ...late],
  }
}

/** Returns whether the client shows the questions of a session itself, as those of a task of the extension: a second form would ask the same. */
const isAskedAsTask = ({ wantsTask }: ClientToolCall, { internal }: TaskReport): boolean =>
  wantsTask && (internal["tool"] === "dynamic_subagent_task" || internal["tool"] === "Task")

/** Returns the questions about these tasks that the person at the client can answer. */
const questions = (
  { noApprove }: McpContext,
  call: ClientToolCall,
  { reports, state }: { readonly reports: readonly TaskReport[]; readonly state: RoundState },
): InputRequests => {
  if (!call.canElicit || noApprove) return {}
  const asked = reports.filter((report) => !isAskedAsTask(call, report))
  const all = asked.flatMap(({ facts }) => Object.entries(pauseRequests(facts)))
  return Object.fromEntries(all.filter(([key]) => !state.dismissed.includes(key)))
}

/** Returns what to say about the forms of this call that decided nothing, for calls that are still pending. */
const notesOn = (reports: readonly TaskReport[], { dismissed, late }: RoundState): readonly string[] => [
  ...reports.flatMap(({ facts }) =>
    Object.keys(pauseRequests(facts)).some((key) => dismissed.includes(key))
      ? [
          `A form about task ${facts.id} was not answered, which decides nothing: what it asks for is still pending. A person decides with \`adjutant resume ${facts.pause?.checkpointId ?? facts.id}\`, on the web page, or when you wait again.`,
        ]
      : [],
  ),
  ...late,
]

/**
 * Waits until all sessions are final or paused, or until the timeout or the limit of the call, which cancel nothing. If the client can show forms,
 * returns open pauses as questions to its person first.
 */
export const awaitSessions = async (
  context: McpContext,
  call: ClientToolCall,
  { ids, timeoutSeconds }: { readonly ids: readonly string[]; readonly timeoutSeconds?: number | undefined },
): Promise<Awaited> => {
  const state = await takeAnswers(context, call, ids)
  const leftSeconds = Math.max(0, call.answerBy - Date.now()) / 1_000
  const limit = { signal: call.signal, timeoutSeconds: Math.min(timeoutSeconds ?? leftSeconds, leftSeconds) }
  await withProgress(context, { call, ids }, () => Promise.all(ids.map((id) => context.client.wait(id, limit))))
  const reports = await Promise.all(ids.map((id) => context.client.report(id)))
  const requests = questions(context, call, { reports, state })
  if (Object.keys(requests).length > 0 && state.rounds < maxRounds)
    return { kind: "ask", requests, state: { ...state, rounds: state.rounds + 1 } }
  const isAskedOut = Object.keys(requests).length > 0
  const notes = [...notesOn(reports, state), ...(isAskedOut ? [askedOut] : [])]
  return { kind: "settled", reports, timedOut: reports.some(isOpen), isAskedOut, state, notes }
}
